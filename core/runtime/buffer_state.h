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

/// One submission's place on a stream, and what it does to a buffer.
struct Position {
  std::shared_ptr<StreamState> stream;
  std::uint64_t sequence = 0;
  bool writes = false;
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

  /// Notes that a submission uses the memory: before it is made, so that no use goes unknown.
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
  void give_back() noexcept;
  void wait_on_host_slowly(bool writes);
  void wait_quietly() noexcept;
  void forget_done();
  std::vector<Position> pending(bool writes);

  std::mutex mutex_;
  // What may not have ended: of each stream its last write and its last read. Several writers,
  // since launches by hand insert no waits. Taken while a stream's mutex is held, never before it.
  std::vector<Position> uses_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_BUFFER_STATE_H_
