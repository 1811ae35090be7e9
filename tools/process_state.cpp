// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "process_state.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace patchbay::tools {
namespace {

const void* handler_of(int signal) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0) return nullptr;
  return reinterpret_cast<const void*>(action.sa_handler);
}

std::size_t count_entries(const char* directory) {
  std::error_code error;
  const std::filesystem::directory_iterator all(directory, error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::size_t read_resident_bytes() {
  std::size_t total_pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Lines of /proc/self/maps: range, rights, offset, device, inode, path.
std::set<std::string> read_libraries() {
  std::set<std::string> result;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, rights, skipped, path;
    words >> range >> rights >> skipped >> skipped >> skipped >> path;
    if (rights.find('x') != std::string::npos && path.starts_with('/')) result.insert(path);
  }
  return result;
}

std::string name_of(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

void add(std::vector<std::string>& parts, long long count, const char* one) {
  if (count == 0) return;
  parts.push_back(fmt::format("{} {}{}", count, one, count == 1 || count == -1 ? "" : "s"));
}

}  // namespace

ProcessState ProcessState::now() {
  ProcessState state;
  state.time = std::chrono::steady_clock::now();
  for (int signal = 1; signal < NSIG; ++signal) state.signal_handlers.push_back(handler_of(signal));
  state.libraries = read_libraries();
  state.num_threads = count_entries("/proc/self/task");
  state.num_files = count_entries("/proc/self/fd");
  state.resident_bytes = read_resident_bytes();
  return state;
}

ProcessChanges::ProcessChanges(const ProcessState& before, const ProcessState& after)
    : milliseconds(std::chrono::duration<double, std::milli>(after.time - before.time).count()) {
  const auto grown = [](std::size_t from, std::size_t to) {
    return static_cast<long long>(to) - static_cast<long long>(from);
  };
  resident_bytes = grown(before.resident_bytes, after.resident_bytes);
  num_threads = grown(before.num_threads, after.num_threads);
  num_files = grown(before.num_files, after.num_files);
  for (std::size_t i = 0; i < before.signal_handlers.size(); ++i) {
    const bool is_changed = before.signal_handlers[i] != after.signal_handlers[i];
    if (is_changed) signals.push_back(name_of(static_cast<int>(i) + 1));
  }
  std::set_difference(after.libraries.begin(), after.libraries.end(), before.libraries.begin(),
                      before.libraries.end(), std::back_inserter(libraries));
}

std::string ProcessChanges::to_text() const {
  std::vector<std::string> parts{
      fmt::format("{:.0f} ms", milliseconds),
      fmt::format("{:.0f} MB", static_cast<double>(resident_bytes) / 1e6)};
  add(parts, num_threads, "thread");
  add(parts, num_files, "open file");
  if (!libraries.empty()) {
    parts.push_back(
        fmt::format("{} {}", libraries.size(), libraries.size() == 1 ? "library" : "libraries"));
  }
  if (!signals.empty()) {
    parts.push_back(fmt::format("{} signal handler{} ({})", signals.size(),
                                signals.size() == 1 ? "" : "s", fmt::join(signals, " ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

nlohmann::json ProcessChanges::to_json() const {
  return {{"milliseconds", milliseconds}, {"resident_bytes", resident_bytes},
          {"threads", num_threads},       {"open_files", num_files},
          {"signal_handlers", signals},   {"libraries", libraries}};
}

}  // namespace patchbay::tools
