// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Cuts segments of a device's memory into blocks, and joins free neighbours. Keeps small blocks for
// the next request.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_POOL_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_POOL_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "patchbay/memory.h"
#include "patchbay/plugin/types.h"

#include "core/base/counted.h"
#include "core/runtime/stream/position.h"

namespace patchbay::runtime {

class BlockPool;

/// One piece of memory from a resource. Its end returns the memory and lowers `reserved`.
struct Segment {
  /// Throws what the resource throws.
  Segment(std::shared_ptr<MemoryResource> source, MemoryKind kind, std::size_t size_bytes,
          std::size_t alignment_bytes, std::atomic<std::size_t>& reserved);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  const std::shared_ptr<MemoryResource> source;
  const MemoryKind kind;
  const std::size_t size_bytes;
  const RawMemory memory;
  std::atomic<std::size_t>& reserved;
  BlockPool* pool = nullptr;  // null: the whole segment is one block, outside the pools
};

/// A piece of a segment. `uses` are the earlier owners' uses that may not have ended; the next
/// owner's work must wait for them.
struct Block {
  Segment* segment = nullptr;
  std::size_t offset_bytes = 0, size_bytes = 0;
  std::vector<PastUse> uses;
  Block *next = nullptr, *previous = nullptr;  // in a list of free blocks
  Block *before = nullptr, *after = nullptr;   // neighbours in the segment
  bool is_free = false;                        // in the pool, so neighbours may join it

  patchbay_memory memory() const {
    return {segment->memory.base, segment->memory.offset_bytes + offset_bytes};
  }
};

/// Two-level segregated fit: free blocks are listed by power of two and 32 steps within it, found
/// by bitmaps. Taking and giving take constant time, and a block is at most 1/32 larger than
/// necessary. Takes no lock. Without a segment it has no lists either.
class BlockPool {
 public:
  /// Sizes and offsets are multiples of `granule_bytes`, a power of two.
  explicit BlockPool(std::size_t granule_bytes) : granule_bytes_(granule_bytes) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  std::size_t round(std::size_t size_bytes) const {
    return (size_bytes + granule_bytes_ - 1) / granule_bytes_ * granule_bytes_;
  }
  /// A block of a rounded size, cut from a free one of at most `most_bytes`; null if there is none.
  Block* take(std::size_t size_bytes, std::size_t most_bytes);
  void give(Block* block) noexcept;
  /// Adds a segment as one free block. Its size is a rounded one.
  void add(std::unique_ptr<Segment> segment);
  /// Removes the largest unused segment; null if there is none.
  std::unique_ptr<Segment> remove_unused() noexcept;

  std::size_t largest_free_bytes() const;

 private:
  static constexpr int kSteps = 32, kPowers = 48;
  /// All that a pool with a segment needs.
  struct Lists {
    std::array<std::array<Block*, kSteps>, kPowers> free{};
    std::array<std::uint32_t, kPowers> steps{};  // a bit for each list that is not empty
    std::deque<Block> blocks;                    // a deque never moves them
  };
  struct SizeClass {
    int power, step;
  };
  SizeClass class_of(std::size_t size_bytes) const;
  Block*& first_of(SizeClass size_class) const {
    return lists_->free[static_cast<std::size_t>(size_class.power)]
                       [static_cast<std::size_t>(size_class.step)];
  }
  Block* find(std::size_t size_bytes) const;
  Block* search_own_list(std::size_t size_bytes) const;
  void link(Block* block) noexcept;
  void unlink(Block* block) noexcept;
  Block* new_block();
  void recycle(Block* block) noexcept;
  void free_lists() noexcept;
  static bool is_whole(const Block& block) {
    return block.before == nullptr && block.after == nullptr;
  }

  const std::size_t granule_bytes_;
  std::uint64_t powers_ = 0;      // a bit for each power that has a free block
  std::unique_ptr<Lists> lists_;  // null without a segment
  std::vector<std::unique_ptr<Segment>> segments_;
  Block* spare_ = nullptr;        // unused objects among the blocks
  std::size_t unused_bytes_ = 0;  // in segments that are wholly free
};

/// Recently freed small blocks, for the next request of their size.
///
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

  using Shards = std::array<Shard, base::kThreadShards>;

  static std::size_t class_of(std::size_t size_bytes);
  /// This thread's, or null.
  Shard* own_shard() const noexcept {
    Shards* const shards = shards_.load(std::memory_order_acquire);
    return shards != nullptr ? &(*shards)[base::thread_shard()] : nullptr;
  }

  std::unique_ptr<Shards> owned_;
  std::atomic<Shards*> shards_{nullptr};  // the same, for all threads
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_POOL_H_
