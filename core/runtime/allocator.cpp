// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/allocator.h"

#include <algorithm>

#include "core/runtime/device_state.h"
#include "core/runtime/error.h"
#include "core/runtime/plugin_state.h"
#include "core/runtime/status.h"

namespace patchbay::runtime {
namespace {

/// A failed stream never gets there: its memory counts as unused.
bool is_done(EventState& use, bool wait) noexcept {
  try {
    if (!wait) return use.is_done();
    use.wait(PATCHBAY_NO_DEADLINE);
  } catch (...) {
    return true;
  }
  return true;
}

}  // namespace

patchbay_status* Allocator::try_allocate(std::uint32_t kind, std::size_t size_bytes,
                                         patchbay_memory* memory) {
  return device_.plugin.tables.memory.allocate(device_.open(), kind, size_bytes,
                                               device_.alignment_bytes, memory);
}

void Allocator::count(std::size_t size_bytes) {
  live_blocks_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t live =
      live_bytes_.fetch_add(size_bytes, std::memory_order_relaxed) + size_bytes;
  std::uint64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  while (live > peak && !peak_bytes_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

patchbay_memory Allocator::allocate(std::uint32_t kind, std::size_t size_bytes) {
  patchbay_memory memory{nullptr, 0};
  if (has_deferred_.load(std::memory_order_relaxed)) collect(/*wait=*/false);
  if (size_bytes != 0) {
    patchbay_status* status = try_allocate(kind, size_bytes, &memory);
    if (status != nullptr && status->code == PATCHBAY_OUT_OF_MEMORY &&
        has_deferred_.load(std::memory_order_relaxed)) {
      // What is held back until the device is done may be enough.
      release_status(status);
      collect(/*wait=*/true);
      status = try_allocate(kind, size_bytes, &memory);
    }
    if (status != nullptr) raise_failure(status, size_bytes);
  }
  count(size_bytes);
  return memory;
}

void Allocator::raise_failure(patchbay_status* status, std::size_t size_bytes) {
  if (status->code != PATCHBAY_OUT_OF_MEMORY) raise_status(status, "allocate", device_.name_text);
  const StatusHolder holder(status);
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  release_status(device_.plugin.tables.memory.info(device_.open(), &free_bytes, &total_bytes));
  raise(ErrorCode::kOutOfMemory,
        "[allocate] out of memory on {}: requested {} bytes, free {}, total {}, held by this "
        "runtime {} in {} blocks ({}). Free tensors or use smaller ones.",
        device_.name_text, size_bytes, free_bytes, total_bytes, live_bytes(), live_blocks(),
        status->message);
}

void Allocator::free(std::uint32_t kind, patchbay_memory memory, std::size_t size_bytes) noexcept {
  if (size_bytes != 0) device_.plugin.tables.memory.release(device_.handle.load(), kind, memory);
  live_blocks_.fetch_sub(1, std::memory_order_relaxed);
  live_bytes_.fetch_sub(size_bytes, std::memory_order_relaxed);
}

void Allocator::free_after(std::uint32_t kind, patchbay_memory memory, std::size_t size_bytes,
                           std::vector<std::shared_ptr<EventState>> uses) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    // First the room, so that nothing has been moved when there is none.
    if (deferred_.size() == deferred_.capacity()) deferred_.reserve(2 * deferred_.size() + 8);
    deferred_.push_back({kind, memory, size_bytes, std::move(uses)});
    has_deferred_.store(true, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    // No memory for the note: wait here instead.
    for (const auto& use : uses) is_done(*use, /*wait=*/true);
    free(kind, memory, size_bytes);
  }
}

void Allocator::collect(bool wait) noexcept {
  const auto is_free = [wait](const std::shared_ptr<EventState>& use) {
    return is_done(*use, wait);
  };
  const std::scoped_lock lock(mutex_);
  const auto first_done =
      std::stable_partition(deferred_.begin(), deferred_.end(), [&](const Deferred& block) {
        return !std::all_of(block.uses.begin(), block.uses.end(), is_free);
      });
  for (auto block = first_done; block != deferred_.end(); ++block) {
    free(block->kind, block->memory, block->size_bytes);
  }
  deferred_.erase(first_done, deferred_.end());
  has_deferred_.store(!deferred_.empty(), std::memory_order_relaxed);
}

}  // namespace patchbay::runtime
