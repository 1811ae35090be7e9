// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An application's library that uses the default runtime may be closed and opened again.
#include <string>

#include <gtest/gtest.h>

#include "examples/tests/run_process.h"
#include "support/paths.h"

namespace {

class HostedLibrary : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, HostedLibrary, testing::Values("cpu", "fake", "opencl"));

TEST_P(HostedLibrary, MayBeClosedAndOpenedAgain) {
  const std::string backend = GetParam();
  const examples::ProcessResult result = examples::run_process(
      {HOSTING_PROGRAM, HOSTED_LIBRARY, backend + ":0"},
      {{"PATCHBAY_PLUGIN_PATH", patchbay::test::test_plugin_folder()},
       {"PATCHBAY_PLUGINS", "cpu-openblas," + (backend == "cpu" ? "fake" : backend)}});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
}

}  // namespace
