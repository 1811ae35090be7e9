// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/cache.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "patchbay/plugin/kit/privileges.hpp"

#include "kit/text_hash.hpp"

namespace patchbay::executor {
namespace {

[[noreturn]] void refuse(const std::string& directory, const std::string& why) {
  plugin::invalid_argument("the cache directory '" + directory + "' of compiled kernels " + why +
                           ". Give another one by the setting cache_dir (PATCHBAY_CACHE_DIR).");
}

bool is_full(int error) { return error == ENOSPC || error == EDQUOT; }

[[noreturn]] void fail_full(const std::string& where, const char* reason, int number) {
  throw plugin::StatusError(PATCHBAY_IO_FAILED,
                            "the disk is full: there is no room for a compiled kernel in " + where +
                                " (" + reason +
                                "). Make room there, or name another directory by the setting "
                                "cache_dir (PATCHBAY_CACHE_DIR), and by TMPDIR for the compiler's "
                                "own files.",
                            number);
}

[[noreturn]] void fail(const std::string& path) {
  const int number = errno;
  if (is_full(number)) fail_full("'" + path + "'", std::strerror(number), number);
  throw plugin::StatusError(PATCHBAY_IO_FAILED,
                            "can't write '" + path + "': " + std::strerror(number), number);
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::string_view kSealMark = "patchbay kernel 1\n";
constexpr std::size_t kSealBytes = 18 + 32;  // the mark, and a text_hash

/// The checksum at the end of a library file, which the linker ignores.
std::string seal_of(std::string_view library, std::string_view key) {
  std::string all(library);
  all.append(1, '\0').append(key);
  return std::string(kSealMark) + text_hash(all);
}

bool is_sealed(const std::string& file, std::string_view key) {
  if (file.size() < kSealBytes) return false;
  const std::string_view all = file;
  const std::size_t end = file.size() - kSealBytes;
  return all.substr(end) == seal_of(all.substr(0, end), key);
}

/// Creates the missing folders of an absolute path, accessible to this user only.
void make_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      if (is_full(errno)) fail(part);
      refuse(path, "can't be made (" + std::string(std::strerror(errno)) + " at '" + part + "')");
    }
    if (end == std::string::npos) return;
  }
}

void check_private(const std::string& directory) {
  struct stat info {};
  if (lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    refuse(directory, "is not a folder or is a symbolic link");
  }
  if (info.st_uid != geteuid()) {
    refuse(directory, "belongs to another user: expected user " + std::to_string(geteuid()) +
                          ", got " + std::to_string(info.st_uid));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", info.st_mode & 07777u);
    refuse(directory, "may be written by others: expected mode 0700, got " + std::string(mode));
  }
}

/// An absolute path from the environment; empty if the process has raised privileges.
std::string from_environment(const char* name) {
  const char* const value = secure_getenv(name);
  return value != nullptr && *value == '/' ? value : "";
}

std::string base_directory(plugin::Host host) {
  if (auto set = host.option("cache_dir"); set && !set->empty()) return *set;
  if (const auto cache = from_environment("XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/patchbay";
  }
  if (const auto home = from_environment("HOME"); !home.empty()) return home + "/.cache/patchbay";
  if (plugin::has_raised_privileges()) {
    plugin::invalid_argument(
        "there is no directory for compiled kernels: a process with raised privileges reads no "
        "variable. Give an absolute path by the program's setting cache_dir.");
  }
  plugin::invalid_argument(
      "there is no directory for compiled kernels: expected the setting cache_dir, XDG_CACHE_HOME "
      "or HOME, got none. Give an absolute path by the setting cache_dir (PATCHBAY_CACHE_DIR).");
}

}  // namespace

std::string Cache::directory() const {
  const std::string base = base_directory(host_), directory = base + "/kernels";
  make_directories(directory);
  check_private(base);
  check_private(directory);
  return directory;
}

bool is_whole_library(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  Elf64_Ehdr header{};
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  // The compiler writes the section table last.
  const std::uint64_t table = std::uint64_t{header.e_shentsize} * header.e_shnum;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_shnum != 0 &&
         header.e_shoff <= size && table <= size - header.e_shoff;
}

std::string find_library(const std::string& directory, std::string_view key) {
  std::string path = directory + "/" + std::string(key) + ".so";
  struct stat info {};
  const bool trusted = lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
                       info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
                       is_sealed(read_whole(path), key);
  return trusted ? path : std::string();
}

void check_disk(const std::string& directory, std::string_view log) {
  // The compiler runs in the C locale, so it prints these messages of the C library.
  constexpr std::pair<const char*, int> kReasons[] = {{"No space left on device", ENOSPC},
                                                      {"Disk quota exceeded", EDQUOT}};
  for (const auto& [reason, number] : kReasons) {
    if (log.find(reason) == std::string_view::npos) continue;
    const std::string temporary = from_environment("TMPDIR");
    fail_full("'" + directory + "' or '" + (temporary.empty() ? "/tmp" : temporary) + "'", reason,
              number);
  }
}

TemporaryFile::TemporaryFile(const std::string& directory, std::string_view suffix,
                             std::string_view content)
    : path_(directory + "/.new-XXXXXX" + std::string(suffix)) {
  const int file = mkostemps(path_.data(), static_cast<int>(suffix.size()), O_CLOEXEC);
  if (file < 0) fail(path_);
  const bool written = write_all(file, content);
  const int error = errno;
  close(file);
  if (written) return;
  unlink(path_.c_str());
  errno = error;
  fail(path_);
}

TemporaryFile::~TemporaryFile() { unlink(path_.c_str()); }

void TemporaryFile::seal(std::string_view key) const {
  const std::string seal = seal_of(read_whole(path_), key);
  // Sync before renaming, so that no incomplete file remains after a power failure.
  const int file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) fail(path_);
  const bool written = write_all(file, seal) && fsync(file) == 0;
  const int error = errno;
  close(file);
  errno = error;
  if (!written) fail(path_);
}

void TemporaryFile::publish(const std::string& path) const {
  if (chmod(path_.c_str(), S_IRWXU) != 0 || rename(path_.c_str(), path.c_str()) != 0) fail(path);
}

}  // namespace patchbay::executor
