// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/cache.hpp"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "kit/library/search.hpp"
#include "kit/text_hash.hpp"

namespace patchbay::executor {
namespace {

[[noreturn]] void refuse(const std::string& directory, const std::string& why) {
  plugin::invalid_argument("the cache directory '" + directory + "' of compiled kernels " + why +
                           ". Give another one by the setting cache_dir (PATCHBAY_CACHE_DIR).");
}

bool is_full(int error) { return error == ENOSPC || error == EDQUOT; }

[[noreturn]] void fail_full(const std::string& path, const char* reason, int number) {
  throw plugin::StatusError(PATCHBAY_IO_FAILED,
                            "the disk is full: there is no room for a compiled kernel in '" + path +
                                "' (" + reason +
                                "). Make room there, or name another directory by the setting "
                                "cache_dir (PATCHBAY_CACHE_DIR).",
                            number);
}

/// Creates the missing folders of an absolute path, accessible to this user only.
void make_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      if (is_full(errno)) fail_to_write(part);
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

/// An absolute path from the environment.
std::string from_environment(const char* name) {
  std::string value = environment(name);
  return value.starts_with('/') ? value : "";
}

std::string base_directory(plugin::Host host, const std::string& cache_home,
                           const std::string& home) {
  if (auto set = host.option("cache_dir"); set && !set->empty()) return *set;
  if (!cache_home.empty()) return cache_home + "/patchbay";
  if (!home.empty()) return home + "/.cache/patchbay";
  plugin::invalid_argument(
      "there is no directory for compiled kernels, because cache_dir, XDG_CACHE_HOME and HOME are "
      "not set. Give an absolute path by the setting cache_dir (PATCHBAY_CACHE_DIR).");
}

/// A write beyond RLIMIT_FSIZE fails then, and sends this thread no SIGXFSZ, which would end the
/// process. Keeps errno.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &mask_before_);
    was_pending_ = is_pending();
  }
  ~WithoutFileSizeSignal() {
    const int error = errno;
    const timespec no_time{};
    if (!was_pending_ && is_pending()) sigtimedwait(&signal_, nullptr, &no_time);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    errno = error;
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  static bool is_pending() noexcept {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  }

  sigset_t signal_, mask_before_;
  bool was_pending_;
};

}  // namespace

void fail_to_write(const std::string& path) {
  const int number = errno;
  if (is_full(number)) fail_full(path, std::strerror(number), number);
  throw plugin::StatusError(PATCHBAY_IO_FAILED,
                            "can't write '" + path + "': " + std::strerror(number), number);
}

bool write_all(int file, std::string_view content) {
  const WithoutFileSizeSignal no_signal;
  while (!content.empty()) {
    const ssize_t n = write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Cache::Cache(plugin::Host host)
    : host_(host),
      cache_home_(from_environment("XDG_CACHE_HOME")),
      home_(from_environment("HOME")) {}

std::string Cache::directory() const {
  const std::string base = base_directory(host_, cache_home_, home_), directory = base + "/kernels";
  make_directories(directory);
  check_private(base);
  check_private(directory);
  return directory;
}

void check_disk(const std::string& directory, std::string_view log) {
  // The compiler runs in the C locale, so it prints these messages of the C library.
  constexpr std::pair<const char*, int> kReasons[] = {{"No space left on device", ENOSPC},
                                                      {"Disk quota exceeded", EDQUOT}};
  for (const auto& [reason, number] : kReasons) {
    if (log.find(reason) == std::string_view::npos) continue;
    fail_full(directory, reason, number);
  }
}

namespace {

constexpr std::string_view kSealMark = "patchbay kernel 2\n";
constexpr std::size_t kSizeDigits = 16, kHashDigits = 32;
constexpr std::size_t kSealBytes = 18 + kSizeDigits + kHashDigits;
static_assert(kSealMark.size() == 18);
/// A kernel takes some KiB.
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

/// A regular file, open for reading. It is never waited for, as a FIFO would be.
class File {
 public:
  explicit File(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    is_regular_ = file_ >= 0 && fstat(file_, &info_) == 0 && S_ISREG(info_.st_mode);
  }
  ~File() {
    if (file_ >= 0) close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  explicit operator bool() const { return is_regular_; }
  std::uint64_t size() const { return static_cast<std::uint64_t>(info_.st_size); }
  bool is_private() const {
    return info_.st_uid == geteuid() && (info_.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }
  bool read(void* data, std::size_t size, std::uint64_t offset) const {
    auto* to = static_cast<char*>(data);
    while (size != 0) {
      const ssize_t got = pread(file_, to, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      size -= static_cast<std::size_t>(got);
      offset += static_cast<std::size_t>(got);
    }
    return true;
  }
  std::optional<std::string> text(std::uint64_t offset, std::uint64_t size) const {
    std::string content(size, '\0');
    if (!read(content.data(), size, offset)) return std::nullopt;
    return content;
  }

 private:
  const int file_;
  struct stat info_ {};
  bool is_regular_ = false;
};

/// The end of a library file, which the linker ignores: the library's size, and a checksum.
std::string size_part(std::uint64_t size) {
  char digits[kSizeDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(size));
  return std::string(kSealMark) + digits;
}

std::string seal_of(std::string_view library, std::string_view key) {
  std::string all(library);
  all.append(1, '\0').append(key);
  return size_part(library.size()) + text_hash(all);
}

/// The size is compared first, so that of a file with another one no more than the end is read.
bool is_sealed(const File& file, std::string_view key) {
  if (file.size() < kSealBytes || file.size() > kMostBytes) return false;
  const std::uint64_t size = file.size() - kSealBytes;
  const auto seal = file.text(size, kSealBytes);
  if (!seal || !seal->starts_with(size_part(size))) return false;
  const auto library = file.text(0, size);
  return library && *seal == seal_of(*library, key);
}

}  // namespace

bool is_whole_library(const std::string& path) {
  const File file(path);
  Elf64_Ehdr header{};
  if (!file || file.size() > kMostBytes - kSealBytes || !file.read(&header, sizeof header, 0)) {
    return false;
  }
  // The compiler writes the section table last.
  const std::uint64_t table = std::uint64_t{header.e_shentsize} * header.e_shnum;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_shnum != 0 &&
         header.e_shoff <= file.size() && table <= file.size() - header.e_shoff;
}

void keep_library(const std::string& made, const std::string& directory, std::string_view key) {
  const File library(made);
  const auto content = library ? library.text(0, library.size()) : std::nullopt;
  if (!content) fail_to_write(made);
  // Sync before renaming, so that no incomplete file remains after a power failure.
  const int file = open(made.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) fail_to_write(made);
  const bool written =
      write_all(file, seal_of(*content, key)) && fchmod(file, S_IRWXU) == 0 && fsync(file) == 0;
  const int error = errno;
  close(file);
  errno = error;
  const std::string path = directory + "/" + std::string(key) + ".so";
  if (!written || rename(made.c_str(), path.c_str()) != 0) fail_to_write(path);
}

std::string find_library(const std::string& directory, std::string_view key) {
  std::string path = directory + "/" + std::string(key) + ".so";
  const File file(path);
  return file && file.is_private() && is_sealed(file, key) ? path : std::string();
}

}  // namespace patchbay::executor
