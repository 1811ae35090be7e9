// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Values and messages of the examples, never their times.
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tests/programs.h"

namespace examples {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What the example `kernels` computed when it was written, on the CPU.
constexpr const char* kFingerprints[] = {"3f57f20c83899c4e", "b5620867a2987f97",
                                         "b607b68f1de34dda"};

class Examples : public OnSetting {
 protected:
  std::string run(const std::string& name, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.end(), {"--device", GetParam().device});
    return output_of(name, arguments, GetParam().environment);
  }
};

TEST_P(Examples, Chapter) {
  const std::string device = GetParam().device;
  const std::string output = run("chapter");
  EXPECT_THAT(output, HasSubstr("x is on " + device + ", x + x is on " + device + "\n"));
  EXPECT_THAT(output, HasSubstr("to " + device + ": 0 bytes copied; "));
  EXPECT_THAT(output, Not(HasSubstr("same tensor: false")));
  EXPECT_THAT(output, HasSubstr("weight [3, 2] on " + device + ", bias [2] on " + device));
  EXPECT_THAT(output,
              HasSubstr("output:\n[[4.0, 4.0],\n [8.5, 8.5]]\nf32 [2, 2] on " + device + "\n"));
  if (device == "cpu:0") {
    EXPECT_THAT(output, HasSubstr("one device only"));
  } else {
    EXPECT_THAT(output, HasSubstr("refused (device_mismatch): [add]"));
    EXPECT_THAT(output, HasSubstr("to cpu:0: 24 bytes copied; to cpu:0 again: 0 bytes, "));
  }
}

TEST_P(Examples, Gradients) {
  const std::string output = run("gradients", {"--steps", "50"});
  EXPECT_THAT(output, HasSubstr("step   0: loss 3."));
  EXPECT_THAT(output, HasSubstr("step  50: loss 0.0000"));
  EXPECT_THAT(output, HasSubstr("y = 3.00 x + -0.50 on " + std::string(GetParam().device)));
}

TEST_P(Examples, Graph) {
  const std::string output = run("graph", {"--steps", "300"});
  EXPECT_THAT(output, HasSubstr("a step: "));
  EXPECT_THAT(output, HasSubstr("step    0: loss "));
  EXPECT_THAT(output, HasSubstr("step  300: loss 0.0"));
}

TEST_P(Examples, Interop) {
  const std::string device = GetParam().device;
  const std::string output = run("interop");
  EXPECT_THAT(output, HasSubstr("the program's own vector: 10 20 30 40\n"));
  EXPECT_THAT(output, HasSubstr("the library finds 16 in a tensor of Patchbay's\n"));
  EXPECT_THAT(output, HasSubstr("summed by Patchbay: 30\nrefused: [fill_] tensor is read-only"));
  EXPECT_THAT(output, HasSubstr("the library has its table back\n"));
  if (device.starts_with("cpu")) {
    EXPECT_THAT(output, HasSubstr("default stream: [native_handle] on CPU devices only memory"));
    EXPECT_THAT(output, HasSubstr("tensor: the driver's memory\n"));
  } else if (device.starts_with("fake")) {
    EXPECT_THAT(output, HasSubstr("tensor: [native_handle] no native handle of this kind"));
  } else {
    EXPECT_THAT(output, HasSubstr("default stream: the driver's stream\ntensor: the driver's "));
  }
}

TEST_P(Examples, Sweep) {
  const std::string output = run("sweep", {"--max", "256"});
  const std::regex row("\n +(\\d+) +[0-9.]+ ms +\\d+ GF/s( +[0-9.]+ ms +\\d+ GF/s +([0-9.e+-]+))?");
  int expected_size = 16;
  for (std::sregex_iterator it(output.begin(), output.end(), row), end; it != end; ++it) {
    EXPECT_EQ(std::stoi((*it)[1]), expected_size);
    expected_size *= 2;
    // Two sums of n products of numbers below 1 in size, in different orders.
    if ((*it)[3].matched) {
      EXPECT_LT(std::stod((*it)[3]), 1e-3);
    }
  }
  EXPECT_EQ(expected_size, 512) << output;
  EXPECT_THAT(output, HasSubstr(GetParam().device == "cpu:0"
                                    ? "no other device to compare with"
                                    : "crossover of cpu:0 and " + GetParam().device + ": "));
}

