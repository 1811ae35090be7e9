// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The memory of one device. Every block that the runtime holds comes from here.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_ALLOCATOR_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_ALLOCATOR_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "patchbay/memory.h"
#include "patchbay/plugin/types.h"

#include "core/runtime/memory/block_pool.h"
#include "core/runtime/memory/live_count.h"
#include "core/runtime/stream/position.h"

namespace patchbay::runtime {

struct DeviceState;

/// Live memory of one tag.
struct TagCount {
  std::atomic<std::uint64_t> bytes{0}, blocks{0};
};

struct Allocation {
  Block* block = nullptr;  // null for 0 bytes
  TagCount* tag = nullptr;
  std::size_t size_bytes = 0;
  bool is_scratch = false;  // a plugin's own
};

struct LiveMemory {
  std::uint64_t num_blocks = 0, size_bytes = 0;
};

/// Memory of one kind. Freed memory is kept for later requests: small blocks in caches for the
/// threads, the rest in pools. A block that a stream still uses can be taken again at once: it
/// carries its uses, and the new owner's work waits for them.
class KindAllocator {
 public:
  KindAllocator(DeviceState& device, MemoryKind kind);
  ~KindAllocator();
  KindAllocator(const KindAllocator&) = delete;
  KindAllocator& operator=(const KindAllocator&) = delete;

  /// A block that is kept for this thread, which needs no call of the plugin. Returns one without
  /// a block if there is none, or if the plugin is being closed.
  Allocation allocate_kept(std::size_t size_bytes) noexcept;
  /// The caller has called `enter`. Errors: kOutOfMemory once everything else has been tried.
  Allocation allocate(std::size_t size_bytes, bool is_scratch = false);
  /// `uses` are those that may not have ended.
  void free(const Allocation& allocation, std::vector<PastUse> uses) noexcept;
  /// Waits for the uses of freed blocks and releases all unused memory.
  void trim() noexcept;
  /// Frees what freed blocks are listed in. The device is closed, and no thread uses it any more.
  void free_lists() noexcept;
  /// Returns freed blocks that are no longer in use to their pools, unless another thread does.
  void collect() noexcept;
  void set_source(std::shared_ptr<MemoryResource> source, bool caches);
  void set_limit(std::size_t bytes) { limit_bytes_.store(bytes); }
  void fill(DeviceMemory& memory);
  std::uint64_t live_bytes() const { return live_.bytes(); }
  std::uint64_t live_blocks() const { return live_.blocks(); }
  /// What is live without plugins' scratch memory.
  LiveMemory live_without_scratch() const;

 private:
  void count(const Allocation& allocation);
  void trace(std::string_view what, std::size_t size_bytes) const noexcept;
  TagCount* tag_count();
  Block* find(std::size_t size_bytes);
  Block* take_or_grow(std::size_t size_bytes);
  Block* take_at_hand(std::size_t rounded_bytes);
  Block* take_from_larger(std::size_t size_bytes);
  Block* take_pending(std::size_t rounded_bytes);
  Block* grow(std::size_t size_bytes);
  Block* add_segment(std::size_t segment_bytes, std::size_t rounded_bytes);
  Block* add_lone(std::size_t size_bytes);
  void reserve(std::size_t size_bytes);
  std::unique_ptr<Segment> request(std::size_t size_bytes);
  void shrink_for(std::size_t segment_bytes) noexcept;
  std::string largest_holders();
  std::size_t largest_free_bytes_locked() const;
  [[noreturn]] void raise_failure(std::size_t size_bytes, const std::string& why);
  void give(Block* block) noexcept;
  void flush() noexcept;
  std::vector<TaggedMemory> live_by_tag();
  std::size_t round(std::size_t size_bytes) const;
  BlockPool& pool_for(std::size_t rounded_bytes);
  bool has_room_for(std::size_t segment_bytes) const;

  DeviceState& device_;
  const MemoryKind kind_;
  BlockCache cache_;
  LiveCount live_;
  std::atomic<std::uint64_t> scratch_blocks_{0}, scratch_bytes_{0};  // the scratch memory in live_
  // Counts the changes of both, at their beginning and at their end: equal while none is under way.
  std::atomic<std::uint64_t> scratch_begun_{0}, scratch_ended_{0};
  std::atomic<std::size_t> limit_bytes_{0}, reserved_bytes_{0};  // declared before what it counts
  std::atomic<bool> caches_{true};

  class TrimTurn;
  // Held while blocks and segments are taken out to be released: a thread that is out of memory
  // must not miss them. Taken before mutex_, for trims alone.
  std::atomic_flag is_trimming_;
  std::mutex mutex_;  // no plugin is called while it is held
  std::shared_ptr<MemoryResource> source_;
  BlockPool small_, shared_, large_;
  Block* pending_ = nullptr;  // freed while in use
  std::size_t peak_reserved_bytes_ = 0;
  std::uint64_t num_driver_allocations_ = 0;
  std::mutex tags_mutex_;
  std::map<std::string, TagCount, std::less<>> tags_;
};

/// The allocators of all kinds.
class Allocator {
 public:
  explicit Allocator(DeviceState& device)
      : kinds_{KindAllocator(device, MemoryKind::kDevice),
               KindAllocator(device, MemoryKind::kPinned),
               KindAllocator(device, MemoryKind::kUnified)} {}

  /// Throws invalid argument for a kind that does not exist.
  KindAllocator& of(MemoryKind kind) {
    const std::size_t index = static_cast<std::size_t>(kind) - 1;
    if (index >= std::size(kinds_)) [[unlikely]]
      raise_unknown(kind);
    return kinds_[index];
  }
  [[noreturn, gnu::cold]] static void raise_unknown(MemoryKind kind);
  void set_source(const std::shared_ptr<MemoryResource>& source, bool caches) {
    for (KindAllocator& kind : kinds_) kind.set_source(source, caches);
  }
  void trim() noexcept {
    for (KindAllocator& kind : kinds_) kind.trim();
  }
  void free_lists() noexcept {
    for (KindAllocator& kind : kinds_) kind.free_lists();
  }
  /// Allocates memory for a plugin's own use. The plugin releases it when it is done.
  patchbay_memory allocate_scratch(std::size_t size_bytes);
  void free_scratch(patchbay_memory memory) noexcept;
  /// What is live without plugins' scratch memory.
  LiveMemory live_without_scratch() const {
    LiveMemory all;
    for (const KindAllocator& kind : kinds_) {
      const LiveMemory live = kind.live_without_scratch();
      all.num_blocks += live.num_blocks;
      all.size_bytes += live.size_bytes;
    }
    return all;
  }
  std::uint64_t live_bytes() const { return sum(&KindAllocator::live_bytes); }
  std::uint64_t live_blocks() const { return sum(&KindAllocator::live_blocks); }

 private:
  std::uint64_t sum(std::uint64_t (KindAllocator::*count)() const) const {
    std::uint64_t result = 0;
    for (const KindAllocator& kind : kinds_) result += (kind.*count)();
    return result;
  }

  std::array<KindAllocator, 3> kinds_;
  mutable std::mutex scratch_mutex_;
  std::map<std::pair<void*, std::uint64_t>, Allocation> scratch_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_ALLOCATOR_H_
