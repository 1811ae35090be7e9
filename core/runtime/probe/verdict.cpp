// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/probe/verdict.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/runtime/cache/blob_cache.h"
#include "core/runtime/probe/probe_process.h"

namespace patchbay::runtime {
namespace {

constexpr double kUsualSeconds = 10, kMostSeconds = 3600;

ProbeMode read_mode(const Environment& environment) {
  const std::string text = environment.get("probe").value_or("");
  if (text == "again") return ProbeMode::kAgain;
  if (text == "1") return ProbeMode::kOn;
  if (text.empty() || text == "0") return ProbeMode::kOff;
  raise(ErrorCode::kInvalidArgument,
        "[Runtime] bad setting 'probe': expected 0, 1 or again, got {}. Correct PATCHBAY_PROBE.",
        quote(text));
}

double read_seconds(const Environment& environment) {
  const std::string text = environment.get("probe_seconds").value_or("");
  double seconds = kUsualSeconds;
  const char* const end = text.data() + text.size();
  const bool is_read = std::from_chars(text.data(), end, seconds).ptr == end;
  if (text.empty() || (is_read && seconds > 0 && seconds <= kMostSeconds)) return seconds;
  raise(ErrorCode::kInvalidArgument,
        "[Runtime] bad setting 'probe_seconds': expected a number above 0, at most {}, got {}. "
        "Correct PATCHBAY_PROBE_SECONDS.",
        kMostSeconds, quote(text));
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
  if (has_raised_privileges()) return all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto begins = [text](std::string_view name) { return text.starts_with(name); };
    if (std::ranges::none_of(kLeftOut, begins)) all.emplace_back(text);
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

Probe::Probe(const RuntimeOptions& options, const Environment& environment)
    : mode_(options.probe ? *options.probe : read_mode(environment)),
      seconds_(read_seconds(environment)) {
  if (mode_ == ProbeMode::kOff) return;
  program_ = installed_probe();
  const std::string refusal = refuse_program(program_, trusted_folders(options));
  if (refusal.empty()) return;
  raise(ErrorCode::kUnsupported,
        "[Runtime] plugins can't be probed: expected the program {}, but {}. Install it, or do "
        "not ask for it (RuntimeOptions::probe, PATCHBAY_PROBE).",
        quote(program_.string()), refusal);
}

Verdict Probe::judge(const Inspection& inspection, const Environment& settings) {
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
