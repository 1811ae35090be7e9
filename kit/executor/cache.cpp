// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/cache.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "kit/library/search.hpp"

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

}  // namespace patchbay::executor
