// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory for the stacks of work-items that wait at barriers. Reused by later launches.
#ifndef PATCHBAY_KIT_EXECUTOR_STACKS_HPP_
#define PATCHBAY_KIT_EXECUTOR_STACKS_HPP_

#include <cstddef>
#include <mutex>
#include <vector>

namespace patchbay::executor {

/// Thread-safe.
class Stacks {
 public:
  /// Of one work-item. Not a power of two, so that stacks do not compete for the same cache lines.
  static constexpr std::size_t kStackBytes = (64 << 10) + 320;
  /// The shared memory of a group.
  static constexpr std::size_t kSharedBytes = std::size_t{1} << 20;
  static constexpr std::size_t kPageBytes = 4096;  // one is before the memory, to catch an overflow

  Stacks() = default;
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  /// Holds stacks for a group of that many work-items and returns them when destroyed.
  class Lease {
   public:
    Lease(Stacks& owner, int num_work_items);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    char* memory() const { return area_.memory; }
    /// Aligned to 64 bytes.
    char* shared() const { return area_.memory + area_.size_bytes - kPageBytes - kSharedBytes; }

   private:
    friend class Stacks;
    Stacks& owner_;
    struct Area {
      char* memory;
      std::size_t size_bytes;
    } area_;
  };

 private:
  using Area = decltype(Lease::area_);
  Area take(std::size_t size_bytes);
  void give_back(Area area) noexcept;

  static constexpr std::size_t kMostKept = 16;
  std::mutex mutex_;
  std::vector<Area> kept_;
};

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_STACKS_HPP_
