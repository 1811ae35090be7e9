// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/blob_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace patchbay::runtime {
namespace {

namespace fs = std::filesystem;

bool is_valid_key(std::string_view key) {
  const auto is_valid = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !key.empty() && key.size() <= 128 && key.front() != '.' &&
         std::all_of(key.begin(), key.end(), is_valid);
}

fs::path cache_directory(const Environment& environment) {
  if (has_raised_privileges()) return {};
  if (const auto set = environment.get("cache_dir"); set && !set->empty()) return *set;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') {
    return fs::path(xdg) / "patchbay";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".cache" / "patchbay";
  }
  return {};
}

/// Blobs are run as code: only a directory that nobody else can write to will do.
bool is_private(const fs::path& directory) {
  struct stat info {};
  return lstat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::optional<std::string> cache_get(const Environment& environment, std::string_view key) {
  const fs::path directory = cache_directory(environment);
  if (directory.empty() || !is_valid_key(key) || !is_private(directory)) return std::nullopt;
  std::ifstream file(directory / key, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void cache_put(const Environment& environment, std::string_view key,
               std::string_view blob) noexcept {
  static std::atomic<unsigned> counter{0};
  try {
    const fs::path directory = cache_directory(environment);
    if (directory.empty() || !is_valid_key(key)) return;
    std::error_code error;
    if (!fs::exists(directory, error)) {
      fs::create_directories(directory.parent_path(), error);
      mkdir(directory.c_str(), S_IRWXU);
    }
    if (!is_private(directory)) return;
    const fs::path temporary =
        directory / fmt::format(".{}.{}.{}", key, getpid(), counter.fetch_add(1));
    std::ofstream file(temporary, std::ios::binary);
    file.write(blob.data(), static_cast<std::streamsize>(blob.size()));
    file.close();
    if (file) {
      fs::rename(temporary, directory / key, error);
    }
    if (!file || error) fs::remove(temporary, error);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a cache may forget
  }
}

}  // namespace patchbay::runtime
