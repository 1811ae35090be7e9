// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The progress of a worker's stream. Shared by the stream, its events and the streams that wait for
// them, so an event may be destroyed while others wait for its position.
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
  /// Counts a submission and returns its position, from 1.
  std::uint64_t submit();
  std::uint64_t submitted() const;
  /// Called by the worker when the work of a position is done. The first failure is kept.
  void complete(std::uint64_t position, std::optional<plugin::StatusError> failure);

  // These throw the failure of this or an earlier position, once the position is reached.
  bool is_done(std::uint64_t position) const;
  /// Returns false if the deadline passes first.
  bool wait(std::uint64_t position, std::uint64_t deadline_ns) const;

  /// Whether any work has failed; later work is skipped.
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
