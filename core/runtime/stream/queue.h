// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What work is submitted to: memory remembers its uses as positions in it.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_QUEUE_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_QUEUE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/runtime/stream/stream_progress.h"

namespace patchbay::runtime {

struct StreamState;

/// Something that has positions: a stream, or a copy that the transfer thread makes.
struct Queue {
  explicit Queue(std::string device_name)
      : progress(std::make_shared<StreamProgress>(std::move(device_name))) {}
  virtual ~Queue() = default;

  bool is_done(std::uint64_t sequence) const { return progress->has_passed(sequence); }
  /// The stream; null for a copy, which can only be waited for on the host.
  virtual StreamState* as_stream() noexcept { return nullptr; }
  /// Blocks until the position is done. Errors: those of what was submitted; kTimedOut.
  virtual void wait_on_host(std::uint64_t sequence, std::string_view operation,
                            std::uint64_t deadline_ns) = 0;
  /// Whether this thread's work follows the queue's without a wait.
  virtual bool is_ordered_here() const noexcept { return false; }
  /// Updates `progress` without waiting.
  virtual void poll() noexcept = 0;
  /// Waits for everything submitted, ignoring failures.
  virtual void finish_quietly() noexcept = 0;

  const std::shared_ptr<StreamProgress> progress;
  const std::uint64_t id = next_id();  // no other queue of the process has it; never 0

 private:
  static std::uint64_t next_id() noexcept {
    static constinit std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_QUEUE_H_
