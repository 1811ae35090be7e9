// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The kernel executor below the CPU plugin: compiler, errors, cache directory.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "kernels/kernels.h"
#include "unit/cpu_runtime.h"

namespace patchbay::test {
namespace {

namespace fs = std::filesystem;

/// Gone with the object.
struct TemporaryDirectory {
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "patchbay-kernels-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary directory " << name;
    path = name;
  }
  ~TemporaryDirectory() { fs::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  fs::path path;
};

class KernelExecutorTest : public testing::Test {
 protected:
  /// cpu:0 of a runtime whose cache is this test's own.
  Device device(std::map<std::string, std::string> settings = {}) const {
    settings.try_emplace("cache_dir", cache().string());
    return cpu_runtime(std::move(settings)).device("cpu:0");
  }
  fs::path cache() const { return directory_.path / "cache"; }
  std::vector<fs::path> kept() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(cache() / "kernels")) {
      files.push_back(entry.path());
    }
    return files;
  }
  static void expect_scales(const Device& device) {
    const Tensor x = from_host(values(10), {10}, device), y = empty({10}, device);
    KernelModule::from_source(device, kScale)
        .kernel("scale")
        .launch({.group_size = {16}}, {x, y, -1, 10});
    Floats expected = values(10);
    for (float& value : expected) value = -value;
    EXPECT_EQ(y.to_vector<float>(), expected);
  }
  /// A stand-in for a compiler.
  std::string script(const std::string& body) const {
    const fs::path path = directory_.path / "compiler";
    std::ofstream(path) << "#!/bin/sh\n" << body;
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }

  const TemporaryDirectory directory_;
};

TEST_F(KernelExecutorTest, DamagedLibrariesAreMadeAgain) {
  expect_scales(device());
  const std::vector<fs::path> made = kept();
  ASSERT_EQ(made.size(), 1u);
  const std::uintmax_t whole = fs::file_size(made[0]);
  for (const std::uintmax_t size : {std::uintmax_t{0}, std::uintmax_t{1000}, whole - 1}) {
    fs::resize_file(made[0], size);
    expect_scales(device());
    EXPECT_EQ(fs::file_size(made[0]), whole) << size;
  }
}

TEST_F(KernelExecutorTest, WhatACompilerLeavesUndoneIsNotKept) {
  // As if it had been killed, and nobody could tell.
  const std::string half = script(
      "c++ \"$@\" || exit 1\n"
      "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && truncate -s 1000 \"$2\"; shift; done\n"
      "exit 0\n");
  const Error error = error_of([&] {
    static_cast<void>(KernelModule::from_source(device({{"kernel_compiler", half}}), kScale));
  });
  EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kBuildFailed)) << error.what();
  EXPECT_TRUE(kept().empty());
}

TEST_F(KernelExecutorTest, APluginIsNotUnloadedWhileItCompiles) {
  const std::string slow = script("sleep 1; exec c++ \"$@\"\n");
  Runtime runtime = cpu_runtime({{"kernel_compiler", slow}, {"cache_dir", cache().string()}});
  const Device here = runtime.device("cpu:0");
  static_cast<void>(zeros({1}, here));  // opens it
  std::thread compiling([&] { static_cast<void>(KernelModule::from_source(here, kScale)); });
  // Once something holds the device it does until the compiler is through.
  Error refused(ErrorCode::kInternal, "none");
  while (std::string(refused.what()).find("kernel module") == std::string::npos) {
    if (!fs::exists(cache() / "kernels")) continue;
    refused = error_of([&] { runtime.unload("cpu-openblas"); });
  }
  EXPECT_EQ(to_string(refused.code()), to_string(ErrorCode::kInUse));
  compiling.join();
}

TEST_F(KernelExecutorTest, AMissingCompilerIsNamedWithTheWayOut) {
  const auto missing = device({{"kernel_compiler", "/no/such/c++"}});
  EXPECT_ERROR(static_cast<void>(KernelModule::from_source(missing, kScale)),
               ErrorCode::kUnsupported,
               "[KernelModule] kernels need a C++ compiler at run time: expected '/no/such/c++', "
               "got no such program. Install one (g++ or clang), or name it by the setting "
               "kernel_compiler (PATCHBAY_KERNEL_COMPILER).");
  EXPECT_ERROR(static_cast<void>(
                   KernelModule::from_source(device({{"kernel_compiler", "no-such-c++"}}), kScale)),
               ErrorCode::kUnsupported, "expected 'no-such-c++' on PATH");
  // Everything else works without one.
  EXPECT_EQ((ones({2}, missing) + 1).to_vector<float>(), (Floats{2, 2}));
}

TEST_F(KernelExecutorTest, BuildErrorsHaveTheLinesOfTheText) {
  const Error error = error_of([&] {
    static_cast<void>(KernelModule::from_source(
        device(), "// one\nPATCHBAY_KERNEL(f)() {\n  i32 x = 1;\n  y = x;\n}\n",
        {.name = "my \"text\".pbk"}));
  });
  EXPECT_EQ(to_string(error.code()), "build_failed");
  const std::string what = error.what();
  EXPECT_EQ(what.rfind("[KernelModule] the kernel text does not compile", 0), 0U) << what;
  EXPECT_NE(what.find("my _text_.pbk:4:3: error: 'y' was not declared"), std::string::npos) << what;
  EXPECT_TRUE(kept().empty());
}

