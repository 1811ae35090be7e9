// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cache/blob_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>

#include "core/base/cancellation.h"
#include "core/output/write.h"

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

fs::path cache_directory(const base::Environment& environment) {
  if (base::has_raised_privileges()) return {};
  if (const auto set = environment.get("cache_dir"); set && !set->empty()) return *set;
  if (const auto caches = environment.folder("XDG_CACHE_HOME"); caches.starts_with('/')) {
    return fs::path(caches) / "patchbay";
  }
  if (const auto home = environment.folder("HOME"); home.starts_with('/')) {
    return fs::path(home) / ".cache" / "patchbay";
  }
  return {};
}

/// Blobs are run as code, so nobody else may write to the directory.
bool is_private(const fs::path& directory) {
  struct stat info {};
  return lstat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Precedes a blob; its hash covers the key too. A damaged or wrong blob is never returned, because
/// drivers abort on one.
struct Header {
  std::uint64_t size_bytes = 0, hash = 0;
  friend bool operator==(const Header&, const Header&) = default;
};

Header header_of(std::string_view key, std::string_view blob) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::string_view part : {key, blob}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return {blob.size(), hash};
}

/// `flushes` to disk, so that a power cut can't leave half a file, which is no blob.
bool write_file(const fs::path& path, std::string_view key, std::string_view blob, bool flushes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return false;
  flock(file, LOCK_EX | LOCK_NB);  // a file that nobody holds is a leftover
  const Header header = header_of(key, blob);
  const bool written = output::write_all(file, &header, sizeof(header)) &&
                       output::write_all(file, blob.data(), blob.size()) &&
                       (!flushes || fsync(file) == 0);
  return close(file) == 0 && written;
}

/// Whether it is the name of a file that is still being written.
bool is_temporary(const std::string& name) {
  const std::size_t counter = name.rfind('.');
  return name.front() == '.' && counter > 0 &&
         name.find_first_not_of("0123456789", counter + 1) == std::string::npos;
}

/// Removes what processes have left that were killed while they wrote.
void remove_leftovers(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator next(directory, error), end; !error && next != end;
       next.increment(error)) {
    if (!is_temporary(next->path().filename().string())) continue;
    const int file = open(next->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(next->path().c_str());
    close(file);
  }
}

/// Returns false at the end of the file.
bool read_all(int file, void* data, std::size_t size_bytes) {
  char* at = static_cast<char*>(data);
  while (size_bytes != 0) {
    const ssize_t got = read(file, at, size_bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size_bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Only the header of a file whose size is not the one in there, and nothing of a file that is not
/// a regular one.
std::optional<std::string> read_blob(int file, std::string_view key) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
  struct stat info {};
  Header header;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  if (!read_all(file, &header, sizeof(header)) || header.size_bytes > kMostBytes ||
      static_cast<std::uint64_t>(info.st_size) != sizeof(header) + header.size_bytes) {
    return std::nullopt;
  }
  std::string blob(header.size_bytes, '\0');
  if (!read_all(file, blob.data(), blob.size()) || header != header_of(key, blob)) {
    return std::nullopt;
  }
  return blob;
}

std::optional<std::string> read_file(const fs::path& path, std::string_view key) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  auto blob = read_blob(file, key);
  close(file);
  return blob;
}

}  // namespace

std::optional<std::string> cache_get(const base::Environment& environment, std::string_view key) {
  const base::CancellationOff not_cancelled;
  const fs::path directory = cache_directory(environment);
  if (directory.empty() || !is_valid_key(key) || !is_private(directory)) return std::nullopt;
  return read_file(directory / key, key);
}

void cache_put(const base::Environment& environment, std::string_view key, std::string_view blob,
               bool survives_power_cut) noexcept {
  const base::CancellationOff not_cancelled;
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
    remove_leftovers(directory);
    const fs::path temporary =
        directory / fmt::format(".{}.{}.{}", key, getpid(), counter.fetch_add(1));
    const bool written = write_file(temporary, key, blob, survives_power_cut);
    if (written) fs::rename(temporary, directory / key, error);
    if (!written || error) fs::remove(temporary, error);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a cache may lose blobs
  }
}

}  // namespace patchbay::runtime
