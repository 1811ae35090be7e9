// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Forked processes. A child of fork has neither the library's threads nor the drivers', and a lock
// that another thread held stays locked for ever. So a child never waits for, locks or destroys an
// object made before the fork: using one is an error, and its memory is left as it is.
#ifndef PATCHBAY_CORE_BASE_FORK_H_
#define PATCHBAY_CORE_BASE_FORK_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace patchbay::base {

/// The number of forks between the loading of the library and this process.
extern constinit std::atomic<std::uint32_t> num_forks;

/// The process that made an object.
class HomeProcess {
 public:
  HomeProcess() noexcept;
  /// False in a child that was forked after the object was made.
  bool is_here() const noexcept { return num_forks.load(std::memory_order_relaxed) == num_forks_; }
  /// Errors: kDeviceLost if this is another process; `where` names the device or the runtime.
  void check(std::string_view operation, std::string_view where) const {
    if (!is_here()) [[unlikely]]
      raise_elsewhere(operation, where);
  }

 private:
  [[noreturn, gnu::cold]] void raise_elsewhere(std::string_view operation,
                                               std::string_view where) const;

  std::uint32_t num_forks_;
  pid_t process_;
};

/// One T for each process, never destroyed. A child of fork makes its own.
template <class T>
class OfProcess {
 public:
  constexpr OfProcess() = default;
  OfProcess(const OfProcess&) = delete;
  OfProcess& operator=(const OfProcess&) = delete;

  /// Null if this process has not made it.
  T* find() noexcept {
    Made* const made = made_.load(std::memory_order_acquire);
    return made != nullptr && made->home.is_here() ? &made->object : nullptr;
  }
  /// All threads of a process get the same one: where several make one at once, the first to
  /// publish it wins, and the others destroy theirs. Errors: std::bad_alloc.
  T& get() {
    if (T* const known = find()) return *known;
    auto fresh = std::make_unique<Made>();
    Made* last = made_.load(std::memory_order_acquire);
    do {
      if (last != nullptr && last->home.is_here()) return last->object;
      fresh->inherited = last;
    } while (!made_.compare_exchange_weak(last, fresh.get(), std::memory_order_acq_rel,
                                          std::memory_order_acquire));
    return fresh.release()->object;
  }

 private:
  struct Made {
    HomeProcess home;
    T object;
    Made* inherited = nullptr;  // the parent's, kept reachable
  };
  std::atomic<Made*> made_{nullptr};
};

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_FORK_H_
