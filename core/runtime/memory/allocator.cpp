// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/allocator.h"

#include <algorithm>
#include <limits>
#include <new>
#include <span>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/status.h"
#include "core/output/delivery.h"
#include "core/runtime/device/context.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/memory/native_memory.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay::runtime {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kLargeGranuleBytes = std::size_t{32} << 10;
// Small blocks share small segments, blocks of up to kMostSharedBytes share larger ones, and each
// larger block has a segment of its own. Three pools, so that a small block in use does not keep a
// large segment from the next large block.
constexpr std::size_t kSmallSegmentBytes = 2 * kMiB, kSharedSegmentBytes = 20 * kMiB;
constexpr std::size_t kMostSharedBytes = 10 * kMiB, kOwnStepBytes = 2 * kMiB;
/// Unused segments are released before the reserved memory exceeds the peak of live memory by more
/// than this factor.
constexpr double kMostReserve = 1.17;

constexpr std::size_t round_up(std::size_t size_bytes, std::size_t step_bytes) {
  return (size_bytes + step_bytes - 1) / step_bytes * step_bytes;
}

void delete_lone(Block* block) noexcept {
  delete block->segment;
  delete block;
}

Block* pop(Block*& list) {
  Block* const block = list;
  list = block->next;
  block->next = nullptr;
  return block;
}

void push(Block*& list, Block* block) {
  block->next = list;
  list = block;
}

/// The text of a driver's error, without operation and device.
std::string reason_of(const std::exception& error, const std::string& device_name) {
  std::string_view text = base::without_operation(error.what());
  const std::string suffix = fmt::format(" ({})", device_name);
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return std::string(text);
}

/// Thrown and caught in this file: the last attempt failed.
struct OutOfMemory {
  std::string why;
};

}  // namespace

KindAllocator::KindAllocator(DeviceState& device, MemoryKind kind)
    : device_(device),
      kind_(kind),
      source_(std::make_shared<DriverMemory>(device.link)),
      small_(BlockCache::kGranuleBytes),
      shared_(kLargeGranuleBytes),
      large_(kLargeGranuleBytes) {}

KindAllocator::~KindAllocator() = default;

BlockPool& KindAllocator::pool_for(std::size_t rounded_bytes) {
  if (rounded_bytes <= BlockCache::kLargestBytes) return small_;
  return rounded_bytes <= kMostSharedBytes ? shared_ : large_;
}

std::size_t KindAllocator::round(std::size_t size_bytes) const {
  return size_bytes <= BlockCache::kLargestBytes ? BlockCache::round(size_bytes)
                                                 : large_.round(size_bytes);
}

// ------------------------------------------------------------------------------- counting

TagCount* KindAllocator::tag_count() {
  const std::string_view tag = current_tag();
  if (tag.empty()) return nullptr;
  const std::scoped_lock lock(tags_mutex_);
  const auto found = tags_.find(tag);
  return found != tags_.end() ? &found->second : &tags_.try_emplace(std::string(tag)).first->second;
}

namespace {

/// Lives while a count changes together with another, so that a reader sees both or neither.
class CountChange {
 public:
  CountChange(std::atomic<std::uint64_t>& begun, std::atomic<std::uint64_t>& ended) noexcept
      : ended_(ended) {
    begun.fetch_add(1);
  }
  ~CountChange() { ended_.fetch_add(1); }
  CountChange(const CountChange&) = delete;
  CountChange& operator=(const CountChange&) = delete;

 private:
  std::atomic<std::uint64_t>& ended_;
};

}  // namespace

void KindAllocator::count(const Allocation& allocation) {
  if (allocation.is_scratch) [[unlikely]] {
    const CountChange change(scratch_begun_, scratch_ended_);
    scratch_blocks_.fetch_add(1);
    scratch_bytes_.fetch_add(allocation.size_bytes);
    live_.add(allocation.size_bytes);
  } else {
    live_.add(allocation.size_bytes);
  }
  if (allocation.tag == nullptr) return;
  allocation.tag->bytes.fetch_add(allocation.size_bytes, std::memory_order_relaxed);
  allocation.tag->blocks.fetch_add(1, std::memory_order_relaxed);
}

