// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_THREAD_SHARD_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_THREAD_SHARD_H_

#include <atomic>
#include <cstddef>

namespace patchbay::runtime {

/// Threads are spread over this many shards, so that they rarely share cache lines.
inline constexpr std::size_t kThreadShards = 16;

inline std::size_t thread_shard() noexcept {
  static std::atomic<std::size_t> num_threads{0};
  thread_local const std::size_t own = num_threads.fetch_add(1, std::memory_order_relaxed);
  return own % kThreadShards;
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_THREAD_SHARD_H_
