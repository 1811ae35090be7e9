// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/kernels/build_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "opencl/api/pocl.hpp"

namespace patchbay::opencl {
namespace {

constexpr std::chrono::seconds kMostPatience{60};
constexpr std::chrono::milliseconds kPause{5};

/// The byte of the lock file for a program: different programs do not wait for each other.
off_t place_of(std::string_view key) {
  std::uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const char c : key) {
    hash = (hash ^ static_cast<unsigned char>(c)) * UINT64_C(0x100000001b3);
  }
  return static_cast<off_t>(hash >> 2);
}

/// Locks the open file description, so that threads exclude each other too.
bool try_lock(int file, off_t place) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = place;
  range.l_len = 1;
  return fcntl(file, F_OFD_SETLK, &range) == 0;
}

}  // namespace

BuildLock::BuildLock(const DeviceInfo& device, std::string_view key) {
  if (!device.is_pocl) return;
  const std::string directory = pocl_directory();
  if (directory.empty()) return;
  const std::string path = directory + "/patchbay.lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (file_ < 0) return;
  const off_t place = place_of(key);
  const auto end = std::chrono::steady_clock::now() + kMostPatience;
  while (!try_lock(file_, place) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPause);
  }
}

BuildLock::~BuildLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace patchbay::opencl
