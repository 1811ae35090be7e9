// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/block_cache.h"

#include <thread>

namespace patchbay::runtime {

/// Holds a shard, unless another thread does.
class BlockCache::Hold {
 public:
  explicit Hold(Shard& shard) noexcept
      : shard_(shard), holds_(!shard.busy.exchange(true, std::memory_order_acquire)) {}
  ~Hold() {
    if (holds_) shard_.busy.store(false, std::memory_order_release);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  explicit operator bool() const { return holds_; }

 private:
  Shard& shard_;
  const bool holds_;
};

std::size_t BlockCache::class_of(std::size_t size_bytes) {
  const std::size_t last = size_bytes / kGranuleBytes - 1;
  if (last < kSteps) return last;
  const int shift = static_cast<int>(std::bit_width(last)) - kStepBits - 1;
  return static_cast<std::size_t>(shift) * kSteps + (last >> shift);
}

void BlockCache::make_lists() {
  if (owned_ != nullptr) return;
  owned_ = std::make_unique<Shards>();
  shards_.store(owned_.get(), std::memory_order_release);
}

void BlockCache::free_lists() noexcept {
  shards_.store(nullptr, std::memory_order_release);
  owned_.reset();
}

Block* BlockCache::take(std::size_t size_bytes) noexcept {
  Shard* const shard = own_shard();
  if (shard == nullptr) [[unlikely]]
    return nullptr;
  const Hold hold(*shard);
  if (!hold) return nullptr;
  Class& own = shard->classes[class_of(size_bytes)];
  Block* const block = own.first;
  if (block == nullptr) return nullptr;
  own.first = block->next;
  block->next = nullptr;
  --own.size;
  shard->bytes -= size_bytes;
  return block;
}

bool BlockCache::give(Block* block) noexcept {
  Shard* const shard = own_shard();
  if (shard == nullptr) [[unlikely]]
    return false;
  const Hold hold(*shard);
  if (!hold || shard->bytes + block->size_bytes > kMostBytes) return false;
  Class& own = shard->classes[class_of(block->size_bytes)];
  if (own.size == kMostBlocks) return false;
  block->next = own.first;
  own.first = block;
  ++own.size;
  shard->bytes += block->size_bytes;
  return true;
}

Block* BlockCache::take_all() noexcept {
  Block* all = nullptr;
  Shards* const shards = shards_.load(std::memory_order_acquire);
  if (shards == nullptr) return nullptr;
  for (Shard& shard : *shards) {
    while (shard.busy.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    for (Class& own : shard.classes) {
      while (own.first != nullptr) {
        Block* const block = own.first;
        own.first = block->next;
        block->next = all;
        all = block;
      }
      own.size = 0;
    }
    shard.bytes = 0;
    shard.busy.store(false, std::memory_order_release);
  }
  return all;
}

}  // namespace patchbay::runtime
