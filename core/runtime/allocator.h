// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The memory of one device: every block that the runtime holds comes from here.
#ifndef PATCHBAY_CORE_RUNTIME_ALLOCATOR_H_
#define PATCHBAY_CORE_RUNTIME_ALLOCATOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "patchbay/plugin/host.h"
#include "patchbay/plugin/types.h"

namespace patchbay::runtime {

struct DeviceState;
struct EventState;

/// Passes each request to the plugin, counts, and holds back what is freed while it is in use.
class Allocator {
 public:
  explicit Allocator(DeviceState& device) : device_(device) {}

  /// Errors: kOutOfMemory names device, requested, free and total.
  patchbay_memory allocate(std::uint32_t kind, std::size_t size_bytes);
  void free(std::uint32_t kind, patchbay_memory memory, std::size_t size_bytes) noexcept;
  /// Frees once all of `uses` are done.
  void free_after(std::uint32_t kind, patchbay_memory memory, std::size_t size_bytes,
                  std::vector<std::shared_ptr<EventState>> uses) noexcept;
  /// Gives back what was held back and is done; with `wait`, waits for all of it.
  void collect(bool wait) noexcept;

  std::uint64_t live_bytes() const { return live_bytes_.load(std::memory_order_relaxed); }
  std::uint64_t peak_bytes() const { return peak_bytes_.load(std::memory_order_relaxed); }
  std::uint64_t live_blocks() const { return live_blocks_.load(std::memory_order_relaxed); }

 private:
  struct Deferred {
    std::uint32_t kind;
    patchbay_memory memory;
    std::size_t size_bytes;
    std::vector<std::shared_ptr<EventState>> uses;
  };
  patchbay_status* try_allocate(std::uint32_t kind, std::size_t size_bytes,
                                patchbay_memory* memory);
  [[noreturn]] void raise_failure(patchbay_status* status, std::size_t size_bytes);
  void count(std::size_t size_bytes);

  DeviceState& device_;
  std::atomic<std::uint64_t> live_bytes_{0}, peak_bytes_{0}, live_blocks_{0};
  std::atomic<bool> has_deferred_{false};
  std::mutex mutex_;
  std::vector<Deferred> deferred_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_ALLOCATOR_H_
