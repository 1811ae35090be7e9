// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/buffer_state.h"

#include <algorithm>

#include "core/runtime/device_state.h"
#include "core/runtime/error.h"
#include "core/runtime/loader.h"

namespace patchbay::runtime {

BufferState::BufferState(std::shared_ptr<DeviceState> owner, patchbay_memory block,
                         std::uint32_t memory_kind, std::size_t size)
    : kind(memory_kind),
      host_addressable(((owner->host_addressable_kinds >> memory_kind) & 1) != 0),
      memory(block),
      size_bytes(size),
      device(std::move(owner)) {}

void BufferState::note_use(StreamState& stream, std::uint64_t sequence, bool writes) {
  const std::scoped_lock lock(mutex_);
  if (writes) {
    // The write came after every earlier use, so it stands for them.
    last_write_ = {stream.shared(), sequence};
    reads_.clear();
  } else {
    const auto same = std::find_if(reads_.begin(), reads_.end(), [&stream](const Position& use) {
      return use.stream.get() == &stream;
    });
    if (same != reads_.end()) {
      same->sequence = std::max(same->sequence, sequence);
    } else {
      reads_.push_back({stream.shared(), sequence});
    }
  }
  tracked.store(true, std::memory_order_release);
}

std::vector<Position> BufferState::pending(bool writes) {
  const std::scoped_lock lock(mutex_);
  std::vector<Position> result;
  const auto add = [&result](const Position& use) {
    if (use.stream && !use.stream->is_done(use.sequence)) result.push_back(use);
  };
  add(last_write_);
  if (writes) std::for_each(reads_.begin(), reads_.end(), add);
  return result;
}

void BufferState::insert_waits(StreamState& stream, bool writes) {
  if (!tracked.load(std::memory_order_acquire)) return;
  for (const Position& use : pending(writes)) stream.wait_for(*use.stream, use.sequence);
}

void BufferState::wait_on_host_slowly(bool writes) {
  for (const Position& use : pending(writes)) use.stream->synchronize(PATCHBAY_NO_DEADLINE);
}

void BufferState::destroy() noexcept {
  if (process_is_ending()) return;
  const std::unique_ptr<BufferState> self(this);
  if (released) {
    wait_quietly();
    if (*released) (*released)();
    return;
  }
  std::vector<std::shared_ptr<EventState>> uses;
  try {
    if (tracked.load(std::memory_order_acquire)) uses = record_pending();
  } catch (...) {
    wait_quietly();
  }
  if (uses.empty()) {
    device->allocator.free(kind, memory, size_bytes);
  } else {
    device->allocator.free_after(kind, memory, size_bytes, std::move(uses));
  }
}

std::vector<std::shared_ptr<EventState>> BufferState::record_pending() {
  std::vector<std::shared_ptr<EventState>> uses;
  for (const Position& use : pending(/*writes=*/true)) {
    uses.push_back(use.stream->record(nullptr));
  }
  return uses;
}

void BufferState::wait_quietly() noexcept {
  try {
    wait_on_host(/*writes=*/true);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a use that failed has ended
  }
}

}  // namespace patchbay::runtime
