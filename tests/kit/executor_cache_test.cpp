// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The directory in which the kernel executor keeps what it compiled.
#include <sys/resource.h>
#include <sys/stat.h>

#include <iostream>

#include "kit/executor_fixture.h"
#include "support/private_mounts.h"

namespace patchbay::test {
namespace {

using KernelCacheTest = KernelExecutorTest;

TEST_F(KernelCacheTest, DamagedLibrariesAreMadeAgain) {
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

/// Each damage leaves the header as it was.
TEST_F(KernelCacheTest, EveryByteOfALibraryCounts) {
  expect_scales(device());
  const fs::path library = kept().at(0);
  const std::string whole = read_text(library);
  for (std::size_t at = 64; at < whole.size(); at += whole.size() / 5) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(library, std::ios::binary) << damaged;
    expect_scales(device());
    EXPECT_NE(read_text(library), damaged);
  }
  std::string empty = whole;
  std::fill(empty.begin() + 64, empty.end() - 4096, '\0');
  std::ofstream(library, std::ios::binary) << empty;
  expect_scales(device());
  std::ofstream(library, std::ios::binary) << whole << "more";
  expect_scales(device());
}

TEST_F(KernelCacheTest, ALibraryUnderAnothersNameIsMadeAgain) {
  expect_scales(device());
  const fs::path library = kept().at(0);
  static_cast<void>(KernelModule::from_source(
      device(), "PATCHBAY_KERNEL(other)(PATCHBAY_INOUT(f32, x)) { PATCHBAY_BIND(f32, x); }"));
  for (const fs::path& path : kept()) {
    if (path != library) fs::copy_file(path, library, fs::copy_options::overwrite_existing);
  }
  expect_scales(device());
}

TEST_F(KernelCacheTest, ACompilerThatFindsNoRoomIsNoErrorOfTheText) {
  const std::string full =
      script("echo 'ld: final link failed: No space left on device' >&2; exit 1\n");
  EXPECT_ERROR(KernelModule::from_source(device({{"kernel_compiler", full}}), kScale), kIo,
               "[KernelModule] the disk is full: there is no room for a compiled kernel in '" +
                   (cache() / "kernels").string() + "' (No space left on device). Make room there");
  EXPECT_TRUE(kept().empty());
}

/// The signal's action is the default, which ends the process.
TEST_F(KernelCacheTest, TheLimitOnTheSizeOfFilesIsAnError) {
  const Device cpu = device();
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const Error error = error_of([&] { return KernelModule::from_source(cpu, kScale); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(to_string(error.code()), to_string(kIo)) << error.what();
  EXPECT_TRUE(std::string_view(error.what()).starts_with("[KernelModule] can't write '"))
      << error.what();
  EXPECT_HAS(std::string_view(error.what()), "File too large") << error.what();
  EXPECT_TRUE(kept().empty());
  expect_scales(cpu);
}

TEST_F(KernelCacheTest, WhatACompilerLeavesUndoneIsNotKept) {
  // As if it had been killed, and nobody could tell.
  const std::string half = script(
      "c++ \"$@\" || exit 1\n"
      "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && truncate -s 1000 \"$2\"; shift; done\n"
      "exit 0\n");
  const Error error = error_of([&] {
    return KernelModule::from_source(device({{"kernel_compiler", half}}), kScale);
  });
  EXPECT_EQ(to_string(error.code()), to_string(kBuildFailed)) << error.what();
  EXPECT_TRUE(kept().empty());
}

TEST_F(KernelCacheTest, LibrariesAreKeptInAPrivateDirectory) {
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

TEST_F(KernelCacheTest, ADirectoryThatOthersMayWriteToIsRefused) {
  expect_scales(device());
  fs::permissions(cache() / "kernels", fs::perms::others_write, fs::perm_options::add);
  EXPECT_INVALID(KernelModule::from_source(device(), kScale),
                 "may be written by others: expected mode 0700, got 0702");
  fs::permissions(cache() / "kernels", fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(cache(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_INVALID(KernelModule::from_source(device(), kScale), "may be written by others");
}

TEST_F(KernelCacheTest, ADirectoryThatIsNoneIsRefused) {
  std::ofstream(directory_.path() / "file") << "x";
  EXPECT_INVALID(KernelModule::from_source(
                     device({{"cache_dir", (directory_.path() / "file").string()}}), kScale),
                 "can't be made");
  fs::create_directory(directory_.path() / "real");
  fs::create_directory_symlink(directory_.path() / "real", cache());
  EXPECT_INVALID(KernelModule::from_source(device(), kScale), "is not a folder");
}

TEST_F(KernelCacheTest, ALibraryThatOthersMayWriteToIsMadeAnew) {
  expect_scales(device());
  const fs::path library = kept().at(0);
  std::ofstream(library) << "not a library";
  fs::permissions(library, fs::perms::others_write, fs::perm_options::add);
  expect_scales(device());
  fs::remove(library);
  fs::create_symlink("/etc/passwd", library);
  expect_scales(device());
}

/// Compiles while the folder has so much room. Whether that worked; any other failure than for want
/// of room ends the process.
bool compiles_within(const Device& device, const fs::path& folder, int kib) {
  fs::create_directories(folder);
  const SmallDisk disk(folder, kib);
  if (!disk.is_mounted()) std::exit(2);
  try {
    static_cast<void>(KernelModule::from_source(device, kScale));
    return true;
  } catch (const Error& error) {
    const std::string what = error.what();
    const bool names_it = what.find("[KernelModule] the disk is full: ") == 0 &&
                          what.find(folder.string()) != std::string::npos &&
                          what.find("No space left on device") != std::string::npos;
    if (names_it) return false;
    std::cerr << kib << " KiB: " << what << '\n';
    std::exit(3);
  }
}

TEST_F(KernelCacheTest, AFullDiskIsReportedAsOne) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount a small disk";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fill = [this](const fs::path& folder, std::initializer_list<int> too_small) {
    if (!leave_mounts()) std::exit(2);
    const Device cpu = device();
    for (const int kib : too_small) {
      if (compiles_within(cpu, folder, kib)) std::exit(4);
    }
    std::exit(compiles_within(cpu, folder, 4096) ? 0 : 5);
  };
  // Room for nothing, for a part of the text, for all of it and a part of the library.
  EXPECT_EXIT(fill(cache(), {4, 8, 16, 24, 32}), testing::ExitedWithCode(0), "");
  // The compiler writes nowhere else.
  const fs::path temporary = directory_.path() / "temporary";
  EXPECT_EXIT((setenv("TMPDIR", temporary.c_str(), 1), fill(temporary, {})),
              testing::ExitedWithCode(0), "");
}

/// A hole of 1 TiB takes no room on the disk.
TEST_F(KernelCacheTest, NoMoreOfAnEntryIsReadThanItsSize) {
  expect_scales(device());
  const fs::path library = kept().at(0);
  const std::uintmax_t whole = fs::file_size(library);
  fs::resize_file(library, std::uintmax_t{1} << 40);
  expect_scales(device());
  EXPECT_EQ(fs::file_size(library), whole);
}

TEST_F(KernelCacheTest, WhatAKilledProcessLeftIsRemoved) {
  const fs::path left = cache() / "kernels" / ".build-killed";
  fs::create_directories(left);
  fs::permissions(cache(), fs::perms::owner_all);
  fs::permissions(cache() / "kernels", fs::perms::owner_all);
  std::ofstream(left / "kernel.cpp") << "half";
  expect_scales(device());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(KernelCacheTest, OtherTextsAreOtherLibraries) {
  const Device cpu = device();
  static_cast<void>(KernelModule::from_source(cpu, kScale));
  static_cast<void>(KernelModule::from_source(cpu, std::string(kScale) + " "));
  EXPECT_EQ(kept().size(), 2U);
}

}  // namespace
}  // namespace patchbay::test