TEST_P(Examples, Norms) {
  const std::string output = run("norms", {"--count", "30", "--size", "16"});
  EXPECT_THAT(output, HasSubstr("30 products of 16 x 16 matrices on " + GetParam().device));
  EXPECT_THAT(output, HasSubstr("ms, 30 copies to the host"));
  EXPECT_THAT(output, HasSubstr("ms, 1 copy to the host"));
  EXPECT_THAT(output, HasSubstr("equal values: true"));
}

TEST_P(Examples, TwoDevices) {
  std::vector<std::string> arguments{"--size", "96"};
  const bool is_cpu = GetParam().device.starts_with("cpu");
  if (!is_cpu) arguments.insert(arguments.end(), {"--other", "cpu:0"});
  const std::string output = run("two_devices", arguments);
  if (GetParam().device == "cpu:0") {
    EXPECT_THAT(output, HasSubstr("cpu:0 is the only device here"));
    return;
  }
  EXPECT_THAT(output, HasSubstr("at once on " + GetParam().device + " and "));
  std::smatch match;
  ASSERT_TRUE(std::regex_search(output, match, std::regex("largest difference ([0-9.e+-]+)")));
  EXPECT_LT(std::stod(match[1]), 1e-3);
}

TEST_P(Examples, KernelsGiveTheSameBitsOnEachDevice) {
  const std::string output = run("kernels", {"--elements", "5000", "--size", "50"});
  EXPECT_THAT(output, HasSubstr("saxpy(input f32 x, inout f32 y, f32 a, i64 n)\n  5000 values on " +
                                GetParam().device + ", "));
  EXPECT_THAT(output,
              HasSubstr("block_sum(input f32 values, output f32 sums, i64 n)\n  20 values"));
  EXPECT_THAT(output, HasSubstr("tiled_gemm(input f32 a, input f32 b, output f32 c, i32 m, i32 n"));
  for (const char* fingerprint : kFingerprints) {
    EXPECT_THAT(output, HasSubstr(std::string("fingerprint ") + fingerprint));
  }
}

/// Parts in the order of the rows, the rest of the data with fewer.
TEST_P(Examples, DataParallel) {
  const std::string device = GetParam().device;
  const std::string output = output_of(
      "data_parallel", {"--devices", device + ",cpu:0," + device, "--rows", "20", "--batch", "9"},
      GetParam().environment);
  EXPECT_THAT(output, HasSubstr("20 rows in batches of 9, on 3 devices\n"));
  EXPECT_THAT(output, HasSubstr("  part: input [3, 5] on cpu:0, output [3, 2] on cpu:0\n"));
  EXPECT_THAT(output, HasSubstr("  part: input [1, 5] on " + device + ", output [1, 2] on "));
  EXPECT_THAT(output,
              HasSubstr("whole: input [9, 5] on " + device + ", output [9, 2] on " + device));
  EXPECT_THAT(output,
              HasSubstr("whole: input [2, 5] on " + device + ", output [2, 2] on " + device));
}

INSTANTIATE_TEST_SUITE_P(On, Examples, testing::ValuesIn(all_settings()), setting_name);

TEST(ExampleNorms, CountsAThousandCopiesAgainstOne) {
  const std::string output = output_of("norms", {});
  EXPECT_THAT(output, HasSubstr("1000 products of 100 x 100 matrices on cpu:0"));
  EXPECT_THAT(output, HasSubstr("ms, 1000 copies to the host"));
  EXPECT_THAT(output, HasSubstr("ms, 1 copy to the host"));
  EXPECT_THAT(output, HasSubstr("equal values: true"));
}

TEST(ExampleErrors, AreOneLine) {
  expect_failure("chapter", {"--device", "CPU:0"}, 1, "CPU:0");
  expect_failure("chapter", {"--device", "quantum"}, 1, "quantum");
  expect_failure("chapter", {"--device", "cpu:200"}, 1, "cpu:200");
  expect_failure("sweep", {"--max", "0"}, 1, "expected a whole number from 1 to 16384");
  expect_failure("norms", {"--size", "x"}, 1, "expected a whole number from 1 to 4096");
  expect_failure("kernels", {"--size", "0"}, 1, "expected a whole number from 1 to 4096");
  expect_failure("kernels", {"--folder", "/none"}, 1, "/none/saxpy.pbk");
  expect_failure("two_devices", {"--other", "cpu:0"}, 1, "one device twice");
  expect_failure("two_devices", {"--sizes", "5"}, 2, "--sizes");
  expect_failure("norms", {"--count"}, 2, "--count");
}

}  // namespace
}  // namespace examples
