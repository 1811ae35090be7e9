// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A program with raised privileges obeys nothing that its caller says. Each test first sees that
// the same program without them does.
#include <gtest/gtest.h>

#include "stage.h"
#include "support/paths.h"

namespace patchbay::privileges_test {
namespace {

namespace fs = std::filesystem;
using test::contains;

class Privileges : public testing::Test {
 protected:
  void SetUp() override {
    static const std::string absence = why_no_raised_privileges();
    if (!absence.empty()) GTEST_SKIP() << absence;
    callers_ = stage_.folder("callers", kCaller);
    trace_ = callers_ / "trace";
    variables_ = {"PATH=/usr/bin:/bin", "PATCHBAY_TEST_TRACE=" + trace_.string()};
  }

  std::string run_plain(const Words& arguments) {
    return stage_.run(plain_probe(stage_), arguments, variables_);
  }
  std::string run_raised(const Words& arguments) {
    return stage_.run(raised_probe(stage_), arguments, variables_);
  }
  void set(const std::string& name, const fs::path& value) {
    variables_.push_back(name + "=" + value.string());
  }
  /// What lies in the folder that the caller's variables name.
  std::string callers_files() const {
    std::string names;
    for (const auto& entry : fs::recursive_directory_iterator(callers_)) {
      names += entry.path().string() + "\n";
    }
    return names;
  }

