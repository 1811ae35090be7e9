// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Surroundings in which PoCL ends the process that asks it to compile a kernel. Each case is a
// process of its own, which ends with status 0 if it got the error that it expects.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <vector>

#include "loaders.h"
#include "support/private_mounts.h"
#include "support/scratch_directory.h"

namespace patchbay::opencl_test {
namespace {

namespace fs = std::filesystem;

/// Neither the library nor PoCL knows a kernel yet.
Device fresh_device(const fs::path& folder) {
  fs::create_directories(folder / "pocl");
  setenv("POCL_CACHE_DIR", (folder / "pocl").c_str(), 1);
  static const Runtime runtime = runtime_on("", {{"cache_dir", folder / "library"}});
  return runtime.device("opencl");
}

/// Ends the process, and leaves nothing of the folder, on which a disk may be mounted.
[[noreturn]] void finish(const fs::path& folder, int status) {
  std::error_code ignored;
  umount2((folder / "pocl").c_str(), MNT_DETACH);
  umount2(folder.c_str(), MNT_DETACH);
  fs::remove_all(folder, ignored);
  std::exit(status);
}

void print_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    std::cerr << to_string(error.code()) << ": " << error.what() << '\n';
    return;
  }
  std::exit(5);
}

/// Breaks something, and builds a kernel; the same on a kernel that was built, for groups of a new
/// size, after which it works again with what was mended.
[[noreturn]] void fail_and_recover(const fs::path& folder, const std::function<void()>& spoil,
                                   const std::function<void()>& mend) {
  const Device device = fresh_device(folder);
  const Tensor x = from_host(std::vector<float>(4), {4}, device);
  spoil();
  print_error([&] { (void)KernelModule::from_source(device, kText); });
  mend();
  const ModuleKernel kernel = KernelModule::from_source(device, kText).kernel("f");
  kernel.launch({.group_size = {4}}, {x});
  device.default_stream().synchronize();
  spoil();
  kernel.launch({.group_size = {4}}, {x});  // that PoCL has
  print_error([&] { kernel.launch({.groups = {2}, .group_size = {2}}, {x}); });
  mend();
  kernel.launch({.groups = {2}, .group_size = {2}}, {x});
  finish(folder, x.to_vector<float>() == std::vector<float>(4, 7) ? 0 : 4);
}

class OpenclPocl : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists("/etc/OpenCL/vendors/pocl.icd")) GTEST_SKIP() << "no PoCL here";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  void expect_recovery(const std::function<void()>& spoil, const std::function<void()>& mend,
                       const std::string& errors) const {
    EXPECT_EXIT(fail_and_recover(scratch_.path(), spoil, mend), testing::ExitedWithCode(0), errors);
  }
  /// With PoCL's folder on a disk of 16 MiB: spoil(folder) breaks it, mend(folder) mends it.
  template <class Spoil, class Mend>
  void expect_recovery_of_disk(const Spoil& spoil, const Mend& mend,
                               const std::string& errors) const {
    const auto run = [&] {
      if (!test::leave_mounts()) std::exit(2);
      const fs::path folder = scratch_.path() / "pocl";
      fs::create_directories(folder);
      const test::SmallDisk disk(folder, 4096);
      if (!disk.is_mounted()) std::exit(3);
      fail_and_recover(
          scratch_.path(), [&] { spoil(folder); }, [&] { mend(folder); });
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), errors);
  }
  static void limit(__rlimit_resource resource, rlim_t most) {
    rlimit limits{};
    getrlimit(resource, &limits);
    limits.rlim_cur = most;
    setrlimit(resource, &limits);
  }

  const test::ScratchDirectory scratch_;
};

TEST_F(OpenclPocl, NoLinkerOnThePath) {
  const std::string path = getenv("PATH");
  expect_recovery([] { unsetenv("PATH"); }, [&] { setenv("PATH", path.c_str(), 1); },
                  "unsupported: .*PoCL needs a linker at run time: PATH is not set. Install one "
                  "\\(binutils\\), or add its directory to PATH. \\(opencl:0\\)\n"
                  "unsupported: .*PATH is not set");
  expect_recovery([] { setenv("PATH", "/nonexistent::/tmp", 1); },
                  [&] { setenv("PATH", path.c_str(), 1); }, "there is no 'ld' on PATH");
}

/// PoCL's linker, and the compiler of rusticl, look there.
TEST_F(OpenclPocl, FilesInTheWorkingDirectory) {
  fs::current_path(scratch_.folder("here"));
  for (const char* name : {"libgcc_s.so.1", "libm.so.6", "opencl-c-base.h"}) {
    expect_recovery([&] { std::ofstream(name) << "garbage"; }, [&] { fs::remove(name); },
                    std::string("launch_failed: .*the OpenCL compiler would take '") + name +
                        "' from the working directory \\(.*here\\). Remove it, or change to "
                        "another directory before a kernel is compiled.");
  }
  fs::create_directories("relative");
  std::ofstream("relative/ld") << "garbage";
  const std::string path = getenv("PATH");
  expect_recovery([&] { setenv("PATH", ("relative:" + path).c_str(), 1); },
                  [&] { setenv("PATH", path.c_str(), 1); },
                  "'relative/ld' from the working directory by the variable PATH");
  // The dynamic linker, for the programs that PoCL starts.
  std::ofstream("relative/libz.so.1") << "garbage";
  const auto expect_refused = [&](const char* variable, const char* value, const char* file) {
    expect_recovery([=] { setenv(variable, value, 1); }, [=] { unsetenv(variable); },
                    std::string("would take '") + file +
                        "' from the working directory by the variable " + variable);
  };
  expect_refused("LD_LIBRARY_PATH", "/opt/lib:relative", "relative/libz.so.1");
  expect_refused("LD_LIBRARY_PATH", "/opt/lib;./relative/", "./relative/libz.so.1");
  expect_refused("LD_PRELOAD", "relative/libz.so.1", "relative/libz.so.1");
  expect_refused("LD_AUDIT", "/opt/x.so:./relative/libz.so.1", "./relative/libz.so.1");
  std::ofstream("libz.so.1") << "garbage";
  expect_refused("LD_LIBRARY_PATH", "/opt/lib:", "libz.so.1");
  fs::remove("libz.so.1");
  fs::current_path("/");
}

