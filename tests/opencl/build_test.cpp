// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Programs that several processes build at the same time.
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "loaders.h"
#include "support/scratch_directory.h"

extern char** environ;

namespace patchbay::opencl_test {
namespace {

namespace fs = std::filesystem;

/// Builds and runs the text, on a loader that takes its time. Only for
/// OneProgramIsBuiltByOneAtATime.
TEST(OpenclBuild, DISABLED_InAProcessOfItsOwn) {
  const char* const file = getenv("LYING_ICD_FILE");
  ASSERT_NE(file, nullptr);
  const Device device =
      runtime_on("icd_lying", {{"cache_dir", std::string(file) + ".cache"}}).device("opencl");
  const Tensor x = from_host(std::vector<float>(4), {4}, device);
  KernelModule::from_source(device, kText).kernel("f").launch({.group_size = {4}}, {x});
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(4, 7));
}

pid_t start_worker() {
  const char* const arguments[] = {"opencl_test", "--gtest_also_run_disabled_tests",
                                   "--gtest_filter=OpenclBuild.DISABLED_InAProcessOfItsOwn",
                                   nullptr};
  pid_t child = -1;
  EXPECT_EQ(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr,
                        const_cast<char* const*>(arguments), environ),
            0);
  return child;
}

/// PoCL replaces the files of a program by removing them first, for all processes.
TEST(OpenclBuild, OneProgramIsBuiltByOneAtATime) {
  PATCHBAY_NEED_OPENCL(runtime_on(""));
  const test::ScratchDirectory scratch;
  const fs::path folder = scratch.path(), file = folder / "building";
  setenv("LYING_ICD", "slow-build", 1);
  setenv("LYING_ICD_FILE", file.c_str(), 1);
  setenv("POCL_CACHE_DIR", folder.c_str(), 1);
  std::vector<pid_t> workers;
  for (int i = 0; i < 4; ++i) workers.push_back(start_worker());
  for (const pid_t worker : workers) {
    int status = -1;
    EXPECT_EQ(waitpid(worker, &status, 0), worker);
    EXPECT_EQ(status, 0);
  }
  EXPECT_FALSE(fs::exists(file.string() + ".met")) << "two processes were building at once";
}

/// A build that takes 100 ms, by a loader that takes its time, is told at level info.
TEST(OpenclBuild, IsLoggedIfItTakesLong) {
  PATCHBAY_NEED_OPENCL(runtime_on(""));
  const test::ScratchDirectory scratch;
  const std::string name = scratch.path();
  setenv("LYING_ICD", "slow-build", 1);
  setenv("LYING_ICD_FILE", (fs::path(name) / "building").c_str(), 1);
  std::vector<std::string> lines;
  {
    RuntimeOptions options;
    options.read_environment = false;
    options.settings["opencl_library"] = PATCHBAY_TEST_ICD_DIR "/icd_lying.so";
    options.settings["cache_dir"] = name + "/cache";
    options.settings["log"] = "info";
    options.log = [&](LogLevel level, std::string_view line) {
      if (level == LogLevel::kInfo && line.find("prepared") != std::string_view::npos) {
        lines.emplace_back(line);
      }
    };
    const Device device = Runtime(options).device("opencl");
    const Tensor x = from_host(std::vector<float>(4), {4}, device);
    static_cast<void>(exp(x));
    static_cast<void>(exp(x));
    KernelModule::from_source(device, kText, {.name = "seven.pbk"})
        .kernel("f")
        .launch({.group_size = {4}}, {x});
  }
  ASSERT_EQ(lines.size(), 2u) << "one for each text, none for a kernel that is prepared already";
  EXPECT_THAT(lines[0], testing::ContainsRegex(
                            "^opencl:0: prepared exp\\.1\\(f32, f32\\) in [0-9]+\\.[0-9]+ s$"));
  EXPECT_THAT(lines[1],
              testing::ContainsRegex("^opencl:0: prepared seven\\.pbk in [0-9]+\\.[0-9]+ s$"));
}

/// What was kept of a program is taken for that program alone, and only if it is whole.
TEST(OpenclBuild, DamagedAndExchangedProgramsAreBuiltAgain) {
  PATCHBAY_NEED_OPENCL(runtime_on(""));
  const test::ScratchDirectory scratch;
  const std::string name = scratch.path();
  const auto run = [&](const std::string& number) {
    const Device device = runtime_on("", {{"cache_dir", name + "/cache"}}).device("opencl");
    const Tensor x = from_host(std::vector<float>(1), {1}, device);
    KernelModule::from_source(x.device(), "PATCHBAY_KERNEL(f" + number +
                                              ")(PATCHBAY_OUTPUT(f32, x)) {\n"
                                              "  PATCHBAY_BIND(f32, x);\n  x[0] = " +
                                              number + ".0f;\n}\n")
        .kernel("f" + number)
        .launch({}, {x});
    EXPECT_EQ(x.item<float>(), std::stof(number));
  };
  run("1");
  run("2");
  std::vector<fs::path> kept;
  for (const auto& entry : fs::directory_iterator(name + "/cache")) kept.push_back(entry.path());
  ASSERT_EQ(kept.size(), 2u);
  fs::rename(kept[0], name + "/first");
  fs::rename(kept[1], kept[0]);
  fs::rename(name + "/first", kept[1]);
  run("1");
  run("2");
  for (const fs::path& path : kept) fs::resize_file(path, fs::file_size(path) / 2);
  run("1");
  run("2");
  // One with a hole, as large as a disk, beside what a killed process left.
  const fs::path left = name + "/cache/.opencl-2-killed.1.0";
  std::ofstream(left) << "half";
  for (const fs::path& path : kept) fs::resize_file(path, std::uintmax_t{1} << 40);
  run("1");
  run("2");
  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace patchbay::opencl_test
