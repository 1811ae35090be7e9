// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A block of device memory, and the work that is pending on it.
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

#include "patchbay/plugin/types.h"

#include "core/runtime/memory/allocator.h"
#include "core/runtime/stream/position.h"

namespace patchbay::runtime {

struct DeviceState;

/// Counted by Buffer handles. `tracked` is false where only inline work has touched the memory, or
/// nothing is pending on it: then there is nothing to wait for, and the hot path looks no further.
struct BufferState {
  /// Takes an allocation of the device's allocator, and the uses that come with it.
  BufferState(std::shared_ptr<DeviceState> owner, MemoryKind kind, const Allocation& allocation);
  /// Borrows the application's memory.
  BufferState(std::shared_ptr<DeviceState> owner, patchbay_memory lent, std::size_t size,
              std::function<void()> released, bool is_read_only);

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

  /// Notes that a submission uses the memory: before it is made, so that no use goes unknown.
  void note_use(StreamState& stream, std::uint64_t sequence, bool writes);
  /// The same for a copy by the transfer thread, which may write all of the memory again.
  void note_use(std::shared_ptr<Queue> copy, std::uint64_t sequence, bool writes,
                bool rewrites = false);
  /// What a use of this kind must follow and may not have ended. The transfer thread sees no
  /// copies.
  std::vector<Position> uses_before(bool writes);
  /// Makes `stream` wait for what used the memory for earlier buffers. As below.
  void insert_inherited_waits(StreamState& stream);
  /// Blocks until what used the memory for earlier buffers has ended.
  void finish_inherited();
  /// Makes `stream`, whose mutex is not held, wait for what a use of this kind must follow.
  void insert_waits(StreamState& stream, bool writes, std::string_view operation = "wait");
  /// Errors: what the work that was to write the memory failed with, if it did.
  void check_readable(std::string_view operation) {
    if (tracked.load(std::memory_order_acquire)) check_readable_slowly(operation);
  }
  /// Counts one more overwriting, for records that need the elements as they were.
  void count_version() {
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// It has no elements, and whoever reads it is told why, until all of it is written.
  void note_unwritten(FaultPtr why);
  /// For `note_rewritten`: what is known now to have failed, of any buffer.
  static std::uint64_t faults_so_far() { return num_faults.load(std::memory_order_acquire); }
  /// All of it was written again, by work that was submitted after so many faults were known. What
  /// is known since may be that work's own.
  void note_rewritten(std::uint64_t after) {
    if (tracked.load(std::memory_order_acquire)) forget_fault(after);
  }
  /// Blocks until a host access of this kind is safe.
  void wait_on_host(bool writes, std::string_view operation = "wait") {
    if (tracked.load(std::memory_order_acquire)) wait_on_host_slowly(writes, operation);
  }

  /// Errors: kInvalidArgument if it was lent to be read only; `what` names it in the message.
  void check_writable(std::string_view operation, std::string_view what) const {
    if (is_read_only) [[unlikely]]
      raise_read_only(operation, what);
  }
  [[noreturn, gnu::cold]] void raise_read_only(std::string_view operation,
                                               std::string_view what) const;
  /// Whether base and offset add up to an address.
  bool has_address() const;

  std::atomic<std::uint32_t> references{1};
  std::atomic<bool> tracked{false};
  std::atomic<std::uint64_t> version{0};  // counts what tensor operations overwrite
  const bool is_read_only = false;        // lent by the application on that condition
  const MemoryKind kind;
  const bool host_addressable;
  const patchbay_memory memory;
  const std::size_t size_bytes;
  const std::shared_ptr<DeviceState> device;
  const Allocation allocation;  // none for the application's memory
  /// For memory that the application owns; null for the allocator's.
  std::unique_ptr<std::function<void()>> released;

 private:
  void destroy() noexcept;
  void give_back() noexcept;
  void wait_on_host_slowly(bool writes, std::string_view operation);
  void check_readable_slowly(std::string_view operation);
  void set_fault(FaultPtr fault);
  void forget_fault(std::uint64_t after);
  void wait_quietly() noexcept;
  static void wait_for(StreamState& stream, const Position& use, std::string_view operation);
  void forget_done();
  template <class Wanted>
  std::vector<Position> pending(Wanted&& wanted);
  std::vector<PastUse> take_past_uses();

  std::mutex mutex_;
  // What may not have ended: of each stream its last write and its last read. Several writers,
  // since launches by hand insert no waits. Taken while a stream's mutex is held, never before it.
  std::vector<Position> uses_;
  FaultPtr fault_;                  // of work that was to write it and has ended
  std::uint64_t fault_number_ = 0;  // when that became known
  static constinit std::atomic<std::uint64_t> num_faults;
};

/// Where the buffer begins; two can be compared where may_share_bytes holds.
inline std::uintptr_t address_of(const BufferState& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.memory.base) + buffer.memory.offset_bytes;
}

/// Whether two buffers may share bytes: one is lent, and lies where their places can be compared.
inline bool may_share_bytes(const BufferState& a, const BufferState& b) {
  if (!a.released && !b.released) return false;
  return a.memory.base == b.memory.base || (a.has_address() && b.has_address());
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_BUFFER_STATE_H_
