// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Libraries that are opened at run time: what is found, and what is said of what is not.
#include "kit/library/library.hpp"

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scratch_directory.h"

namespace {

using patchbay::Library;
using patchbay::replaced_function;
using patchbay::Symbol;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kObject = Library::Lifetime::kObject;

TEST(Library, CallsAFunctionThatItFinds) {
  Library library("libm.so.6", kObject);
  ASSERT_TRUE(library) << library.why();
  Symbol<double(double)> root{"sqrt"};
  library.find(root);
  EXPECT_EQ(root(9.0), 3.0);
  double (*power)(double, double) = nullptr;
  library.find("pow", power);
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(power(2.0, 10.0), 1024.0);
  EXPECT_TRUE(library.is_complete());
  EXPECT_EQ(library.why(), "");
}

TEST(Library, NamesTheFirstMissingFunctionAndItsFile) {
  Library library("libm.so.6", kObject);
  void (*function)() = nullptr;
  library.find("no_such_function", function);
  EXPECT_EQ(function, nullptr);
  library.find("nor_this_one", function);
  library.find("sqrt", function);
  EXPECT_TRUE(library);
  EXPECT_FALSE(library.is_complete());
  EXPECT_EQ(library.why(), "libm.so.6: no symbol no_such_function");
}

TEST(Library, MissesNothingThatIsOptional) {
  const Library library("libm.so.6", kObject);
  EXPECT_EQ(library.optional("no_such_function"), nullptr);
  EXPECT_TRUE(library.is_complete());
}

TEST(Library, IsLookedForWithoutBeingOpened) {
  const patchbay::test::ScratchDirectory folder;
  const std::string file = folder.path() / "libx.so";
  EXPECT_FALSE(patchbay::is_installed(file));
  std::ofstream(file) << "no library";
  EXPECT_TRUE(patchbay::is_installed(file));
  EXPECT_TRUE(patchbay::is_installed("libm.so.6"));
  EXPECT_FALSE(patchbay::is_installed("libpatchbay-no-such-file.so.1"));
}

TEST(Library, MayPreferWhatIsLoaded) {
  const std::vector<std::string> files = {"libpatchbay-no-such-file.so.1", "libutil.so.1",
                                          "libm.so.6"};
  EXPECT_EQ(Library::loaded_or_first_of(files, kObject).file(), "libm.so.6");
  EXPECT_EQ(Library::first_of(files, kObject).file(), "libutil.so.1");
  const std::vector<std::string> others = {files[0], files[1]};
  EXPECT_EQ(Library::loaded_or_first_of(others, kObject).file(), "libutil.so.1");
  EXPECT_THAT(Library::loaded_or_first_of(std::vector{files[0]}, kObject).why(),
              StartsWith(files[0]));
}

TEST(Library, SaysWhyItDoesNotOpen) {
  Library library("libpatchbay-no-such-file.so.1", kObject);
  EXPECT_FALSE(library);
  EXPECT_FALSE(library.is_complete());
  EXPECT_THAT(library.why(), HasSubstr("libpatchbay-no-such-file.so.1: cannot open"));
  EXPECT_EQ(library.path(), "");
  // The reason that counts stays when functions are looked up all the same.
  Symbol<int()> function{"anything"};
  library.find(function);
  EXPECT_EQ(function.function, nullptr);
  EXPECT_THAT(library.why(), HasSubstr("cannot open"));
}

/// Opening a FIFO waits for a writer.
TEST(Library, IsARegularFile) {
  const patchbay::test::ScratchDirectory scratch;
  const std::string fifo = scratch.path() / "libfifo.so";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& special : {fifo, scratch.path().string(), std::string("/dev/zero")}) {
    const Library library(special, kObject);
    EXPECT_FALSE(library);
    EXPECT_EQ(library.why(), special + ": it is no regular file");
    const std::vector<std::string> files = {special};
    EXPECT_FALSE(Library::first_of(files, kObject));
    EXPECT_FALSE(Library::loaded_or_first_of(files, kObject));
    const char* const names[] = {"patchbay_no_such_function"};
    EXPECT_EQ(replaced_function(special, names), nullptr);
  }
}

TEST(Library, TakesTheFirstFileThatOpens) {
  const std::vector<std::string> files = {"libno-first.so", "libm.so.6", "libc.so.6"};
  const Library library = Library::first_of(files, kObject);
  ASSERT_TRUE(library);
  EXPECT_EQ(library.file(), "libm.so.6");
  EXPECT_THAT(library.path(), StartsWith("/"));
  EXPECT_THAT(library.path(), HasSubstr("libm.so.6"));
}

TEST(Library, GivesTheReasonOfTheFirstFileIfNoneOpens) {
  const std::vector<std::string> files = {"libno-first.so", "libno-second.so"};
  const Library library = Library::first_of(files, kObject);
  EXPECT_FALSE(library);
  EXPECT_EQ(library.file(), "libno-first.so");
  EXPECT_THAT(library.why(), HasSubstr("libno-first.so"));
  EXPECT_FALSE(Library::first_of({}, kObject));
}

TEST(Library, IsEqualToWhatIsTheSameInMemory) {
  Library library("libm.so.6", kObject);
  EXPECT_EQ(library, Library("libm.so.6", kObject));
  EXPECT_FALSE(library == Library("libc.so.6", kObject));
  const Library moved = std::move(library);
  EXPECT_EQ(moved, Library("libm.so.6", kObject));
}

TEST(ReplacedFunction, IsOneThatTheProgramHasToo) {
  const char* const names[] = {"no_such_function", "sqrt"};
  // The program's sqrt is that of libm.
  EXPECT_EQ(replaced_function("libm.so.6", names), nullptr);
  EXPECT_STREQ(replaced_function("libc.so.6", names), "sqrt");
  EXPECT_STREQ(replaced_function("libno-such.so", names), "sqrt");
}

}  // namespace
