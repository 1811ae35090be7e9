// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Counts live memory, in a shard for each thread.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_LIVE_COUNT_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_LIVE_COUNT_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/base/counted.h"

namespace patchbay::runtime {

/// Bytes and blocks are exact; while a thread looks for a block, there may be one block too many.
/// The peak may miss up to kSlackBytes in each shard of other threads. `remove` and `remove_block`
/// release what their thread did before and `blocks` acquires it, so that a thread that reads 0
/// blocks may free what their users needed.
class LiveCount {
 public:
  void add(std::size_t size_bytes) noexcept {
    add_block();
    add_bytes(size_bytes);
  }
  void remove(std::size_t size_bytes) noexcept;
  /// For a caller that looks afterwards whether others let it go on: `blocks` is in one order with
  /// this.
  void add_block() noexcept { own_shard().blocks.fetch_add(1); }
  void remove_block() noexcept { own_shard().blocks.fetch_sub(1, std::memory_order_release); }
  void add_bytes(std::size_t size_bytes) noexcept;
  std::uint64_t bytes() const noexcept;
  std::uint64_t blocks() const noexcept;
  std::uint64_t peak_bytes() const noexcept;

 private:
  static constexpr std::int64_t kSlackBytes = 64 << 10;

  /// Counts may be negative: one thread may free what another allocated.
  struct alignas(64) Shard {
    std::atomic<std::int64_t> bytes{0}, blocks{0}, published_bytes{0}, peak_bytes{0};
  };

  Shard& own_shard() noexcept { return shards_[base::thread_shard()]; }
  void publish(Shard& shard, std::int64_t bytes) noexcept;

  std::array<Shard, base::kThreadShards> shards_{};
  alignas(64) std::atomic<std::int64_t> published_bytes_{0};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_LIVE_COUNT_H_
