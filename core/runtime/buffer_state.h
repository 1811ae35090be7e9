// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A block of device memory, and the work that is pending on it.
#ifndef PATCHBAY_CORE_RUNTIME_BUFFER_STATE_H_
#define PATCHBAY_CORE_RUNTIME_BUFFER_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "patchbay/plugin/types.h"

namespace patchbay::runtime {

struct DeviceState;
struct EventState;
struct StreamState;

/// The place of one submission on a stream.
struct Position {
  std::shared_ptr<StreamState> stream;
  std::uint64_t sequence = 0;
};

/// Counted by Buffer handles. `tracked` is false as long as only inline work has touched the
/// memory: then there is nothing to wait for, and the hot path looks no further.
struct BufferState {
  BufferState(std::shared_ptr<DeviceState> owner, patchbay_memory block, std::uint32_t memory_kind,
              std::size_t size);

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  /// Notes that the stream's newest submission uses the memory.
  void note_use(StreamState& stream, std::uint64_t sequence, bool writes);
  /// Makes `stream`, whose mutex is not held, wait for what a use of this kind must follow.
  void insert_waits(StreamState& stream, bool writes);
  /// Blocks until a host access of this kind is safe.
  void wait_on_host(bool writes) {
    if (tracked.load(std::memory_order_acquire)) wait_on_host_slowly(writes);
  }

  std::atomic<std::uint32_t> references{1};
  std::atomic<bool> tracked{false};
  const std::uint32_t kind;
  const bool host_addressable;
  const patchbay_memory memory;
  const std::size_t size_bytes;
  const std::shared_ptr<DeviceState> device;
  /// For memory that the application owns; null for the allocator's.
  std::unique_ptr<std::function<void()>> released;

 private:
  void destroy() noexcept;
  void wait_on_host_slowly(bool writes);
  void wait_quietly() noexcept;
  std::vector<Position> pending(bool writes);
  std::vector<std::shared_ptr<EventState>> record_pending();

  std::mutex mutex_;
  Position last_write_;
  std::vector<Position> reads_;  // since the last write, one a stream
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_BUFFER_STATE_H_
