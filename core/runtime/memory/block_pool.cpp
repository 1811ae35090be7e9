// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/block_pool.h"

#include <algorithm>
#include <bit>
#include <new>
#include <thread>

#include "core/runtime/plugin/loader.h"

namespace patchbay::runtime {

Segment::Segment(std::shared_ptr<MemoryResource> from, MemoryKind of, std::size_t size,
                 std::size_t alignment_bytes, std::atomic<std::size_t>& counted)
    : source(std::move(from)),
      kind(of),
      size_bytes(size),
      memory(source->allocate(kind, size_bytes, alignment_bytes)),
      reserved(counted) {
  if (memory.base == nullptr) throw std::bad_alloc();  // no memory, to every caller
}

Segment::~Segment() {
  if (process_is_ending()) return;
  source->release(kind, memory, size_bytes);
  reserved.fetch_sub(size_bytes);
}

BlockPool::~BlockPool() = default;

/// Each size below kSteps granules has its own place; above, each power of two has kSteps places.
BlockPool::SizeClass BlockPool::class_of(std::size_t size_bytes) const {
  const std::size_t granules = size_bytes / granule_bytes_;
  if (granules < kSteps) return {0, static_cast<int>(granules)};
  const int power = static_cast<int>(std::bit_width(granules)) -
                    static_cast<int>(std::bit_width(unsigned{kSteps}));
  const auto step = static_cast<int>(granules >> power) - kSteps;
  return {std::min(power + 1, kPowers - 1), step};
}

void BlockPool::link(Block* block) noexcept {
  const auto [power, step] = class_of(block->size_bytes);
  Block*& first = first_of({power, step});
  block->previous = nullptr;
  block->next = first;
  if (first != nullptr) first->previous = block;
  first = block;
  block->is_free = true;
  powers_ |= std::uint64_t{1} << power;
  lists_->steps[static_cast<std::size_t>(power)] |= std::uint32_t{1} << step;
  if (is_whole(*block)) unused_bytes_ += block->size_bytes;
}

void BlockPool::unlink(Block* block) noexcept {
  const auto [power, step] = class_of(block->size_bytes);
  Block*& first = first_of({power, step});
  if (block->next != nullptr) block->next->previous = block->previous;
  (block->previous != nullptr ? block->previous->next : first) = block->next;
  block->next = block->previous = nullptr;
  block->is_free = false;
  if (first == nullptr) {
    std::uint32_t& steps = lists_->steps[static_cast<std::size_t>(power)];
    steps &= ~(std::uint32_t{1} << step);
    if (steps == 0) powers_ &= ~(std::uint64_t{1} << power);
  }
  if (is_whole(*block)) unused_bytes_ -= block->size_bytes;
}

/// The first list in which every block is large enough.
Block* BlockPool::find(std::size_t size_bytes) const {
  SizeClass size_class = class_of(size_bytes);
  // Sizes within a step differ, so only the blocks of the next step are surely large enough.
  const std::size_t granules = size_bytes / granule_bytes_;
  const bool is_first =
      size_class.power == 0 || (granules & ((std::size_t{1} << (size_class.power - 1)) - 1)) == 0;
  if (!is_first && ++size_class.step == kSteps) size_class = {size_class.power + 1, 0};
  if (size_class.power >= kPowers) return nullptr;
  std::uint32_t steps = lists_->steps[static_cast<std::size_t>(size_class.power)] &
                        (~std::uint32_t{0} << size_class.step);
  if (steps == 0) {
    const std::uint64_t larger = size_class.power + 1 < kPowers
                                     ? powers_ & (~std::uint64_t{0} << (size_class.power + 1))
                                     : 0;
    if (larger == 0) return nullptr;
    size_class.power = std::countr_zero(larger);
    steps = lists_->steps[static_cast<std::size_t>(size_class.power)];
  }
  return first_of({size_class.power, std::countr_zero(steps)});
}

/// A block in the list of the size's own step may be large enough too.
Block* BlockPool::search_own_list(std::size_t size_bytes) const {
  Block* block = first_of(class_of(size_bytes));
  while (block != nullptr && block->size_bytes < size_bytes) block = block->next;
  return block;
}

Block* BlockPool::new_block() {
  if (spare_ == nullptr) return &lists_->blocks.emplace_back();
  Block* const block = spare_;
  spare_ = block->next;
  block->next = nullptr;
  return block;
}

void BlockPool::recycle(Block* block) noexcept {
  *block = Block();
  block->next = spare_;
  spare_ = block;
}

Block* BlockPool::take(std::size_t size_bytes, std::size_t most_bytes) {
  if (lists_ == nullptr) return nullptr;
  Block* block = search_own_list(size_bytes);
  if (block == nullptr) block = find(size_bytes);
  if (block == nullptr || block->size_bytes > most_bytes) return nullptr;
  Block* const rest = block->size_bytes > size_bytes ? new_block() : nullptr;
  unlink(block);
  if (rest != nullptr) {
    rest->segment = block->segment;
    rest->offset_bytes = block->offset_bytes + size_bytes;
    rest->size_bytes = block->size_bytes - size_bytes;
    rest->before = block;
    rest->after = block->after;
    if (rest->after != nullptr) rest->after->before = rest;
    block->after = rest;
    block->size_bytes = size_bytes;
    link(rest);
  }
  return block;
}

void BlockPool::give(Block* block) noexcept {
  if (Block* const after = block->after; after != nullptr && after->is_free) {
    unlink(after);
    block->size_bytes += after->size_bytes;
    block->after = after->after;
    if (block->after != nullptr) block->after->before = block;
    recycle(after);
  }
  if (Block* const before = block->before; before != nullptr && before->is_free) {
    unlink(before);
    before->size_bytes += block->size_bytes;
    before->after = block->after;
    if (before->after != nullptr) before->after->before = before;
    recycle(block);
    block = before;
  }
  link(block);
}

void BlockPool::add(std::unique_ptr<Segment> segment) {
  segments_.reserve(segments_.size() + 1);
  if (lists_ == nullptr) lists_ = std::make_unique<Lists>();
  Block* const block = new_block();
  segment->pool = this;
  block->segment = segment.get();
  block->size_bytes = segment->size_bytes;
  segments_.push_back(std::move(segment));
  link(block);
}

std::unique_ptr<Segment> BlockPool::remove_unused() noexcept {
  if (unused_bytes_ == 0) return nullptr;
  for (std::size_t power = kPowers; power-- > 0;) {
    for (std::size_t step = kSteps; step-- > 0;) {
      for (Block* block = lists_->free[power][step]; block != nullptr; block = block->next) {
        if (!is_whole(*block)) continue;
        Segment* const owner = block->segment;
        unlink(block);
        recycle(block);
        const auto found =
            std::find_if(segments_.begin(), segments_.end(),
                         [owner](const auto& segment) { return segment.get() == owner; });
        std::unique_ptr<Segment> removed = std::move(*found);
        segments_.erase(found);
        if (segments_.empty()) free_lists();
        return removed;
      }
    }
  }
  return nullptr;
}

/// Without a segment all blocks are spare.
void BlockPool::free_lists() noexcept {
  lists_.reset();
  spare_ = nullptr;
  segments_.shrink_to_fit();
}

std::size_t BlockPool::largest_free_bytes() const {
  if (powers_ == 0) return 0;
  const auto power = static_cast<std::size_t>(std::bit_width(powers_)) - 1;
  const auto step = static_cast<std::size_t>(std::bit_width(lists_->steps[power])) - 1;
  std::size_t largest = 0;
  for (const Block* block = lists_->free[power][step]; block != nullptr; block = block->next) {
    largest = std::max(largest, block->size_bytes);
  }
  return largest;
}

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
