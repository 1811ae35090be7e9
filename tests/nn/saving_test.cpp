// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What saves leave behind: when the process is killed, at the limit on the size of files, and after
// the program has closed descriptors that it did not open.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <patchbay/nn/arrays.h>
#include <patchbay/nn/linear.h>
#include <patchbay/nn/safetensors.h>
#include <patchbay/nn/trainer.h>

#include "support/cancellable_thread.h"
#include "support/device_test.h"
#include "support/scratch_directory.h"

namespace patchbay::test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

Device cpu() { return test_device("cpu:0"); }

Names names_in(const fs::path& folder) {
  Names names;
  for (const auto& each : fs::directory_iterator(folder)) {
    names.push_back(each.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

/// Files may not grow beyond this here.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size_bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small = {size_bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

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

TEST(Saving, AKilledSaveLeavesNothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The child is another run of this test: the name of the folder is the same.
  const fs::path folder = fs::temp_directory_path() / "patchbay-saving-killed";
  fs::create_directory(folder);
  const fs::path file = folder / "model.safetensors";
  const nn::TensorMap tensors = {{"a", ones({1 << 20}, cpu())}};
  nn::save_safetensors(file, tensors);
  const auto save_until_killed = [&](int delay_ms) {
    const std::thread killer([delay_ms] {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
      kill(getpid(), SIGKILL);
    });
    for (;;) nn::save_safetensors(file, tensors);
  };
  for (int i = 0; i < 8; ++i) {
    EXPECT_EXIT(save_until_killed(5 + 3 * i), testing::KilledBySignal(SIGKILL), "");
    EXPECT_EQ(nn::Safetensors(file).entries().size(), 1u) << "the file is whole";
    // One stays if the process was killed between giving the new file a name and replacing.
    EXPECT_LE(names_in(folder).size(), 2u) << i;
  }
  nn::save_safetensors(file, {});
  EXPECT_EQ(names_in(folder), Names{"model.safetensors"});
  fs::remove_all(folder);
}

TEST(Saving, LeftoversOfDeadWritersAreRemoved) {
  const ScratchDirectory scratch;
  const fs::path folder = scratch.folder("files"), file = folder / "model";
  write(folder / ".model.part0", "of a process that was killed");
  write(folder / ".model.part1", "of one that saves now");
  write(folder / ".other.part0", "of another file");
  const int other = open((folder / ".model.part1").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX | LOCK_NB), 0);
  nn::save_safetensors(file, {{"a", ones({2}, cpu())}});
  EXPECT_EQ(names_in(folder), (Names{".model.part1", ".other.part0", "model"}));
  write(folder / ".model.part0", "another one");
  const int first = open((folder / ".model.part0").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(first, LOCK_EX | LOCK_NB), 0);
  nn::save_safetensors(file, {{"b", ones({2}, cpu())}});
  EXPECT_EQ(names_in(folder), (Names{".model.part0", ".model.part1", ".other.part0", "model"}));
  EXPECT_TRUE(nn::Safetensors(file).has("b"));
  close(first);
  close(other);
}

/// The signal's action is the default, which ends the process.
TEST(Saving, BeyondTheLimitOnTheSizeOfFilesIsAnError) {
  const ScratchDirectory scratch;
  const fs::path folder = scratch.folder("files"), file = folder / "array.npy";
  const Tensor large = ones({100'000}, cpu());
  const auto expect_error = [&](auto save, const std::string& operation) {
    const FileSizeLimit limit(65536);
    EXPECT_ERROR(
        save(), ErrorCode::kIo,
        "[" + operation + "] can't write the new file: '" + file.string() +
            "': File too large. Raise the limit on the size of files, or choose another disk.");
  };
  expect_error([&] { nn::save_npy(file, large); }, "save_npy");
  expect_error([&] { nn::save_safetensors(file, {{"a", large}}); }, "save_safetensors");
  nn::TrainingHistory history;
  history.losses.resize(4000);
  for (std::size_t i = 0; i < history.losses.size(); ++i) {
    history.losses[i] = {0, static_cast<std::int64_t>(i), static_cast<double>(i % 7), 0.1};
  }
  {
    const FileSizeLimit limit(1024);
    EXPECT_ERROR(nn::save_loss_plot(file, history), ErrorCode::kIo, "File too large.");
  }
  EXPECT_EQ(names_in(folder), Names{});
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
}

/// What waits for the program's own reasons goes on waiting.
TEST(Saving, ASignalOfTheProgramStays) {
  const ScratchDirectory scratch;
  const fs::path file = fs::path(scratch.folder("files")) / "array.npy";
  sigset_t set, before, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  raise(SIGXFSZ);
  nn::save_npy(file, ones({2}, cpu()));
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 1);
  const timespec no_time{};
  EXPECT_EQ(sigtimedwait(&set, nullptr, &no_time), SIGXFSZ);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Daemons close what they did not open. The next file that they open has the same number.
TEST(Saving, AnotherFileUnderTheSameNumberIsNotRead) {
  const ScratchDirectory scratch;
  const fs::path folder = scratch.folder("files"), file = folder / "model";
  nn::save_safetensors(file, {{"a", ones({2}, cpu())}});
  write(folder / "own", std::string(4096, 'x'));
  int own = -1;
  {
    const nn::Safetensors model(file);
    const int number = descriptor_of(file);
    ASSERT_GE(number, 0);
    own = open((folder / "own").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(dup3(own, number, O_CLOEXEC), number);
    close(own);
    own = number;
    EXPECT_ERROR(
        model.read("a", cpu()), ErrorCode::kIo,
        "[Safetensors] can't read the file: '" + file.string() + "': Bad file descriptor.");
  }
  EXPECT_EQ(fcntl(own, F_GETFD), FD_CLOEXEC) << "the program's file stays open";
  close(own);
}

/// A thread that pthread_cancel ended before: a save is made or not begun.
TEST(Saving, ACancelledThreadLeavesAWholeFile) {
  const ScratchDirectory scratch;
  const fs::path folder = scratch.folder("files"), file = folder / "model";
  nn::save_safetensors(file, {{"a", ones({2}, cpu())}});
  nn::Linear net(2, 2, {.tensor = cpu()});
  nn::save(net, folder / "net");
  nn::save_npy(folder / "array", ones({2}, cpu()));
  const std::function<void()> calls[] = {
      [&] {
        nn::save_safetensors(file, {{"b", ones({2}, cpu())}});
      },
      [&] { (void)nn::load_safetensors(file, cpu()); },
      [&] { (void)nn::Safetensors(file, {.map = true}); },
      [&] { nn::load(net, folder / "net"); },
      [&] { (void)nn::read_npy(folder / "array", {.device = cpu()}); },
      [&] { nn::save_loss_plot(folder / "plot", {}); },
  };
  for (const auto& call : calls) {
    for (int i = 0; i < 3; ++i) static_cast<void>(run_cancelled(call));
  }
  EXPECT_EQ(nn::Safetensors(file).entries().size(), 1u);
  for (const std::string& name : names_in(folder)) EXPECT_FALSE(name.starts_with('.')) << name;
}

}  // namespace
}  // namespace patchbay::test