/// Counts again if a thread of the plugin's has changed its memory meanwhile.
LiveMemory KindAllocator::live_without_scratch() const {
  constexpr int kMostTries = 1000;
  LiveMemory live;
  for (int i = 0; i < kMostTries; ++i) {
    const std::uint64_t num_changes = scratch_begun_.load();
    const bool is_changing = scratch_ended_.load() != num_changes;
    live = {live_blocks() - scratch_blocks_.load(), live_bytes() - scratch_bytes_.load()};
    if (!is_changing && scratch_begun_.load() == num_changes) break;
    std::this_thread::yield();
  }
  return live;
}

// ------------------------------------------------------------------------------- allocate

Allocation KindAllocator::allocate(std::size_t size_bytes, bool is_scratch) {
  Allocation allocation{nullptr, tag_count(), size_bytes, is_scratch};
  if (size_bytes != 0) {
    if (size_bytes > std::numeric_limits<std::size_t>::max() / 2) {
      raise_failure(size_bytes, "no memory is that large");
    }
    allocation.block = find(size_bytes);
  }
  count(allocation);
  trace("allocate", size_bytes);
  return allocation;
}

/// Counts the block before it looks at the gate, and whoever closes the gate looks at the count
/// afterwards. So either this call sees that the gate is closed, or the block keeps the plugin
/// loaded.
Allocation KindAllocator::allocate_kept(std::size_t size_bytes) noexcept {
  const bool may_be_kept = size_bytes != 0 && size_bytes <= BlockCache::kLargestBytes &&
                           caches_.load(std::memory_order_relaxed);
  const bool is_noted = !current_tag().empty() || device_.runtime.tracing.is_on();
  const bool is_usable =
      device_.handle.load(std::memory_order_acquire) != nullptr && !device_.is_lost();
  if (!may_be_kept || is_noted || !is_usable) return {};
  live_.add_block();
  Allocation allocation{nullptr, nullptr, size_bytes, false};
  if (device_.plugin.calls.is_open()) allocation.block = cache_.take(BlockCache::round(size_bytes));
  if (allocation.block == nullptr) {
    live_.remove_block();
  } else {
    live_.add_bytes(size_bytes);
  }
  return allocation;
}

void KindAllocator::trace(std::string_view what, std::size_t size_bytes) const noexcept {
  Tracer* const tracer = device_.runtime.tracing.tracer();
  if (tracer == nullptr) return;
  tracer->instant(
      tracer->host_track(), what,
      std::array{TraceArgument{"bytes", size_bytes},
                 TraceArgument{"device", device_.info.name_text},
                 TraceArgument{"kind", to_string(kind_)}, TraceArgument{"tag", current_tag()}});
  tracer->counter(tracer->device_track(device_.info.name_text, 0),
                  kind_ == MemoryKind::kPinned ? "pinned memory" : "device memory",
                  std::array{TraceArgument{"live", live_bytes()},
                             TraceArgument{"reserved", reserved_bytes_.load()}});
}

Block* KindAllocator::find(std::size_t size_bytes) {
  const bool caches = caches_.load(std::memory_order_relaxed);
  if (caches && size_bytes <= BlockCache::kLargestBytes) {
    if (Block* const block = cache_.take(BlockCache::round(size_bytes))) return block;
  }
  const auto attempt = [&] {
    if (caches) return take_or_grow(size_bytes);
    collect();  // returns freed blocks that are no longer in use
    return add_lone(size_bytes);
  };
  try {
    return attempt();
  } catch (const OutOfMemory&) {
    device_.runtime.finish_copies_for_memory(device_);  // unfinished copies hold memory
    trim();
  }
  try {
    return attempt();
  } catch (const OutOfMemory& failure) {
    if (!device_.runtime.ask_for_memory(device_, size_bytes)) {
      raise_failure(size_bytes, failure.why);
    }
    trim();
  }
  try {
    return attempt();
  } catch (const OutOfMemory& failure) {
    raise_failure(size_bytes, failure.why);
  }
}

