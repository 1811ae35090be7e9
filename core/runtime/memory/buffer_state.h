// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A block of device memory and its pending uses.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_BUFFER_STATE_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_BUFFER_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "patchbay/buffer.h"
#include "patchbay/plugin/types.h"

#include "core/runtime/memory/allocator.h"
#include "core/runtime/stream/position.h"

namespace patchbay::runtime {

struct DeviceState;

/// Counted by Buffer handles. `tracked` is false if only inline work has used the memory or nothing
/// is pending: then the hot path skips all waits.
struct BufferState {
  /// Takes an allocation of the device's allocator with its pending uses.
  BufferState(std::shared_ptr<DeviceState> owner, MemoryKind kind, const Allocation& allocation);
  /// Wraps the application's memory.
  BufferState(std::shared_ptr<DeviceState> owner, patchbay_memory lent, std::size_t size,
              std::function<void()> released, bool is_read_only);

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  /// Notes a submission's use of the memory; called before it, so that no use is missed.
  void note_use(StreamState& stream, std::uint64_t sequence, bool writes);
  /// Notes a copy by the transfer thread before it. `rewrites`: it writes all of the memory.
  void note_use(std::shared_ptr<Queue> copy, std::uint64_t sequence, bool writes,
                bool rewrites = false);
  /// The uses that such a use must wait for and that may not have ended. Without copies if called
  /// in the transfer thread.
  std::vector<Position> uses_before(bool writes);
  /// Makes `stream` wait for uses by the memory's earlier buffers, as insert_waits does.
  void insert_inherited_waits(StreamState& stream);
  /// Blocks until uses by the memory's earlier buffers have ended.
  void finish_inherited();
  /// Makes `stream` wait for what such a use must follow. The caller does not hold its mutex.
  void insert_waits(StreamState& stream, bool writes, std::string_view operation = "wait");
  /// Errors: the failure of work that was to write the memory.
  void check_readable(std::string_view operation) {
    if (tracked.load(std::memory_order_acquire)) check_readable_slowly(operation);
  }
  /// Counts an overwriting, for gradient records that need the old elements.
  void count_version() {
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// The number of the contents for plugins (patchbay_argument); 0 if they are not known.
  std::uint64_t contents() const {
    return is_exposed_.load(std::memory_order_relaxed) ? 0
                                                       : contents_.load(std::memory_order_relaxed);
  }
  /// Called before and after each write that the library makes or submits.
  void note_written() { contents_.store(new_contents(), std::memory_order_relaxed); }
  /// Called before the application gets an address or a handle, with which it may write at any
  /// time.
  void expose() { is_exposed_.store(true, std::memory_order_relaxed); }
  /// Marks the memory as without elements: reads throw `why` until all of it is written.
  void note_unwritten(FaultPtr why);
  /// The number of faults known so far in all buffers, for `note_rewritten`.
  static std::uint64_t faults_so_far() { return num_faults.load(std::memory_order_acquire); }
  /// Clears the fault after all of the memory was written by work submitted when `after` faults
  /// were known. Later faults stay: they may be that work's own.
  void note_rewritten(std::uint64_t after) {
    if (tracked.load(std::memory_order_acquire)) forget_fault(after);
  }
  /// Blocks until a host access of this kind is safe.
  void wait_on_host(bool writes, std::string_view operation = "wait") {
    if (tracked.load(std::memory_order_acquire)) wait_on_host_slowly(writes, operation);
  }

  /// Errors: kInvalidArgument if the memory was lent as read-only; `what` names it in the message.
  void check_writable(std::string_view operation, std::string_view what) const {
    if (is_read_only) [[unlikely]]
      raise_read_only(operation, what);
  }
  [[noreturn, gnu::cold]] void raise_read_only(std::string_view operation,
                                               std::string_view what) const;
  /// Whether the sum of base and offset is an address.
  bool has_address() const;

  std::atomic<std::uint32_t> references{1};
  std::atomic<bool> tracked{false};
  std::atomic<std::uint64_t> version{0};  // counts overwriting by tensor operations
  const bool is_read_only = false;        // the application lent it for reading
  const MemoryKind kind;
  const bool host_addressable;
  const patchbay_memory memory;
  const std::size_t size_bytes;
  const std::shared_ptr<DeviceState> device;
  const Allocation allocation;  // empty for the application's memory
  /// Called when the application's memory is no longer used; null for the allocator's.
  std::unique_ptr<std::function<void()>> released;

 private:
  /// A number that no other contents in the process have.
  static std::uint64_t new_contents() noexcept;
  void destroy() noexcept;
  void give_back() noexcept;
  void wait_on_host_slowly(bool writes, std::string_view operation);
  void check_readable_slowly(std::string_view operation);
  void set_fault(FaultPtr fault);
  void forget_fault(std::uint64_t after);
  void wait_quietly() noexcept;
  static void wait_for(StreamState& stream, const Position& use, std::string_view operation);
  class Forgotten;
  void forget_done(Forgotten& forgotten);
  template <class Wanted>
  std::vector<Position> pending(Wanted&& wanted);
  template <class Wanted, class Covered>
  void insert_waits_for(StreamState& stream, std::string_view operation, const Wanted& wanted,
                        const Covered& covered);
  std::vector<PastUse> take_past_uses();

  std::atomic<std::uint64_t> contents_{0};
  std::atomic<bool> is_exposed_{false};
  std::mutex mutex_;
  // Unfinished uses: each stream's last write and last read. Several writers are possible, because
  // launches by hand insert no waits. Taken while a stream's mutex is held, never before it.
  std::vector<Position> uses_;
  std::uint64_t num_uses_ = 0;      // noted so far
  FaultPtr fault_;                  // of finished work that was to write it
  std::uint64_t fault_number_ = 0;  // the count of faults at that time
  static constinit std::atomic<std::uint64_t> num_faults;
};

/// The state behind a handle. Errors: kInvalidArgument if the handle is null.
BufferState& state_of(const char* operation, const Buffer& buffer);

/// The buffer's address. Comparable with another's if may_share_bytes.
inline std::uintptr_t address_of(const BufferState& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.memory.base) + buffer.memory.offset_bytes;
}

/// Whether two buffers may share bytes: at least one is lent, and their addresses are comparable.
inline bool may_share_bytes(const BufferState& a, const BufferState& b) {
  if (!a.released && !b.released) return false;
  return a.memory.base == b.memory.base || (a.has_address() && b.has_address());
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_BUFFER_STATE_H_