  const Stage stage_;
  fs::path callers_, trace_;
  Words variables_;
};

TEST_F(Privileges, VariablesAreIgnoredAndNamedInTheLog) {
  set("PATCHBAY_CPU_DEVICES", "2");
  set("PATCHBAY_LOG", "debug:" + (callers_ / "log").string());
  set("PATCHBAY_TRACE", callers_ / "trace.json");
  set("HOME", callers_);
  EXPECT_HAS(run_plain({}), "plugin: cpu-openblas loaded: 2 devices");
  EXPECT_TRUE(fs::exists(callers_ / "log"));
  EXPECT_TRUE(fs::exists(callers_ / "trace.json"));
  fs::remove_all(stage_ / "callers");
  stage_.folder("callers", kCaller);

  const std::string text = run_raised({});
  EXPECT_HAS(text,
             "warning: [Runtime] raised privileges: ignored PATCHBAY_CPU_DEVICES, "
             "PATCHBAY_LOG, PATCHBAY_TEST_TRACE, PATCHBAY_TRACE\n");
  EXPECT_HAS(text, "plugin: cpu-openblas loaded: 1 device\n");
  EXPECT_HAS(text, "sum: 6.0");
  EXPECT_EQ(callers_files(), "");
}

TEST_F(Privileges, PluginsOfTheCallersAreNotLookedFor) {
  stage_.copy(PATCHBAY_TEST_PLAIN_C, "callers/patchbay-plain-c.so", kCaller);
  set("PATCHBAY_PLUGIN_PATH", callers_);
  EXPECT_HAS(run_plain({}), "plugin: plain-c loaded");
  const std::string text = run_raised({});
  EXPECT_FALSE(contains(text, "plain-c")) << text;
  EXPECT_FALSE(contains(text, "directory: " + callers_.string())) << text;
  EXPECT_HAS(text, "sum: 6.0");
}

TEST_F(Privileges, AFileNamedInCodeIsAnErrorOutsideTheLibrarysFolder) {
  const fs::path file = stage_.copy(PATCHBAY_TEST_PLAIN_C, "patchbay-plain-c.so");
  EXPECT_HAS(run_plain({"--file", file.string()}), "plugin: plain-c loaded");
  const fs::path own = fs::path(PATCHBAY_TEST_LIBRARY).parent_path() / "patchbay/plugins";
  const std::string text = run_raised({"--file", file.string()});
  EXPECT_HAS(text, "plugin_failed: [Runtime] plugin '" + file.string() +
                       "' refused: with raised privileges only plugins in " + own.string() +
                       " are opened.\n");
}

TEST_F(Privileges, AFileOfTheLibrarysFolderMayBeNamedInCode) {
  const fs::path own = fs::path(PATCHBAY_TEST_LIBRARY).parent_path() / "patchbay/plugins";
  const std::string text = run_raised({"--file", (own / "patchbay-cpu-openblas.so").string()});
  EXPECT_HAS(text, "plugin: cpu-openblas loaded");
  EXPECT_HAS(text, "sum: 6.0");
}

TEST_F(Privileges, ADirectoryNamedInCodeIsIgnoredAndNamedInTheLog) {
  const fs::path directory = stage_.folder("plugins");
  stage_.copy(PATCHBAY_TEST_PLAIN_C, "plugins/patchbay-plain-c.so");
  EXPECT_HAS(run_plain({"--directory", directory.string()}), "plugin: plain-c loaded");
  const std::string text = run_raised({"--directory", directory.string()});
  EXPECT_HAS(text, "warning: [Runtime] raised privileges: ignored the plugin directory '" +
                       directory.string() + "'\n");
  EXPECT_FALSE(contains(text, "plain-c")) << text;
}

TEST_F(Privileges, ADirectoryIsNotTrusted) {
  const fs::path directory = stage_.folder("shared", kCaller);
  stage_.copy(PATCHBAY_TEST_PLAIN_C, "shared/patchbay-plain-c.so", kCaller);
  fs::permissions(directory, fs::perms::all);
  const Words arguments = {"--directory", directory.string(), "--trust", directory.string()};
  EXPECT_HAS(run_plain(arguments), "plugin: plain-c loaded");
  const std::string text = run_raised(arguments);
  EXPECT_HAS(text, "warning: [Runtime] raised privileges: not trusted is the directory '" +
                       directory.string() + "'\n");
  EXPECT_FALSE(contains(text, "plain-c")) << text;
  EXPECT_HAS(text, "sum: 6.0");
}

/// A server of root's that works as a user for a while could take code of that user's, and keep it
/// when it is root again.
TEST_F(Privileges, ThatAreGivenUpForAWhileAreRaised) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  set("PATCHBAY_CPU_DEVICES", "2");
  const std::string plain = run_plain({});
  EXPECT_HAS(plain, "plugin: cpu-openblas loaded: 2 devices");
  set("LSAN_OPTIONS", "detect_leaks=0");  // it can't look at a process that has changed its user
  const std::string text =
      stage_.run(plain_probe(stage_), {"--drop", std::to_string(kCaller)}, variables_, /*user=*/0);
  EXPECT_HAS(text, "raised: no\n");
  EXPECT_HAS(text, "warning: [Runtime] raised privileges: ignored PATCHBAY_CPU_DEVICES");
  EXPECT_HAS(text, "plugin: cpu-openblas loaded: 1 device\n");
}

TEST_F(Privileges, NoLoaderOfOpenclIsOpened) {
  stage_.copy(PATCHBAY_TEST_TRAITOR, "callers/libtraitor.so", kCaller);
  stage_.write("callers/traitor.icd", (callers_ / "libtraitor.so").string() + "\n", 0644);
  set("OCL_ICD_VENDORS", callers_);
  set("OCL_ICD_FILENAMES", callers_ / "libtraitor.so");
  if (!contains(run_plain({}), "plugin: opencl "))
    GTEST_SKIP() << "this build has no plugin opencl";
  if (!fs::exists(trace_)) GTEST_SKIP() << "no ICD loader here obeys the variables";
  fs::remove(trace_);

  const std::string text = run_raised({});
  EXPECT_HAS(text,
             "plugin: opencl no-driver: this process has raised privileges, and an ICD "
             "loader or a driver of OpenCL opens libraries or writes files at paths from the "
             "caller's variables (OCL_ICD_VENDORS, POCL_CACHE_DIR, HOME)\n");
  EXPECT_FALSE(fs::exists(trace_)) << test::read_text(trace_);
}

TEST_F(Privileges, NoDriverOfACardIsOpened) {
  const std::string library = patchbay::test::simulated_library("cuda");
  const Words arguments = {"--set", "cuda_library=" + library};
  const std::string before = run_plain(arguments);
  if (!contains(before, "plugin: cuda-cublas loaded"))
    GTEST_SKIP() << "no simulated card: " << before;
  const std::string text = run_raised(arguments);
  EXPECT_HAS(text,
             "plugin: cuda-cublas no-driver: this process has raised privileges, and "
             "the driver opens libraries");
}

TEST_F(Privileges, NoVerdictOfTheProbeIsKeptOrTaken) {
  set("HOME", callers_);
  const Words probed = {"--set", "probe=1"};
  EXPECT_HAS(run_plain(probed), "plugin: cpu-openblas loaded");
  const std::string files = callers_files();
  EXPECT_HAS(files, "/.cache/patchbay/probe-");
  const std::string text = run_raised(probed);
  EXPECT_HAS(text, "plugin: cpu-openblas loaded");
  EXPECT_EQ(callers_files(), files);
}

TEST_F(Privileges, NoCompilerIsStarted) {
  // A compiler of the caller's: it leaves a trace and gives up.
  stage_.write("callers/c++", "#!/bin/sh\necho compiler >> " + trace_.string() + "\nexit 1\n",
               0755);
  variables_[0] = "PATH=" + callers_.string() + ":/usr/bin:/bin";
  set("PATCHBAY_KERNEL_COMPILER", callers_ / "c++");
  set("TMPDIR", callers_);
  set("HOME", callers_);
  if (!fs::exists("/usr/bin/c++")) GTEST_SKIP() << "no compiler in /usr/bin";
  run_plain({"--kernel"});
  ASSERT_TRUE(fs::exists(trace_));
  fs::remove(trace_);
  fs::remove_all(callers_ / ".cache");
  const std::string files = callers_files();

  const fs::path cache = stage_.folder("cache", 0, 0700);
  const std::string text = run_raised({"--kernel", "--set", "cache_dir=" + cache.string()});
  EXPECT_HAS(text,
             "unsupported: [KernelModule] kernels need a C++ compiler at run time, and none "
             "is started with raised privileges (of a set-uid program, of file capabilities");
  EXPECT_FALSE(fs::exists(trace_));
  EXPECT_EQ(callers_files(), files);
}

}  // namespace
}  // namespace patchbay::privileges_test