/// Takes a block from the pools, the cheapest way first; else from the driver.
Block* KindAllocator::take_or_grow(std::size_t size_bytes) {
  const std::size_t rounded = round(size_bytes);
  if (Block* const block = take_at_hand(rounded)) return block;
  if (Block* const block = take_pending(rounded)) return block;
  collect();
  if (Block* const block = take_at_hand(rounded)) return block;
  flush();
  collect();
  if (Block* const block = take_at_hand(rounded)) return block;
  try {
    return grow(size_bytes);
  } catch (const OutOfMemory&) {
    if (Block* const block = take_from_larger(size_bytes)) return block;
    throw;
  }
}

/// While more memory may be reserved, does not cut a large block for less than half of it.
Block* KindAllocator::take_at_hand(std::size_t rounded_bytes) {
  const std::scoped_lock lock(mutex_);
  BlockPool& pool = pool_for(rounded_bytes);
  const bool is_choosy = &pool == &large_ && has_room_for(rounded_bytes);
  return pool.take(rounded_bytes, is_choosy ? 2 * rounded_bytes : SIZE_MAX);
}

/// The last resort: cuts a segment for larger blocks.
Block* KindAllocator::take_from_larger(std::size_t size_bytes) {
  const std::size_t rounded = large_.round(size_bytes);
  const std::scoped_lock lock(mutex_);
  Block* const block = shared_.take(rounded, SIZE_MAX);
  return block != nullptr ? block : large_.take(rounded, SIZE_MAX);
}

/// The smallest pending block that is large enough and at most 1/8 larger.
Block* KindAllocator::take_pending(std::size_t rounded_bytes) {
  const std::scoped_lock lock(mutex_);
  Block** best = nullptr;
  for (Block** at = &pending_; *at != nullptr; at = &(*at)->next) {
    const Block& block = **at;
    const bool fits = block.segment->pool == &pool_for(rounded_bytes) &&
                      block.size_bytes >= rounded_bytes &&
                      block.size_bytes - rounded_bytes <= rounded_bytes / 8;
    if (fits && (best == nullptr || block.size_bytes < (*best)->size_bytes)) best = at;
  }
  return best != nullptr ? pop(*best) : nullptr;
}

/// Adds a shared segment; if that fails, one of the block's size; at last the exact bytes.
Block* KindAllocator::grow(std::size_t size_bytes) {
  const std::size_t rounded = round(size_bytes);
  const BlockPool* const pool = &pool_for(rounded);
  const std::size_t wanted = pool == &small_    ? kSmallSegmentBytes
                             : pool == &shared_ ? kSharedSegmentBytes
                                                : round_up(rounded, kOwnStepBytes);
  shrink_for(wanted);
  for (const std::size_t segment_bytes : {wanted, rounded}) {
    if (segment_bytes == rounded && pool == &small_) break;
    try {
      return add_segment(segment_bytes, rounded);
    } catch (const OutOfMemory&) {  // NOLINT(bugprone-empty-catch): try a smaller one
    }
  }
  return add_lone(size_bytes);
}

Block* KindAllocator::add_segment(std::size_t segment_bytes, std::size_t rounded_bytes) {
  std::unique_ptr<Segment> segment = request(segment_bytes);
  const std::scoped_lock lock(mutex_);
  BlockPool& pool = pool_for(rounded_bytes);
  if (&pool == &small_) cache_.make_lists();
  pool.add(std::move(segment));
  return pool.take(rounded_bytes, SIZE_MAX);
}

