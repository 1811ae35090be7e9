// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/output/own_descriptor.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/cancellation.h"

namespace patchbay::output {
namespace {

/// 2^30 to 2^31 - 1: a place that every file system allows.
off_t new_mark() noexcept {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof number)) {
    number = static_cast<std::uint32_t>(getpid()) * 2654435761u;
  }
  return static_cast<off_t>(number >> 2 | 1u << 30);
}

}  // namespace

OwnDescriptor::OwnDescriptor(int number) noexcept : number_(number) {
  if (number_ < 0) return;
  const base::CancellationOff not_cancelled;
  const int error = errno;
  struct stat info {};
  if (fstat(number_, &info) == 0) {
    device_ = info.st_dev;
    inode_ = info.st_ino;
  }
  mark_ = lseek(number_, new_mark(), SEEK_SET);
  errno = error;
}

OwnDescriptor::~OwnDescriptor() {
  if (number_ < 0) return;
  const base::CancellationOff not_cancelled;
  const int error = errno;
  if (is_ours()) close(number_);
  errno = error;
}

bool OwnDescriptor::is_ours() const noexcept {
  struct stat info {};
  const bool is_same = number_ >= 0 && fstat(number_, &info) == 0 && info.st_dev == device_ &&
                       info.st_ino == inode_ && (mark_ < 0 || lseek(number_, 0, SEEK_CUR) == mark_);
  if (!is_same) errno = EBADF;
  return is_same;
}

}  // namespace patchbay::output
