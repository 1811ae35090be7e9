// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Forked processes. In a child of fork neither the library's threads nor the drivers' exist, and a
// lock that another thread held stays locked for ever. So nothing that was made before the fork is
// waited for, locked or destroyed there: its use is an error, and its memory is left as it is.
#ifndef PATCHBAY_CORE_BASE_FORK_H_
#define PATCHBAY_CORE_BASE_FORK_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace patchbay::runtime {

/// How many forks lie between the start of the program and this process. Counted from the first
/// call of watch_forks().
extern constinit std::atomic<std::uint32_t> num_forks;
/// Called when a runtime is made. Errors: std::bad_alloc.
void watch_forks();

/// The process that made an object.
class HomeProcess {
 public:
  HomeProcess() noexcept;
  /// False in a child that was forked after the object was made.
  bool is_here() const noexcept { return num_forks.load(std::memory_order_relaxed) == num_forks_; }
  /// Errors: kDeviceLost if it is another one; `where` names the device or the runtime.
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

/// The one T of a process, which is never destroyed. A child of fork makes one of its own.
template <class T>
class OfProcess {
 public:
  constexpr OfProcess() = default;
  OfProcess(const OfProcess&) = delete;
  OfProcess& operator=(const OfProcess&) = delete;

  /// Null if this process has made none.
  T* find() noexcept {
    Made* const made = made_.load(std::memory_order_acquire);
    return made != nullptr && made->home.is_here() ? &made->object : nullptr;
  }
  /// Errors: std::bad_alloc.
  T& get() {
    if (T* const known = find()) return *known;
    auto fresh = std::make_unique<Made>();
    fresh->inherited = made_.load(std::memory_order_acquire);
    if (made_.compare_exchange_strong(fresh->inherited, fresh.get(), std::memory_order_acq_rel)) {
      static_cast<void>(fresh.release());
    }
    return made_.load(std::memory_order_acquire)->object;
  }

 private:
  struct Made {
    HomeProcess home;
    T object;
    Made* inherited = nullptr;  // the parent's, which stays reachable
  };
  std::atomic<Made*> made_{nullptr};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_BASE_FORK_H_