Block* KindAllocator::add_lone(std::size_t size_bytes) {
  auto block = std::make_unique<Block>();
  block->size_bytes = size_bytes;
  block->segment = request(size_bytes).release();
  return block.release();
}

void KindAllocator::reserve(std::size_t size_bytes) {
  const std::size_t limit = limit_bytes_.load();
  std::size_t reserved = reserved_bytes_.load();
  do {
    if (limit != 0 && (reserved > limit || size_bytes > limit - reserved)) {
      throw OutOfMemory{fmt::format("the program's limit is {} bytes", limit)};
    }
  } while (!reserved_bytes_.compare_exchange_weak(reserved, reserved + size_bytes));
}

std::unique_ptr<Segment> KindAllocator::request(std::size_t size_bytes) {
  std::shared_ptr<MemoryResource> source;
  {
    const std::scoped_lock lock(mutex_);
    source = source_;
  }
  reserve(size_bytes);
  const TraceSpan span(device_.runtime.tracing.spans(), "allocate from the driver");
  try {
    auto segment = std::make_unique<Segment>(std::move(source), kind_, size_bytes,
                                             device_.info.alignment_bytes, reserved_bytes_);
    const std::scoped_lock lock(mutex_);
    peak_reserved_bytes_ = std::max(peak_reserved_bytes_, reserved_bytes_.load());
    ++num_driver_allocations_;
    return segment;
  } catch (const Error& error) {
    reserved_bytes_.fetch_sub(size_bytes);
    if (error.code() != ErrorCode::kOutOfMemory) throw;
    throw OutOfMemory{reason_of(error, device_.info.name_text)};
  } catch (const std::bad_alloc&) {
    reserved_bytes_.fetch_sub(size_bytes);
    throw OutOfMemory{"the memory resource has none"};
  } catch (...) {
    reserved_bytes_.fetch_sub(size_bytes);
    throw;
  }
}

/// Whether the reserved memory stays near the peak of live memory if it grows by this.
bool KindAllocator::has_room_for(std::size_t segment_bytes) const {
  const auto most = static_cast<double>(std::max(live_.peak_bytes(), live_bytes() + segment_bytes));
  return static_cast<double>(reserved_bytes_ + segment_bytes) <= kMostReserve * most;
}

/// Releases unused segments before the reserved memory grows too large.
void KindAllocator::shrink_for(std::size_t segment_bytes) noexcept {
  while (!has_room_for(segment_bytes)) {
    std::unique_ptr<Segment> unused;  // released after the lock
    const std::scoped_lock lock(mutex_);
    unused = large_.remove_unused();
    if (unused == nullptr) unused = shared_.remove_unused();
    if (unused == nullptr) return;
  }
}

/// ", most by tag: 'weights' 100; no tag 50"; empty if nothing has a tag.
std::string KindAllocator::largest_holders() {
  constexpr std::size_t kShown = 3;
  const std::vector<TaggedMemory> all = live_by_tag();
  const bool has_tag =
      std::any_of(all.begin(), all.end(), [](const auto& one) { return !one.tag.empty(); });
  if (!has_tag) return {};
  std::string text;
  for (const TaggedMemory& holder : std::span(all).first(std::min(all.size(), kShown))) {
    text += fmt::format("{}{} {}", text.empty() ? ", most by tag: " : "; ",
                        holder.tag.empty() ? "no tag" : base::quote(holder.tag), holder.live_bytes);
  }
  return text;
}

