// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <thread>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/privileges.hpp"

namespace patchbay::executor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFirstOther = 3;  // after the standard descriptors
constexpr std::size_t kMostOutput = std::size_t{16} << 10;

[[noreturn]] void fail(const ChildProgram& program, int error) {
  throw plugin::StatusError(PATCHBAY_DRIVER_ERROR,
                            "can't run '" + program.arguments[0] + "' in '" + program.directory +
                                "': " + std::strerror(error),
                            error);
}

/// Receives what the child writes.
class Output {
 public:
  explicit Output(const ChildProgram& program) {
    int error = pipe2(ends_, O_CLOEXEC) != 0 ? errno : 0;
    if (error == 0) error = raise_writer();
    if (error == 0 && fcntl(ends_[0], F_SETFL, O_NONBLOCK) != 0) error = errno;
    if (error == 0) return;
    close_all();
    fail(program, error);
  }
  ~Output() { close_all(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  int writer() const { return ends_[1]; }
  /// After the start: the pipe is to end with the child.
  void close_writer() {
    close(ends_[1]);
    ends_[1] = -1;
  }
  /// Waits for a moment, or until there is something to read, and reads some of it.
  void wait_and_read() {
    constexpr int kPauseMs = 20, kPauseAtEndMs = 1;
    pollfd wanted{is_at_end_ ? -1 : ends_[0], POLLIN, 0};
    poll(&wanted, 1, is_at_end_ ? kPauseAtEndMs : kPauseMs);
    read_some();
  }
  /// Keeps the beginning, and takes the rest, so that the child does not block. A child that writes
  /// without end is left to the deadline.
  void read_some() {
    constexpr int kMostReads = 16;
    char bytes[4096];
    for (int i = 0; i < kMostReads && !is_at_end_; ++i) {
      const ssize_t size = read(ends_[0], bytes, sizeof bytes);
      if (size < 0) return;
      is_at_end_ = size == 0;
      text_.append(bytes, std::min(static_cast<std::size_t>(size), kMostOutput - text_.size()));
    }
  }
  std::string take() { return std::move(text_); }

 private:
  /// A service may have closed its standard descriptors, which the pipe then got. Those of the
  /// child would replace it.
  int raise_writer() {
    if (ends_[1] >= kFirstOther) return 0;
    const int higher = fcntl(ends_[1], F_DUPFD_CLOEXEC, kFirstOther);
    if (higher < 0) return errno;
    close(ends_[1]);
    ends_[1] = higher;
    return 0;
  }
  void close_all() {
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }

  int ends_[2] = {-1, -1};
  bool is_at_end_ = false;
  std::string text_;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// All of the child's environment. The language makes messages English.
std::vector<std::string> variables_for(const ChildProgram& program) {
  return {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "HOME=" + program.directory,
          "TMPDIR=" + program.directory};
}

/// Returns an error number, or 0.
int start(pid_t& child, const ChildProgram& program, int output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  const int steps[] = {
      posix_spawn_file_actions_addchdir_np(&files, program.directory.c_str()),
      posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0),
      posix_spawn_file_actions_adddup2(&files, output, 1),
      posix_spawn_file_actions_adddup2(&files, 1, 2),
      posix_spawn_file_actions_addclosefrom_np(&files, kFirstOther),
      posix_spawnattr_setsigmask(&attributes, &none),
      posix_spawnattr_setsigdefault(&attributes, &all),
      posix_spawnattr_setpgroup(&attributes, 0),
      posix_spawnattr_setflags(
          &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP),
  };
  int error = *std::max_element(std::begin(steps), std::end(steps));
  std::vector<std::string> arguments = program.arguments, variables = variables_for(program);
  if (error == 0) {
    error = posix_spawn(&child, arguments[0].c_str(), &files, &attributes,
                        pointers_to(arguments).data(), pointers_to(variables).data());
  }
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

enum class State { kRuns, kEnded, kUnknown };

/// Leaves an ended child for `reap`, so that no other process gets its number.
State state_of(pid_t child) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return errno == EINTR ? State::kRuns : State::kUnknown;
  }
  return info.si_pid == child ? State::kEnded : State::kRuns;
}

/// A killed process ends at once, unless its file system hangs.
std::optional<int> reap(pid_t child) {
  constexpr int kMostRounds = 1000;
  int status = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const pid_t reaped = waitpid(child, &status, WNOHANG);
    if (reaped == child) return status;
    if (reaped < 0 && errno != EINTR) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::nullopt;
}

}  // namespace

void check_children_allowed() {
  if (!plugin::has_raised_privileges()) return;
  plugin::unsupported(
      "kernels need a C++ compiler at run time, and none is started with raised privileges (of a "
      "set-uid program, of file capabilities, or by seteuid). Run it without these privileges, or "
      "use the operators of cpu, which need no compiler.");
}

ChildEnd run_child(const ChildProgram& program) {
  check_children_allowed();
  Output output(program);
  pid_t child = 0;
  if (const int error = start(child, program, output.writer()); error != 0) fail(program, error);
  output.close_writer();
  const auto deadline = Clock::now() + program.deadline;
  ChildEnd end;
  State state = State::kRuns;
  while (state == State::kRuns && !end.is_late) {
    output.wait_and_read();
    state = state_of(child);
    end.is_late = state == State::kRuns && Clock::now() >= deadline;
  }
  if (state != State::kUnknown) {
    kill(-child, SIGKILL);
    end.status = reap(child);
  }
  output.read_some();
  end.output = output.take();
  return end;
}

}  // namespace patchbay::executor
