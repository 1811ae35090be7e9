// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Waits on a word, and pauses a spinning thread. All Linux-specific code for threads is here.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_FUTEX_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_FUTEX_HPP_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace patchbay::cpu {

/// Sleeps while `word` holds `expected`; may return early.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

inline void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Spins until `ready()` or until `limit_ns` have passed; returns the last result of ready(). The
/// clock is read rarely, because it is slower than a pause.
template <class Ready>
bool spin_until(std::uint64_t limit_ns, Ready&& ready) noexcept {
  for (int i = 0; i < 64; ++i) {
    if (ready()) return true;
    spin_pause();
  }
  const std::uint64_t deadline = monotonic_ns() + limit_ns;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      spin_pause();
    }
  } while (monotonic_ns() < deadline);
  return ready();
}

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_FUTEX_HPP_
