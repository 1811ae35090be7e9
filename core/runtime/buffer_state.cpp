// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/buffer_state.h"

#include <algorithm>

#include "core/runtime/device_state.h"
#include "core/runtime/error.h"
#include "core/runtime/loader.h"
#include "core/runtime/runtime_state.h"

namespace patchbay::runtime {

BufferState::BufferState(std::shared_ptr<DeviceState> owner, patchbay_memory block,
                         std::uint32_t memory_kind, std::size_t size)
    : kind(memory_kind),
      host_addressable(((owner->host_addressable_kinds >> memory_kind) & 1) != 0),
      memory(block),
      size_bytes(size),
      device(std::move(owner)) {}

void BufferState::forget_done() {
  std::erase_if(uses_, [](const Position& use) { return use.stream->is_done(use.sequence); });
}

void BufferState::note_use(StreamState& stream, std::uint64_t sequence, bool writes) {
  const std::scoped_lock lock(mutex_);
  forget_done();
  const auto same = std::find_if(uses_.begin(), uses_.end(), [&](const Position& use) {
    return use.stream.get() == &stream && use.writes == writes;
  });
  if (same != uses_.end()) {
    same->sequence = std::max(same->sequence, sequence);
  } else {
    uses_.push_back({stream.shared(), sequence, writes});
  }
  tracked.store(true, std::memory_order_release);
}

/// What a read must follow is every write; a write must follow every use.
std::vector<Position> BufferState::pending(bool writes) {
  const std::scoped_lock lock(mutex_);
  forget_done();
  std::vector<Position> result;
  for (const Position& use : uses_) {
    if (writes || use.writes) result.push_back(use);
  }
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
    give_back();
    return;
  }
  std::vector<std::shared_ptr<EventState>> ends;
  try {
    forget_done();  // nobody else knows this buffer any more, so no lock
    ends.reserve(uses_.size());
    while (!uses_.empty()) {
      ends.push_back(uses_.back().stream->record(nullptr));
      uses_.pop_back();
    }
  } catch (...) {
    wait_quietly();  // for those of which no event could be had
  }
  if (ends.empty()) {
    device->allocator.free(kind, memory, size_bytes);
  } else {
    device->allocator.free_after(kind, memory, size_bytes, std::move(ends));
  }
}

/// To the application, whose callback is not trusted to keep its exceptions.
void BufferState::give_back() noexcept {
  device->live_wraps.fetch_sub(1, std::memory_order_relaxed);
  if (!*released) return;
  try {
    (*released)();
  } catch (...) {
    device->runtime.logger.write(LogLevel::kError,
                                 "[wrap_host] the callback 'released' threw an exception");
  }
}

/// One by one: a use that failed has ended, and the others are still to be waited for.
void BufferState::wait_quietly() noexcept {
  for (const Position& use : uses_) {
    try {
      use.stream->synchronize(PATCHBAY_NO_DEADLINE);
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }
  uses_.clear();
}

}  // namespace patchbay::runtime
