// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/output/write.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "core/base/cancellation.h"

namespace patchbay::output {
namespace {

/// A call transfers at most about 2 GiB on Linux.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

sigset_t file_size_signal() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

bool is_pending() noexcept {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

/// `write(from, size, done)` writes some bytes as write(2) does.
template <class Write>
bool write_pieces(const void* from, std::size_t size_bytes, Write write) noexcept {
  const base::CancellationOff not_cancelled;
  const WithoutFileSizeSignal no_signal;
  const char* const bytes = static_cast<const char*>(from);
  for (std::size_t done = 0; done < size_bytes;) {
    const ssize_t count = write(bytes + done, std::min(size_bytes - done, kMostAtOnce), done);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

WithoutFileSizeSignal::WithoutFileSizeSignal() noexcept {
  const sigset_t set = file_size_signal();
  pthread_sigmask(SIG_BLOCK, &set, &mask_before_);
  was_pending_ = is_pending();
}

WithoutFileSizeSignal::~WithoutFileSizeSignal() {
  const int error = errno;
  const sigset_t set = file_size_signal();
  const timespec no_time{};
  if (!was_pending_ && is_pending()) sigtimedwait(&set, nullptr, &no_time);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  errno = error;
}

bool write_all(int file, const void* from, std::size_t size_bytes) noexcept {
  return write_pieces(from, size_bytes, [&](const char* at, std::size_t size, std::size_t) {
    return ::write(file, at, size);
  });
}

bool write_all_at(int file, const void* from, std::size_t size_bytes,
                  std::int64_t offset_bytes) noexcept {
  return write_pieces(from, size_bytes, [&](const char* at, std::size_t size, std::size_t done) {
    return ::pwrite(file, at, size, offset_bytes + static_cast<std::int64_t>(done));
  });
}

}  // namespace patchbay::output
