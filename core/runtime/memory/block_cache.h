// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Recently freed small blocks, for the next request of their size.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_CACHE_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_CACHE_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/counted.h"
#include "core/runtime/memory/block_pool.h"

namespace patchbay::runtime {

/// Each shard of the threads has a list of blocks for each size class. Never waits for a busy
/// shard. Holds nothing before `make_lists`.
class BlockCache {
 public:
  static constexpr std::size_t kGranuleBytes = 256;
  static constexpr std::size_t kLargestBytes = std::size_t{1} << 20;

  /// The largest size of the class, at most 1/8 more. Blocks for `size_bytes` have this size.
  static std::size_t round(std::size_t size_bytes) {
    const std::size_t last = (size_bytes - 1) / kGranuleBytes;  // the index of the last granule
    if (last < kSteps) return (last + 1) * kGranuleBytes;
    const int shift = static_cast<int>(std::bit_width(last)) - kStepBits - 1;
    return (((last >> shift) + 1) << shift) * kGranuleBytes;
  }

  /// Makes the lists, unless they are there. One thread at a time. Errors: std::bad_alloc.
  void make_lists();
  /// Frees the lists, which are empty. No thread uses the cache any more.
  void free_lists() noexcept;
  /// A block of a rounded size of at most kLargestBytes; null if there is none.
  Block* take(std::size_t size_bytes) noexcept;
  /// False if the cache is full, or has no lists.
  bool give(Block* block) noexcept;
  /// Removes all blocks and returns them as a list by `next`.
  Block* take_all() noexcept;

 private:
  static constexpr int kStepBits = 3, kSteps = 1 << kStepBits;
  static constexpr std::size_t kClasses = 80;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20, kMostBlocks = 32;

  struct Class {
    Block* first = nullptr;
    std::uint32_t size = 0;
  };
  struct alignas(64) Shard {
    std::atomic<bool> busy{false};
    std::size_t bytes = 0;
    std::array<Class, kClasses> classes{};
  };
  class Hold;

  using Shards = std::array<Shard, kThreadShards>;

  static std::size_t class_of(std::size_t size_bytes);
  /// This thread's, or null.
  Shard* own_shard() const noexcept {
    Shards* const shards = shards_.load(std::memory_order_acquire);
    return shards != nullptr ? &(*shards)[thread_shard()] : nullptr;
  }

  std::unique_ptr<Shards> owned_;
  std::atomic<Shards*> shards_{nullptr};  // the same, for all threads
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_CACHE_H_