void KindAllocator::raise_failure(std::size_t size_bytes, const std::string& why) {
  std::uint64_t free_bytes = 0, total_bytes = 0;
  bool is_known = false;
  if (patchbay_device* const opened = device_.handle.load(std::memory_order_acquire)) {
    const base::StatusHolder unknown(
        device_.plugin.tables.memory.info(opened, &free_bytes, &total_bytes));
    is_known = !unknown && free_bytes <= total_bytes;
  }
  std::size_t largest_free = 0;
  {
    const std::scoped_lock lock(mutex_);
    largest_free = largest_free_bytes_locked();
  }
  std::string room = is_known ? fmt::format("free {}, total {}", free_bytes, total_bytes)
                              : "free memory not known";
  if (is_known || largest_free != 0) room += fmt::format(", largest free block {}", largest_free);
  base::raise(ErrorCode::kOutOfMemory,
              "[allocate] out of memory on {}: requested {} bytes, {}, held by this "
              "runtime {} in {} block{}{} ({}). Free tensors or use smaller ones.",
              device_.info.name_text, size_bytes, room, live_bytes(), live_blocks(),
              live_blocks() == 1 ? "" : "s", largest_holders(), why);
}

// ------------------------------------------------------------------------------- free

void KindAllocator::free(const Allocation& allocation, std::vector<PastUse> uses) noexcept {
  if (Block* const block = allocation.block) {
    block->uses = std::move(uses);
    const bool is_kept = block->segment->pool == &small_ &&
                         caches_.load(std::memory_order_relaxed) && cache_.give(block);
    if (!is_kept) give(block);
  }
  if (allocation.is_scratch) [[unlikely]] {
    const CountChange change(scratch_begun_, scratch_ended_);
    live_.remove(allocation.size_bytes);
    scratch_blocks_.fetch_sub(1);
    scratch_bytes_.fetch_sub(allocation.size_bytes);
  } else {
    live_.remove(allocation.size_bytes);
  }
  trace("free", allocation.size_bytes);
  if (allocation.tag == nullptr) return;
  allocation.tag->bytes.fetch_sub(allocation.size_bytes, std::memory_order_relaxed);
  allocation.tag->blocks.fetch_sub(1, std::memory_order_relaxed);
}

/// Returns a block to its pool, or to the pending ones if something may still use it.
void KindAllocator::give(Block* block) noexcept {
  if (!block->uses.empty()) {
    const std::scoped_lock lock(mutex_);
    push(pending_, block);
  } else if (block->segment->pool == nullptr) {
    delete_lone(block);
  } else {
    const std::scoped_lock lock(mutex_);
    block->segment->pool->give(block);
  }
}

void KindAllocator::flush() noexcept {
  for (Block* list = cache_.take_all(); list != nullptr;) give(pop(list));
}

/// Lives while this thread takes memory out of an allocator. A plugin that asks for memory
/// meanwhile waits for no turn, which may be this thread's.
class KindAllocator::TrimTurn {
 public:
  TrimTurn(KindAllocator& allocator, bool waits) : flag_(allocator.is_trimming_) {
    while (!(is_ours_ = !flag_.test_and_set()) && waits && !is_for_plugin) flag_.wait(true);
  }
  ~TrimTurn() {
    if (!is_ours_) return;
    flag_.clear();
    flag_.notify_all();
  }
  TrimTurn(const TrimTurn&) = delete;
  TrimTurn& operator=(const TrimTurn&) = delete;
  explicit operator bool() const { return is_ours_; }

 private:
  const output::NoDelivery no_delivery_;
  std::atomic_flag& flag_;
  bool is_ours_ = false;
};

void KindAllocator::collect() noexcept {
  const TrimTurn turn(*this, /*waits=*/false);
  if (!turn) return;
  Block* list = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    list = std::exchange(pending_, nullptr);
  }
  while (list != nullptr) {
    Block* const block = pop(list);
    std::erase_if(block->uses, [](const PastUse& use) { return use.learn_whether_done(); });
    give(block);
  }
}

void KindAllocator::trim() noexcept {
  const TrimTurn turn(*this, /*waits=*/true);
  if (!turn) return;
  flush();
  Block* list = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    list = std::exchange(pending_, nullptr);
  }
  while (list != nullptr) {
    Block* const block = pop(list);
    for (const PastUse& use : block->uses) {
      if (!use.is_done()) use.wait();
    }
    block->uses.clear();
    give(block);
  }
  for (;;) {
    std::unique_ptr<Segment> unused;  // released after the lock
    const std::scoped_lock lock(mutex_);
    for (BlockPool* pool : {&small_, &shared_, &large_}) {
      if (unused == nullptr) unused = pool->remove_unused();
    }
    if (unused == nullptr) return;
  }
}

