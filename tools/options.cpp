// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "command.h"

namespace patchbay::tools {

void Report::attempt(const std::function<void()>& part) {
  try {
    part();
  } catch (const Error& error) {
    errors.emplace_back(error.what());
  }
}

void ErrorLog::add(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  lines_.emplace_back(line);
}

std::vector<std::string> ErrorLog::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(lines_, {});
}

std::filesystem::path absolute_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!error) return absolute;
  throw Error(ErrorCode::kIo,
              fmt::format("[patchbay] can't find '{}' from the current directory: {}", path,
                          error.message()),
              error.value());
}

namespace {

/// Those of the variable. Where it leaves no device, which is an error for a program, the command
/// says what it hides.
std::vector<std::string> visible_devices() {
  const char* const variable = secure_getenv("PATCHBAY_VISIBLE_DEVICES");
  std::vector<std::string> names;
  std::istringstream text(variable != nullptr ? variable : "");
  for (std::string part; std::getline(text, part, ',');) {
    part.erase(0, part.find_first_not_of(" \t"));
    part.erase(part.find_last_not_of(" \t") + 1);
    if (!part.empty()) names.push_back(std::move(part));
  }
  return names;
}

}  // namespace

RuntimeOptions CommonOptions::runtime_options() const {
  // The library never searches the current directory by itself; here the user names it.
  RuntimeOptions options;
  options.probe = ProbeMode::kOn;
  for (const std::string& directory : plugin_directories) {
    options.plugin_directories.push_back(absolute_path(directory));
  }
  for (const std::string& file : plugin_files) {
    options.plugin_files.push_back(absolute_path(file));
  }
  options.visible_devices = visible_devices();
  const char* const validate = std::getenv("PATCHBAY_VALIDATE");
  if (validate != nullptr && std::string_view(validate) == "1") {
    options.log = [log = errors](LogLevel level, std::string_view line) {
      if (level == LogLevel::kError) log->add(line);
    };
  }
  return options;
}

}  // namespace patchbay::tools
