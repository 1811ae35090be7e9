// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "examples/tests/run_process.h"

namespace {

/// Blanks at the end of a line don't survive in a document.
std::string without_trailing_blanks(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    if (c == '\n') kept.erase(kept.find_last_not_of(' ') + 1);
    kept += c;
  }
  return kept;
}

void expect_output(const char* program, const char* expected_output) {
  std::ifstream file(expected_output);
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  const examples::ProcessResult result = examples::run_process(
      {program}, {{"PATCHBAY_PLUGINS", "cpu-openblas"}, {"PATCHBAY_CPU_DEVICES", "2"}});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(without_trailing_blanks(result.output), expected);
}

TEST(Readme, ProgramPrintsWhatTheReadmeShows) { expect_output(README_PROGRAM, README_OUTPUT); }

TEST(Readme, BlocksOfTheTutorial) { expect_output(TUTORIAL_PROGRAM, TUTORIAL_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnTraining) { expect_output(TRAINING_PROGRAM, TRAINING_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnGradients) { expect_output(AUTOGRAD_PROGRAM, AUTOGRAD_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnRandomNumbers) { expect_output(RANDOM_PROGRAM, RANDOM_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnData) { expect_output(DATA_PROGRAM, DATA_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnFiles) { expect_output(FILES_PROGRAM, FILES_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnGraphs) { expect_output(GRAPHS_PROGRAM, GRAPHS_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnOperations) {
  expect_output(OPERATORS_PROGRAM, OPERATORS_OUTPUT);
}

TEST(Readme, ProgramOfTheChapterOnFunctionsOfNetworks) {
  expect_output(FUNCTIONAL_PROGRAM, FUNCTIONAL_OUTPUT);
}

TEST(Readme, ProgramOfTheChapterOnDevices) { expect_output(DEVICES_PROGRAM, DEVICES_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnProfiles) { expect_output(PROFILING_PROGRAM, PROFILING_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnComplexNumbers) {
  expect_output(COMPLEX_PROGRAM, COMPLEX_OUTPUT);
}

TEST(Readme, ProgramOfTheChapterOnFourierTransforms) { expect_output(FFT_PROGRAM, FFT_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnLinearAlgebra) {
  expect_output(LINEAR_ALGEBRA_PROGRAM, LINEAR_ALGEBRA_OUTPUT);
}

TEST(Readme, ProgramOfTheChapterOnTensors) { expect_output(TENSORS_PROGRAM, TENSORS_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnLayers) { expect_output(LAYERS_PROGRAM, LAYERS_OUTPUT); }
TEST(Readme, ProgramOfTheChapterOnModules) { expect_output(MODULES_PROGRAM, MODULES_OUTPUT); }

TEST(Readme, ProgramOfTheChapterOnSeveralDevices) {
  expect_output(DATA_PARALLEL_PROGRAM, DATA_PARALLEL_OUTPUT);
}

TEST(Readme, ProgramOfTheChapterOnFusion) { expect_output(FUSION_PROGRAM, FUSION_OUTPUT); }

}  // namespace
