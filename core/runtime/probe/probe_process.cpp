// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/probe/probe_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAnswer = 3;  // the probe's descriptor for it

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Returns an error number, or 0.
int start(pid_t& child, std::vector<std::string>& arguments, std::vector<std::string>& environment,
          int writer) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  const int steps[] = {
      posix_spawn_file_actions_addchdir_np(&files, "/"),
      posix_spawn_file_actions_adddup2(&files, writer, kAnswer),
      posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0),
      posix_spawn_file_actions_adddup2(&files, 0, 1),
      posix_spawn_file_actions_adddup2(&files, 0, 2),
      posix_spawn_file_actions_addclosefrom_np(&files, kAnswer + 1),
      posix_spawnattr_setsigmask(&attributes, &none),
      posix_spawnattr_setsigdefault(&attributes, &all),
      posix_spawnattr_setflags(
          &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID)};
  int error = *std::max_element(std::begin(steps), std::end(steps));
  if (error == 0) {
    error = posix_spawn(&child, arguments[0].c_str(), &files, &attributes,
                        pointers_to(arguments).data(), pointers_to(environment).data());
  }
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

/// Not to the end of the pipe, which a process that another thread forks may hold.
std::string read_answer(int reader, Clock::time_point deadline) {
  std::string answer;
  char bytes[4096];
  while (!answer.ends_with("\nend\n")) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wanted{reader, POLLIN, 0};
    const int ready = left > 0 ? poll(&wanted, 1, static_cast<int>(left)) : 0;
    const ssize_t size = ready > 0 ? read(reader, bytes, sizeof(bytes)) : ready;
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return {};
    answer.append(bytes, static_cast<std::size_t>(size));
  }
  return answer;
}

}  // namespace

std::filesystem::path installed_probe() {
  const std::filesystem::path plugins = library_plugin_directory();
  if (plugins.empty()) return {};
  return (plugins.parent_path().parent_path() / PATCHBAY_PROBE_PATH).lexically_normal();
}

std::string run_probe(std::vector<std::string> arguments, std::vector<std::string> environment,
                      double deadline_seconds) {
  int ends[2] = {-1, -1};
  int error = pipe2(ends, O_CLOEXEC) != 0 ? errno : 0;
  const int writer = error == 0 ? fcntl(ends[1], F_DUPFD_CLOEXEC, kAnswer + 1) : -1;
  if (error == 0 && writer < 0) error = errno;
  pid_t child = -1;
  if (error == 0) error = start(child, arguments, environment, writer);
  for (const int end : {ends[1], writer}) close(end);
  std::string answer;
  if (error == 0) {
    const std::chrono::duration<double> time(deadline_seconds + 2);
    answer = read_answer(ends[0], Clock::now() + std::chrono::ceil<Clock::duration>(time));
    siginfo_t info{};
    const bool runs =
        waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == 0;
    if (runs && answer.empty()) kill(child, SIGKILL);  // the plugin's process ends with it
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  if (error == 0) return answer;
  throw Error(ErrorCode::kIo,
              fmt::format("[Runtime] the probe {} can't be started: {}", quote(arguments[0]),
                          std::generic_category().message(error)));
}

}  // namespace patchbay::runtime
