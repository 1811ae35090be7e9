// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How far a worker's stream has come. Shared by the stream, its events and the streams that wait
// for them, so that an event may go while others wait for its position.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TIMELINE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TIMELINE_HPP_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::cpu {

class Timeline {
 public:
  /// The position of one more submission, counted from 1.
  std::uint64_t submit();
  std::uint64_t submitted() const;
  /// By the worker: what was submitted at the position is over. The first failure stays.
  void complete(std::uint64_t position, std::optional<plugin::StatusError> failure);

  // These throw the failure of the position or of one before it, once it is reached.
  bool is_done(std::uint64_t position) const;
  /// False when the deadline passed first.
  bool wait(std::uint64_t position, std::uint64_t deadline_ns) const;

  /// Whether anything has failed: what comes later is skipped.
  bool has_failed() const;

 private:
  void check(std::uint64_t position) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t submitted_ = 0, completed_ = 0, failed_at_ = 0;
  std::optional<plugin::StatusError> failure_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_THREADS_TIMELINE_HPP_