TEST_F(OpenclPocl, ChildrenAreIgnored) {
  expect_recovery([] { signal(SIGCHLD, SIG_IGN); }, [] { signal(SIGCHLD, SIG_DFL); },
                  "launch_failed: .*PoCL can't wait for its linker: expected that the process does "
                  "not ignore SIGCHLD, got SIG_IGN or SA_NOCLDWAIT. Set SIGCHLD to SIG_DFL before "
                  "a kernel is compiled. \\(opencl:0\\)\nlaunch_failed: .*SIGCHLD");
}

TEST_F(OpenclPocl, FewFileDescriptors) {
  expect_recovery(
      [] { limit(RLIMIT_NOFILE, 14); }, [] { limit(RLIMIT_NOFILE, 64); },
      "launch_failed: .*too few file descriptors are free for PoCL's compiler: expected 16, got "
      "[0-9]+ \\(Too many open files\\). Close files, or raise the limit \\(ulimit -n\\). "
      "\\(opencl:0, driver code 24\\)\nlaunch_failed: .*too few");
}

TEST_F(OpenclPocl, SmallFilesOnly) {
  expect_recovery([] { limit(RLIMIT_FSIZE, 10240); }, [] { limit(RLIMIT_FSIZE, RLIM_INFINITY); },
                  "room for a file of 512 KiB, got the error 'File too large'");
}

TEST_F(OpenclPocl, FullDisk) {
  if (!test::may_mount()) GTEST_SKIP() << "this user may not mount a disk";
  const auto fill = [](const fs::path& folder) {
    const int file = open((folder / "filler").c_str(), O_WRONLY | O_CREAT, S_IRUSR | S_IWUSR);
    const std::vector<char> page(4096);
    while (write(file, page.data(), page.size()) > 0) {
    }
    close(file);
  };
  expect_recovery_of_disk(
      fill, [](const fs::path& folder) { fs::remove(folder / "filler"); },
      "io: .*PoCL can't compile in its cache directory '.*/pocl': expected room for a file of 512 "
      "KiB, got the error 'No space left on device'. Provide that, or set POCL_CACHE_DIR to a "
      "directory that has it. \\(opencl:0, driver code 28\\)\n"
      "io: .*No space left on device");
}

TEST_F(OpenclPocl, DiskThatHoldsNoProgramsOrIsReadOnly) {
  if (!test::may_mount()) GTEST_SKIP() << "this user may not mount a disk";
  const auto remount = [](unsigned long flags) {
    return [flags](const fs::path& folder) {
      if (mount("none", folder.c_str(), "tmpfs", MS_REMOUNT | flags, nullptr) != 0) std::exit(3);
    };
  };
  expect_recovery_of_disk(
      remount(MS_RDONLY), remount(0),
      "io: .*expected that files can be made there, got the error 'Read-only file system'");
  expect_recovery_of_disk(
      remount(MS_NOEXEC), remount(0),
      "unsupported: .*expected a file system that may hold programs, got one mounted with noexec");
}

/// Why there is no device, where PoCL has an empty or read-only folder for its files.
[[noreturn]] void list_devices(const fs::path& folder) {
  const PluginInfo info = plugin_info(runtime_on(""));
  std::cerr << to_string(info.status) << ": " << info.reason << '\n';
  finish(folder, info.devices.empty() ? 0 : 4);
}

TEST_F(OpenclPocl, CacheDirectoryThatCantBeWritten) {
  if (!test::may_mount()) GTEST_SKIP() << "this user may not mount a disk";
  const auto run = [&](const char* variable, const char* below) {
    if (!test::leave_mounts()) std::exit(2);
    const test::SmallDisk disk(scratch_.path(), 4);
    if (mount("none", scratch_.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      std::exit(3);
    }
    for (const char* name : {"POCL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
    setenv(variable, (scratch_.path() / below).c_str(), 1);
    list_devices(scratch_.path());
  };
  const char* const reason =
      "no-device: platform 'Portable Computing Language' has no device: it can't write its cache "
      "directory '.*' \\(Read-only file system at '.*'\\). Set POCL_CACHE_DIR to a directory that "
      "can be written";
  EXPECT_EXIT(run("HOME", "."), testing::ExitedWithCode(0), reason);
  EXPECT_EXIT(run("XDG_CACHE_HOME", "none/such"), testing::ExitedWithCode(0), reason);
  EXPECT_EXIT(run("POCL_CACHE_DIR", "none"), testing::ExitedWithCode(0), reason);
}

TEST_F(OpenclPocl, CacheDirectoryWithoutAName) {
  const auto run = [&] {
    setenv("POCL_CACHE_DIR", "", 1);
    list_devices(scratch_.path());
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0),
              "no-device: the variable POCL_CACHE_DIR is empty, upon which PoCL would end the "
              "process: unset it, or name a directory");
}

}  // namespace
}  // namespace patchbay::opencl_test