TEST_F(KernelExecutorTest, MistakesThatOtherDialectsWouldFindAreFoundHere) {
  const auto expect_refused = [&](const char* body) {
    SCOPED_TRACE(body);
    const std::string text =
        "PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y)) {" +
        std::string(body) + "}";
    const Error error =
        error_of([&] { static_cast<void>(KernelModule::from_source(device(), text)); });
    EXPECT_EQ(to_string(error.code()), "build_failed");
  };
  expect_refused("PATCHBAY_BIND(f32, y); y[0] = sqrtf(2.0f);");
  expect_refused(
      "PATCHBAY_BIND(f32, y); f32 big[20000]; for (i32 i = 0; i < 20000; ++i) "
      "big[(i * 7) % 20000] = y[i]; for (i32 i = 0; i < 20000; ++i) y[i] = big[i];");
}

TEST_F(KernelExecutorTest, LibrariesAreKeptInAPrivateDirectory) {
  expect_scales(device());
  struct stat info {};
  ASSERT_EQ(stat((cache() / "kernels").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
  ASSERT_EQ(kept().size(), 1U);
  EXPECT_EQ(kept()[0].extension(), ".so");
  // The next process needs no compiler for it, only its name.
  const auto written = fs::last_write_time(kept()[0]);
  expect_scales(device());
  EXPECT_EQ(fs::last_write_time(kept()[0]), written);
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(KernelExecutorTest, ADirectoryThatOthersMayWriteToIsRefused) {
  expect_scales(device());
  fs::permissions(cache() / "kernels", fs::perms::others_write, fs::perm_options::add);
  EXPECT_ERROR(static_cast<void>(KernelModule::from_source(device(), kScale)),
               ErrorCode::kInvalidArgument,
               "may be written by others: expected mode 0700, got 0702");
  fs::permissions(cache() / "kernels", fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(cache(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_ERROR(static_cast<void>(KernelModule::from_source(device(), kScale)),
               ErrorCode::kInvalidArgument, "may be written by others");
}

TEST_F(KernelExecutorTest, ADirectoryThatIsNoneIsRefused) {
  std::ofstream(directory_.path / "file") << "x";
  EXPECT_ERROR(static_cast<void>(KernelModule::from_source(
                   device({{"cache_dir", (directory_.path / "file").string()}}), kScale)),
               ErrorCode::kInvalidArgument, "can't be made");
  EXPECT_ERROR(
      static_cast<void>(KernelModule::from_source(device({{"cache_dir", "relative"}}), kScale)),
      ErrorCode::kInvalidArgument, "is not absolute");
  fs::create_directory(directory_.path / "real");
  fs::create_directory_symlink(directory_.path / "real", cache());
  EXPECT_ERROR(static_cast<void>(KernelModule::from_source(device(), kScale)),
               ErrorCode::kInvalidArgument, "expected a folder, got something else");
}

TEST_F(KernelExecutorTest, ALibraryThatOthersMayWriteToIsMadeAnew) {
  expect_scales(device());
  const fs::path library = kept().at(0);
  std::ofstream(library) << "not a library";
  fs::permissions(library, fs::perms::others_write, fs::perm_options::add);
  expect_scales(device());
  fs::remove(library);
  fs::create_symlink("/etc/passwd", library);
  expect_scales(device());
}

TEST_F(KernelExecutorTest, ACompilerThatFailsOrLiesLeavesNothing) {
  const auto failing = device({{"kernel_compiler", script("echo 'no licence' >&2; exit 3")}});
  const Error error =
      error_of([&] { static_cast<void>(KernelModule::from_source(failing, kScale)); });
  EXPECT_EQ(to_string(error.code()), "build_failed");
  EXPECT_NE(std::string(error.what()).find("no licence"), std::string::npos) << error.what();
  const auto lying = device({{"kernel_compiler", script("exit 0")}});
  EXPECT_EQ(to_string(error_of([&] {
                        static_cast<void>(KernelModule::from_source(lying, kScale));
                      }).code()),
            "build_failed");
  EXPECT_TRUE(kept().empty());
}

TEST_F(KernelExecutorTest, ManyRuntimesMayCompileOneTextAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back([this] { expect_scales(device()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(KernelExecutorTest, OtherTextsAreOtherLibraries) {
  const Device cpu = device();
  static_cast<void>(KernelModule::from_source(cpu, kScale));
  static_cast<void>(KernelModule::from_source(cpu, std::string(kScale) + " "));
  EXPECT_EQ(kept().size(), 2U);
}

TEST_F(KernelExecutorTest, LargeGridsAreSharedByTheThreads) {
  const Device cpu = device({{"cpu_threads", "4"}});
  const std::int64_t n = 3'000'001;
  const Tensor x = from_host(values(n), {n}, cpu), y = empty({n}, cpu);
  KernelModule::from_source(cpu, kScale)
      .kernel("scale")
      .launch({.groups = {(n + 255) / 256}, .group_size = {256}}, {x, y, 2, n});
  EXPECT_EQ(y.to_vector<float>(), (x * 2).to_vector<float>());
}

}  // namespace
}  // namespace patchbay::test
