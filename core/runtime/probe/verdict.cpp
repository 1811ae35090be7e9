// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/probe/verdict.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/runtime/cache/blob_cache.h"
#include "core/runtime/search/candidate.h"

namespace patchbay::runtime {
namespace {

// Starts tools/probe, which opens a plugin in a process of its own.

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

/// libexec/patchbay/patchbay-probe of the tree that the library is in.
std::filesystem::path installed_probe() {
  const std::filesystem::path plugins = library_plugin_directory();
  if (plugins.empty()) return {};
  return (plugins.parent_path().parent_path() / PATCHBAY_PROBE_PATH).lexically_normal();
}

/// Starts the program that is the first argument, with that environment alone. Returns what it
/// wrote, up to the line "end"; nothing if that had not come 2 s after the deadline, when it is
/// killed. Of this process it inherits no descriptor, signal state, working directory or terminal.
/// Errors: kIo if it can't be started.
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
              fmt::format("[Runtime] the probe {} can't be started: {}", base::quote(arguments[0]),
                          std::generic_category().message(error)));
}

constexpr double kUsualSeconds = 10, kMostSeconds = 3600;

ProbeMode read_mode(const base::Environment& environment) {
  const std::string text = environment.get("probe").value_or("");
  if (text == "again") return ProbeMode::kAgain;
  if (text == "1") return ProbeMode::kOn;
  if (text.empty() || text == "0") return ProbeMode::kOff;
  base::raise(
      ErrorCode::kInvalidArgument,
      "[Runtime] bad setting 'probe': expected 0, 1 or again, got {}. Correct PATCHBAY_PROBE.",
      base::quote(text));
}

double read_seconds(const base::Environment& environment) {
  const std::string text = environment.get("probe_seconds").value_or("");
  double seconds = kUsualSeconds;
  const char* const end = text.data() + text.size();
  const bool is_read = std::from_chars(text.data(), end, seconds).ptr == end;
  if (text.empty() || (is_read && seconds > 0 && seconds <= kMostSeconds)) return seconds;
  base::raise(
      ErrorCode::kInvalidArgument,
      "[Runtime] bad setting 'probe_seconds': expected a number above 0, at most {}, got {}. "
      "Correct PATCHBAY_PROBE_SECONDS.",
      kMostSeconds, base::quote(text));
}

/// Empty if the program may be run, by the rules for plugins.
std::string refuse_program(const std::filesystem::path& path, const TrustedFolders& trusted) {
  struct stat file {
  }, folder{};
  if (stat(path.c_str(), &file) != 0 || stat(path.parent_path().c_str(), &folder) != 0 ||
      !S_ISREG(file.st_mode) || access(path.c_str(), X_OK) != 0) {
    return "it is not installed";
  }
  if (trusted.contain(folder)) return {};
  std::string refusal = refuse_access(file, "the file");
  return refusal.empty() ? refuse_access(folder, "its directory") : refusal;
}

/// What tells a file's content; empty if there is no such file.
std::string identity(const std::filesystem::path& path) {
  const OpenPath file(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  return fmt::format("{}:{}:{}:{}.{}:{}.{}:{}\n", info.st_dev, info.st_ino, info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec,
                     info.st_ctim.tv_nsec, ElfFile(file.fd()).build_id());
}

/// `libraries` gets their identities; nothing if the answer lists none, or one is not there.
Verdict read_answer(const std::string& answer, ProbeOrigin origin, std::string& libraries) {
  Verdict verdict{origin, answer.empty() ? "it ended or stopped the probe" : "", {}};
  bool has_all = true;
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    const std::string word = line.substr(0, line.find(' '));
    const std::string text = line.substr(std::min(word.size() + 1, line.size()));
    if (word == "harm") verdict.harm = text;
    if (word == "change") verdict.changes.push_back(text);
    if (word != "library") continue;
    const std::string one = identity(text);
    has_all = has_all && !one.empty();
    libraries += one;
  }
  if (!has_all) libraries.clear();
  return verdict;
}

/// What the plugin is to see: not what would change the probe, and not what a shell counts.
std::vector<std::string> variables() {
  constexpr std::string_view kLeftOut[] = {
      "LD_PRELOAD=", "LD_AUDIT=", "PATCHBAY_PROBE", "PWD=", "OLDPWD=", "SHLVL=", "_="};
  std::vector<std::string> all;
  if (base::has_raised_privileges()) return all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto begins = [text](std::string_view name) { return text.starts_with(name); };
    if (std::ranges::none_of(kLeftOut, begins)) all.emplace_back(text);
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

Probe::Probe(const RuntimeOptions& options, const base::Environment& environment)
    : mode_(options.probe ? *options.probe : read_mode(environment)),
      seconds_(read_seconds(environment)) {
  if (mode_ == ProbeMode::kOff) return;
  program_ = installed_probe();
  const std::string refusal = refuse_program(program_, trusted_folders(options));
  if (refusal.empty()) return;
  base::raise(
      ErrorCode::kUnsupported,
      "[Runtime] plugins can't be probed: expected the program {}, but {}. Install it, or do "
      "not ask for it (RuntimeOptions::probe, PATCHBAY_PROBE).",
      base::quote(program_.string()), refusal);
}

Verdict Probe::judge(const Inspection& inspection, const base::Environment& settings) {
  if (mode_ == ProbeMode::kOff) return {};
  std::vector<std::string> arguments{program_, inspection.real_path, fmt::format("{}", seconds_),
                                     settings.reads_variables() ? "1" : "0"};
  for (const std::string& name : settings.names_in_code()) {
    if (name.starts_with("probe")) continue;
    arguments.push_back(fmt::format("{}={}", name, settings.get(name).value_or("")));
  }
  const std::vector<std::string> environment = variables();
  utsname system{};
  uname(&system);
  const std::size_t asked = std::hash<std::string>()(
      fmt::format("{}\n{}", fmt::join(arguments, "\n"), fmt::join(environment, "\n")));
  // A few files for each plugin, however many environments it is opened in.
  const std::string key =
      fmt::format("probe-{:x}-{:x}-{:x}", inspection.id.device, inspection.id.inode, asked % 16);
  const std::string head = fmt::format("{} {} {:x} {}", system.release, system.version, asked,
                                       identity(inspection.real_path));
  const auto own = kept_.find(key);
  const bool is_own = own != kept_.end();
  const std::string kept = is_own                    ? own->second
                           : mode_ == ProbeMode::kOn ? cache_get(settings, key).value_or("")
                                                     : "";
  constexpr std::string_view kEnd = "\nend\n";
  std::string libraries;
  if (const std::size_t end = kept.find(kEnd); end != kept.npos) {
    const std::string answer = kept.substr(0, end + kEnd.size());
    Verdict verdict =
        read_answer(answer, is_own ? ProbeOrigin::kNew : ProbeOrigin::kKept, libraries);
    if (kept == answer + head + libraries) return verdict;
    libraries.clear();
  }
  const std::string answer = run_probe(arguments, environment, seconds_);
  Verdict verdict = read_answer(answer, ProbeOrigin::kNew, libraries);
  if (!libraries.empty() && !answer.starts_with("answered")) {
    kept_[key] = answer + head + libraries;
    cache_put(settings, key, kept_[key], false);
  }
  return verdict;
}

}  // namespace patchbay::runtime
