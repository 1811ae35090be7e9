// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The log's and the trace's file, when the program closes their descriptors, and at the limit on
// the size of files.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/device_test.h"
#include "support/scratch_directory.h"

namespace patchbay::test {
namespace {

namespace fs = std::filesystem;

/// The descriptor of an open file of this process.
int descriptor_of(const fs::path& path) {
  for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (fs::read_symlink(each.path(), error) == path) {
      return std::stoi(each.path().filename().string());
    }
  }
  return -1;
}

/// Closes the library's descriptor, and opens a file of the program's under that number.
void take_number(int number, const fs::path& path, int flags) {
  const int own = open(path.c_str(), flags | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(own, 0);
  ASSERT_EQ(dup3(own, number, O_CLOEXEC), number);
  close(own);
}

class OutputTest : public testing::Test {
 protected:
  /// Logs at least a line for each device that is opened.
  void use(const Runtime& runtime) const {
    static_cast<void>(runtime.device("cpu:0"));
    static_cast<void>(runtime.device("fake:0"));
  }
  RuntimeOptions with(const char* setting, const std::string& value) const {
    return options({{setting, value}});
  }

  const ScratchDirectory scratch_;
  const fs::path folder_ = scratch_.folder("files");
};

TEST_F(OutputTest, TheLogIsWritten) {
  const fs::path log = folder_ / "log";
  std::ofstream(log) << "before\n";
  {
    const Runtime runtime(with("log", "debug:" + log.string()));
    use(runtime);
  }
  const std::string text = read_text(log);
  EXPECT_TRUE(text.starts_with("before\npatchbay ")) << text;
  EXPECT_TRUE(text.ends_with('\n'));
}

TEST_F(OutputTest, TheLogNeverGoesToAnotherFile) {
  const fs::path log = folder_ / "log", own = folder_ / "own";
  // The second is the log itself, as the program opens it.
  for (const fs::path& opened : {own, log}) {
    int number = -1;
    std::string before;
    {
      const Runtime runtime(with("log", "debug:" + log.string()));
      number = descriptor_of(log);
      ASSERT_GE(number, 0);
      take_number(number, opened, O_RDWR);
      before = read_text(log);
      use(runtime);
      EXPECT_EQ(read_text(log), before) << opened;
    }
    EXPECT_EQ(read_text(log), before) << opened;
    EXPECT_EQ(read_text(own), "") << opened;
    EXPECT_EQ(fcntl(number, F_GETFD), FD_CLOEXEC) << "the program's file stays open";
    close(number);
  }
}

TEST_F(OutputTest, TheTraceNeverGoesToAnotherFile) {
  const fs::path trace = folder_ / "trace", own = folder_ / "own";
  int number = -1;
  {
    Runtime runtime(with("trace", trace.string()));
    use(runtime);
    number = descriptor_of(trace);
    ASSERT_GE(number, 0);
    take_number(number, own, O_RDWR);
    for (int i = 0; i < 100; ++i) static_cast<void>(ones({4}, runtime.device("cpu:0")));
    EXPECT_ERROR(runtime.stop_trace(), kIo,
                 "[stop_trace] the trace is not complete: the program has closed its descriptor");
  }
  EXPECT_EQ(read_text(own), "");
  EXPECT_EQ(fcntl(number, F_GETFD), FD_CLOEXEC) << "the program's file stays open";
  close(number);
}

/// The signal's action is the default, which ends the process.
TEST_F(OutputTest, TheLimitOnTheSizeOfFilesEndsNothing) {
  const fs::path log = folder_ / "log", trace = folder_ / "trace";
  RuntimeOptions both = options({{"log", "debug:" + log.string()}, {"trace", trace.string()}});
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  {
    const Runtime runtime(both);
    const rlimit small = {64, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    use(runtime);
    for (int i = 0; i < 100; ++i) static_cast<void>(ones({4}, runtime.device("cpu:0")));
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_LE(fs::file_size(trace), 64u);
}

TEST_F(OutputTest, ATraceOverTheLimitOnTheSizeOfFilesIsNotComplete) {
  Runtime runtime(with("trace", (folder_ / "trace").string()));
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {64, before.rlim_max};
  for (int i = 0; i < 100; ++i) static_cast<void>(ones({4}, runtime.device("cpu:0")));
  setrlimit(RLIMIT_FSIZE, &small);
  const Error error = error_of([&] { runtime.stop_trace(); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_HAS(std::string(error.what()), "[stop_trace] the trace is not complete: File too large");
}

}  // namespace
}  // namespace patchbay::test
