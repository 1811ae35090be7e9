// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Cuts segments of a device's memory into blocks, and joins free neighbours.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_POOL_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_POOL_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "patchbay/memory.h"
#include "patchbay/plugin/types.h"

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

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_BLOCK_POOL_H_
