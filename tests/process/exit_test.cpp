// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A program that ends while work is queued ends with its own status. PATCHBAY_TEST_ALL: up to 1,200
// runs on each kind of device.
#include <chrono>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "examples/tests/run_process.h"
#include "support/attempts.h"
#include "support/paths.h"
#include "support/scratch_directory.h"

namespace {

using patchbay::test::returns_within;
using patchbay::test::simulated_library;
using patchbay::test::test_plugin_folder;

struct ExitCase {
  const char *name, *device;
  int few, many;  // runs
  examples::Environment environment;
  bool is_cold = false;  // nothing is compiled yet: the program queues what the driver must compile
};

const ExitCase kExitCases[] = {
    {"cpu", "cpu:0", 5, 100, {{"PATCHBAY_PLUGINS", "cpu-openblas"}}},
    {"second_cpu",
     "cpu:1",
     3,
     100,
     {{"PATCHBAY_PLUGINS", "cpu-openblas"}, {"PATCHBAY_CPU_DEVICES", "2"}}},
    {"cpu_by_openblas",
     "cpu:0",
     3,
     100,
     {{"PATCHBAY_PLUGINS", "cpu-openblas"}, {"PATCHBAY_CPU_PRODUCTS", "openblas"}}},
    {"fake", "fake:0", 2, 30, {{"PATCHBAY_PLUGINS", "fake"}}},
    {"opencl", "opencl:0", 1, 30, {{"PATCHBAY_PLUGINS", "opencl"}}},
    {"opencl_that_compiles", "opencl:0", 1, 5, {{"PATCHBAY_PLUGINS", "opencl"}}, true},
    {"simulated_cuda",
     "cuda:0",
     2,
     30,
     {{"PATCHBAY_PLUGINS", "cuda-cublas"},
      {"PATCHBAY_SIM_AFTER_END", "1"},
      {"PATCHBAY_CUDA_LIBRARY", simulated_library("cuda")},
      {"PATCHBAY_CUDA_RTC_LIBRARY", simulated_library("nvrtc")},
      {"PATCHBAY_CUDA_BLAS_LIBRARY", simulated_library("cublas")},
      {"PATCHBAY_CUDA_BLAS_LT_LIBRARY", simulated_library("cublaslt")},
      {"PATCHBAY_CUDA_DNN_LIBRARY", simulated_library("cudnn")}}},
    {"simulated_hip",
     "hip:0",
     2,
     30,
     {{"PATCHBAY_PLUGINS", "hip"},
      {"PATCHBAY_SIM_AFTER_END", "1"},
      {"PATCHBAY_HIP_LIBRARY", simulated_library("hip")},
      {"PATCHBAY_HIP_RTC_LIBRARY", simulated_library("hiprtc")},
      {"PATCHBAY_HIP_COMGR_LIBRARY", simulated_library("hiprtc")},
      {"PATCHBAY_HIP_BLAS_LIBRARY", simulated_library("rocblas")}}},
};

class Exit : public testing::TestWithParam<std::tuple<const ExitCase*, const char*, const char*>> {
 protected:
  const ExitCase& place() const { return *std::get<0>(GetParam()); }
  examples::ProcessResult run(const char* device) const {
    examples::Environment environment = place().environment;
    environment["PATCHBAY_PLUGIN_PATH"] = test_plugin_folder();
    if (std::getenv("PATCHBAY_TEST_HARDWARE") != nullptr) {
      std::erase_if(environment,
                    [](const auto& variable) { return variable.first.ends_with("_LIBRARY"); });
    }
    std::vector<std::string> command = {EXIT_PROGRAM, device, std::get<1>(GetParam()),
                                        std::get<2>(GetParam())};
    const patchbay::test::ScratchDirectory caches;
    if (place().is_cold) {
      command.emplace_back("cold");
      environment["POCL_CACHE_DIR"] = caches.folder("pocl");
      environment["PATCHBAY_CACHE_DIR"] = caches.folder("patchbay");
    }
    return examples::run_process(command, environment);
  }
};

std::vector<const ExitCase*> all_places() {
  std::vector<const ExitCase*> places;
  for (const ExitCase& place : kExitCases) places.push_back(&place);
  return places;
}

INSTANTIATE_TEST_SUITE_P(All, Exit,
                         testing::Combine(testing::ValuesIn(all_places()),
                                          testing::Values("return", "exit", "thread", "callback",
                                                          "static", "local"),
                                          testing::Values("default", "own")),
                         [](const auto& each) {
                           return std::string(std::get<0>(each.param)->name) + "_" +
                                  std::get<1>(each.param) + "_" + std::get<2>(each.param);
                         });

TEST_P(Exit, GivesTheProgramsOwnStatus) {
  const bool runs_all = std::getenv("PATCHBAY_TEST_ALL") != nullptr;
  if (place().is_cold && !runs_all && std::string_view(std::get<2>(GetParam())) == "own") {
    GTEST_SKIP() << "compiles for seconds: PATCHBAY_TEST_ALL=1 runs it";
  }
  const int runs = runs_all ? place().many : place().few;
  for (int i = 0; i < runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const examples::ProcessResult result = run(place().device);
    if (result.errors.find("no-driver") != std::string::npos ||
        result.errors.find("no-device") != std::string::npos ||
        result.errors.find("does not exist") != std::string::npos) {
      GTEST_SKIP() << result.errors;
    }
    ASSERT_EQ(result.status, 7) << "run " << i << ": " << result.errors;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(10));
  }
}

/// All that is told of the end shares one deadline, however often it is told.
TEST(ExitOfAHungDevice, TakesOneDeadline) {
  examples::ProcessResult result;
  const bool is_short = returns_within(std::chrono::seconds(25), [&result] {
    result = examples::run_process(
        {EXIT_PROGRAM, "opencl:0", "hung", "default"},
        {{"PATCHBAY_PLUGINS", "opencl"}, {"PATCHBAY_PLUGIN_PATH", test_plugin_folder()}});
  });
  if (result.errors.find("no-driver") != std::string::npos ||
      result.errors.find("no-device") != std::string::npos ||
      result.errors.find("does not exist") != std::string::npos) {
    GTEST_SKIP() << result.errors;
  }
  EXPECT_EQ(result.status, 7) << result.errors;
  EXPECT_TRUE(is_short);
}

}  // namespace
