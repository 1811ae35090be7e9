// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Counts that many threads change.
#ifndef PATCHBAY_CORE_BASE_COUNTED_H_
#define PATCHBAY_CORE_BASE_COUNTED_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace patchbay::base {

/// Adds one to a count while it lives.
class Counted {
 public:
  explicit Counted(std::atomic<std::int64_t>& count) : count_(count) { count_.fetch_add(1); }
  ~Counted() { count_.fetch_sub(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<std::int64_t>& count_;
};

/// Threads are spread over this many shards, so that they rarely share cache lines.
inline constexpr std::size_t kThreadShards = 16;

inline std::size_t thread_shard() noexcept {
  static std::atomic<std::size_t> num_threads{0};
  thread_local const std::size_t own = num_threads.fetch_add(1, std::memory_order_relaxed);
  return own % kThreadShards;
}

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_COUNTED_H_
