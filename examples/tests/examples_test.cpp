// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Values and messages of the examples, never their times.
#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tests/gzip_files.h"
#include "examples/tests/programs.h"

namespace examples {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// What the example `kernels` computed when it was written, on the CPU.
constexpr const char* kFingerprints[] = {"3f57f20c83899c4e", "b5620867a2987f97",
                                         "b607b68f1de34dda"};

std::string kernel_texts() { return patchbay::test::source_path("examples/kernels"); }

class Examples : public OnSetting {
 protected:
  std::string run(const std::string& name, const std::vector<std::string>& arguments) {
    return output_of(name, arguments, GetParam().environment);
  }
};

TEST_P(Examples, Tour) {
  const std::string device = GetParam().device;
  const std::string output = run("tour", {device});
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

/// Without an mpirun the group is of this process.
TEST_P(Examples, Ranks) {
  const std::string device = GetParam().device;
  EXPECT_EQ(run("ranks", {device, device}), "rank 0 of 2: " + device + "\nrank 1 of 2: " + device +
                                                "\nrank 0 has the sum 3 on " + device +
                                                "\nrank 1 has the sum 3 on " + device + "\n");
}

TEST_P(Examples, Poisson) {
  const TemporaryFolder folder;
  const std::string picture = (folder.path() / "u.svg").string();
  const std::string output = run("poisson", {GetParam().device, "15", picture});
  EXPECT_THAT(output, HasSubstr("15 x 15 points on " + std::string(GetParam().device) +
                                ": u is -0.8496 to 0.8496\n"));
  EXPECT_THAT(output, ContainsRegex("Cholesky differs by [0-9.]+e-0[67], conjugate gradients after "
                                    "[0-9]+ steps by [0-9.]+e-0[567]\n"));
  std::ifstream file(picture);
  std::string line;
  int squares = 0;
  while (std::getline(file, line)) squares += line.starts_with("<rect ") ? 1 : 0;
  EXPECT_EQ(squares, 15 * 15);
}

TEST_P(Examples, Gradients) {
  const std::string output = run("gradients", {GetParam().device, "50"});
  EXPECT_THAT(output, HasSubstr("step   0: loss 3."));
  EXPECT_THAT(output, HasSubstr("step  50: loss 0.0000"));
  EXPECT_THAT(output, HasSubstr("y = 3.00 x + -0.50 on " + std::string(GetParam().device)));
}

TEST_P(Examples, Graph) {
  const std::string output = run("graph", {GetParam().device, "300"});
  EXPECT_THAT(output, HasSubstr("a step: "));
  EXPECT_THAT(output, HasSubstr("step    0: loss "));
  EXPECT_THAT(output, HasSubstr("step  300: loss 0.0"));
}

TEST_P(Examples, Interop) {
  const std::string device = GetParam().device;
  const std::string output = run("interop", {device});
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
  const std::string output = run("sweep", {"256", GetParam().device});
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
  const std::string output = run("norms", {GetParam().device, "30", "16"});
  EXPECT_THAT(output, HasSubstr("30 products of 16 x 16 matrices on " + GetParam().device));
  EXPECT_THAT(output, HasSubstr("ms, 30 copies to the host"));
  EXPECT_THAT(output, HasSubstr("ms, 1 copy to the host"));
  EXPECT_THAT(output, HasSubstr("equal values: true"));
}

TEST_P(Examples, TwoDevices) {
  std::vector<std::string> arguments{"96", GetParam().device};
  if (!GetParam().device.starts_with("cpu")) arguments.emplace_back("cpu:0");
  const std::string output = run("two_devices", arguments);
  if (GetParam().device == "cpu:0") {
    EXPECT_THAT(output, HasSubstr("cpu:0 is the only device: nothing to run at once"));
    return;
  }
  EXPECT_THAT(output, HasSubstr("at once on " + GetParam().device + " and "));
  std::smatch match;
  ASSERT_TRUE(std::regex_search(output, match, std::regex("largest difference ([0-9.e+-]+)")));
  EXPECT_LT(std::stod(match[1]), 1e-3);
}

TEST_P(Examples, KernelsGiveTheSameBitsOnEachDevice) {
  const std::string output = run("kernels", {kernel_texts(), GetParam().device, "5000", "50"});
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
  const std::string output = run("data_parallel", {"20", "9", device, "cpu:0", device});
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

TEST(ExampleTransformer, LearnsItsTextAndWrites) {
  const std::string output = output_of("transformer", {"cpu:0", "150"}, one_cpu().environment);
  EXPECT_THAT(output, HasSubstr(" parameters, "));
  EXPECT_THAT(output, HasSubstr("\nstep    0: loss 3."));
  // Letters by their frequency alone give 2.8.
  EXPECT_THAT(output, ContainsRegex("\nstep  150: loss [01]\\."));
  EXPECT_THAT(output, ContainsRegex("\nA patchbay[ A-Za-z,.]{120}\n$"));
}

/// The server with these requests on its input.
std::string answers_to(const std::string& lines, const Setting& setting) {
  const std::string program = patchbay::test::built_path("bin/server");
  const ProcessResult result = run_process(
      {"/bin/sh", "-c", "printf '" + lines + "' | '" + program + "' " + setting.device + " 3"},
      setting.environment);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  return result.output;
}

TEST_P(Examples, ServerAnswersAllRequestsBeforeItEnds) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "0.1 0.2\\n1.6 -1.5\\n";
  const std::string output = answers_to(lines + "circle\\n0 0", GetParam());
  EXPECT_THAT(output, StartsWith("ready: 3 threads on " + GetParam().device + "\n"));
  for (int i = 1; i <= 199; i += 2) {
    EXPECT_THAT(output, HasSubstr("\n" + std::to_string(i) + ": inside ("));
    EXPECT_THAT(output, HasSubstr("\n" + std::to_string(i + 1) + ": outside ("));
  }
  EXPECT_THAT(output, HasSubstr("\n201: error: expected two numbers\n"));
  EXPECT_THAT(output, HasSubstr("\n202: inside ("));
  EXPECT_TRUE(output.ends_with("\nended: no more input\n")) << output;
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 204) << output;
}

/// The input stays open, so that only the signal can end the server.
TEST(ExampleServer, EndsOnASignalWhenItHasAnswered) {
  const TemporaryFolder folder;
  const std::string script = "cd '" + folder.path().string() + "'; mkfifo requests; '" +
                             patchbay::test::built_path("bin/server") +
                             "' cpu:0 2 < requests > answers & exec 3> requests;"
                             "printf '0 0\\n' >&3; until grep -q 1: answers; do sleep 0.05; done;"
                             "kill -TERM $!; wait $!; echo status $?; cat answers";
  const ProcessResult result = run_process({"/bin/sh", "-c", script}, one_cpu().environment);
  EXPECT_THAT(result.output, ContainsRegex("^status 0\nready: 2 threads on cpu:0\n"
                                           "1: inside \\([01].[0-9]*\\)\nended: by a signal\n$"))
      << result.errors;
}

TEST(ExampleErrors, AreOneLine) {
  expect_failure("tour", {"CPU:0"}, 1, "CPU:0");
  expect_failure("tour", {"quantum"}, 1, "quantum");
  expect_failure("tour", {"cpu:200"}, 1, "cpu:200");
  expect_failure("sweep", {"x"}, 1, "sweep: LARGEST has to be a number from 16");
  expect_failure("norms", {"cpu:0", "x"}, 1, "COUNT and SIZE have to be numbers from 1");
  expect_failure("kernels", {}, 1, "usage: kernels FOLDER");
  expect_failure("poisson", {"cpu:0", "0"}, 1, "POINTS has to be a number from 1 to 60");
  expect_failure("poisson", {"cpu:0", "3", "/none/u.svg"}, 1, "cannot write /none/u.svg");
  expect_failure("kernels", {"/none"}, 1, "/none/saxpy.pbk");
  expect_failure("kernels", {kernel_texts(), "cpu:0", "5", "0"}, 1, "have to be numbers from 1");
  expect_failure("two_devices", {"0"}, 1, "SIZE has to be a number from 1");
  expect_failure("data_parallel", {"5", "-1"}, 1, "ROWS and BATCH have to be numbers from 1");
  expect_failure("server", {"cpu:0", "0"}, 1, "THREADS has to be a number from 1");
}

}  // namespace
}  // namespace examples