void KindAllocator::free_lists() noexcept {
  flush();
  cache_.free_lists();
}

// ------------------------------------------------------------------------------- settings

void KindAllocator::set_source(std::shared_ptr<MemoryResource> source, bool caches) {
  trim();
  if (source == nullptr) source = std::make_shared<DriverMemory>(device_.link);
  const std::scoped_lock lock(mutex_);
  source_.swap(source);  // the former one ends after the lock: it may be the application's
  caches_.store(caches);
}

std::vector<TaggedMemory> KindAllocator::live_by_tag() {
  std::vector<TaggedMemory> result;
  TaggedMemory rest{"", live_bytes(), live_blocks()};
  {
    const std::scoped_lock lock(tags_mutex_);
    for (const auto& [tag, held] : tags_) {
      const TaggedMemory one{tag, held.bytes.load(), held.blocks.load()};
      rest.live_bytes -= std::min(rest.live_bytes, one.live_bytes);
      rest.live_blocks -= std::min(rest.live_blocks, one.live_blocks);
      if (one.live_blocks != 0) result.push_back(one);
    }
  }
  if (rest.live_blocks != 0) result.push_back(rest);
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.live_bytes > b.live_bytes; });
  return result;
}

void KindAllocator::fill(DeviceMemory& memory) {
  flush();
  collect();
  memory.live_bytes = live_bytes();
  memory.live_blocks = live_blocks();
  memory.peak_bytes = live_.peak_bytes();
  memory.limit_bytes = limit_bytes_.load(std::memory_order_relaxed);
  memory.by_tag = live_by_tag();
  const std::scoped_lock lock(mutex_);
  memory.reserved_bytes = reserved_bytes_;
  memory.peak_reserved_bytes = peak_reserved_bytes_;
  memory.num_driver_allocations = num_driver_allocations_;
  memory.largest_free_block_bytes = largest_free_bytes_locked();
}

/// In the cache. The caller holds the mutex.
std::size_t KindAllocator::largest_free_bytes_locked() const {
  return std::max(
      {small_.largest_free_bytes(), shared_.largest_free_bytes(), large_.largest_free_bytes()});
}

// ------------------------------------------------------------------------------- scratch

patchbay_memory Allocator::allocate_scratch(std::size_t size_bytes) {
  if (size_bytes == 0) return {nullptr, 0};
  KindAllocator& memory = of(MemoryKind::kDevice);
  const PluginScratchScope mark;
  const Allocation allocation = memory.allocate(size_bytes, /*is_scratch=*/true);
  if (allocation.block == nullptr) return {nullptr, 0};
  try {
    // Plugins know nothing of a block's earlier uses.
    for (const PastUse& use : std::exchange(allocation.block->uses, {})) use.wait();
    const std::scoped_lock lock(scratch_mutex_);
    const patchbay_memory at = allocation.block->memory();
    scratch_[{at.base, at.offset_bytes}] = allocation;
    return at;
  } catch (...) {
    memory.free(allocation, {});
    throw;
  }
}

void Allocator::raise_unknown(MemoryKind kind) {
  base::raise_not_in_enum("memory", "kind of memory", "MemoryKind", kind);
}

void Allocator::free_scratch(patchbay_memory at) noexcept {
  Allocation allocation;
  {
    const std::scoped_lock lock(scratch_mutex_);
    const auto found = scratch_.find({at.base, at.offset_bytes});
    if (found == scratch_.end()) return;
    allocation = found->second;
    scratch_.erase(found);
  }
  of(MemoryKind::kDevice).free(allocation, {});
}

}  // namespace patchbay::runtime
