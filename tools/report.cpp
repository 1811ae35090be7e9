// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace patchbay::tools {
namespace {

bool is_terminal() {
  static const bool is_one = isatty(STDERR_FILENO) == 1;
  return is_one;
}

std::FILE* report_file = stdout;

/// Escapes control characters, which file names may contain and a terminal obeys.
std::string without_controls(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = (byte < 0x20 && c != '\n') || byte == 0x7f;
    shown += is_control ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return shown;
}

/// Reports failure, because a full disk must not look like success.
bool write_out(const std::string& report) {
  const std::string text = without_controls(report);
  const bool written = std::fwrite(text.data(), 1, text.size(), report_file) == text.size();
  return std::fflush(report_file) == 0 && written;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return without_controls(line);
}

void complain(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    std::fprintf(stderr, "patchbay: %s\n", one_line(line).c_str());
  }
}

/// Names from drivers and paths may not be UTF-8, which JSON requires.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

void occupy_standard_descriptors() {
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = open("/dev/null", O_RDONLY);
  if (file >= 0) close(file);
}

void keep_standard_output() {
  const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (kept < 0) return;  // it is closed, which the report will say
  std::FILE* const file = fdopen(kept, "w");
  if (file == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return;
  report_file = file;
}

int print_report(Report report, bool json) {
  if (json && !report.errors.empty()) report.json["errors"] = report.errors;
  if (!json) complain(report.errors);
  if (write_out(json ? dump(report.json) : report.text)) return report.exit_status;
  std::fprintf(stderr, "patchbay: standard output: %s\n", std::strerror(errno));
  return kExitError;
}

int print_error(std::string_view code, std::string_view message, bool json, int exit_status,
                std::vector<std::string> logged) {
  std::erase(logged, message);  // don't print it twice
  if (json) {
    const Json error = {{"error", {{"code", code}, {"message", message}}}};
    return print_report({error, {}, exit_status, std::move(logged)}, true);
  }
  logged.emplace_back(message);
  complain(logged);
  return exit_status;
}

void show_progress(const std::string& line) {
  if (is_terminal()) std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
}

void log_progress(const std::string& line) {
  if (!is_terminal()) std::fprintf(stderr, "patchbay: %s\n", line.c_str());
}

}  // namespace patchbay::tools
