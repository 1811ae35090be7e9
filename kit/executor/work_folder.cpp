// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/work_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "kit/executor/cache.hpp"

namespace patchbay::executor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".build-";

/// Earlier versions left single files, which have no lock.
bool is_old_file(int file, std::string_view name) {
  constexpr std::time_t kOldS = 3600;
  struct stat info {};
  return name.starts_with(".new-") && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
         std::time(nullptr) - info.st_mtim.tv_sec > kOldS;
}

/// Removes what processes have left that were killed while they compiled.
void remove_leftovers(const std::string& cache) {
  std::error_code error;
  for (fs::directory_iterator next(cache, error), end; !error && next != end;
       next.increment(error)) {
    const std::string name = next->path().filename().string();
    if (!name.starts_with('.')) continue;
    const int file = open(next->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) continue;
    const bool is_left = name.starts_with(kPrefix) && flock(file, LOCK_EX | LOCK_NB) == 0;
    std::error_code ignored;
    if (is_left || is_old_file(file, name)) fs::remove_all(next->path(), ignored);
    close(file);
  }
}

void write_new_file(const std::string& path, std::string_view content) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) fail_to_write(path);
  const bool written = write_all(file, content);
  const int error = errno;
  close(file);
  errno = error;
  if (!written) fail_to_write(path);
}

}  // namespace

WorkFolder::WorkFolder(const std::string& cache, std::string_view text) {
  remove_leftovers(cache);
  make(cache);
  try {
    write_new_file(this->text(), text);
  } catch (...) {
    remove();
    throw;
  }
}

WorkFolder::~WorkFolder() { remove(); }

void WorkFolder::make(const std::string& cache) {
  for (;;) {
    path_ = cache + "/" + std::string(kPrefix) + "XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) fail_to_write(path_);
    lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    // Another process may take it for a leftover before it is locked, and remove it.
    const bool is_lost = lock_ < 0
                             ? errno == ENOENT
                             : (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
                                   access(path_.c_str(), F_OK) != 0;
    if (lock_ >= 0 && !is_lost) return;
    const int error = errno;
    remove();
    errno = error;
    if (!is_lost) fail_to_write(path_);
  }
}

void WorkFolder::remove() noexcept {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
  lock_ = -1;
}

}  // namespace patchbay::executor
