// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Queues, and the positions of submissions in them, by which memory remembers its uses.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_POSITION_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_POSITION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/runtime/stream/stream_progress.h"

namespace patchbay::runtime {

struct StreamState;

/// What work is submitted to: a stream, or a copy that the transfer thread makes.
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

/// Whether waiting for one use of a memory makes waiting for an earlier use unnecessary, because a
/// stream has waited for that and then written the memory. Void once any stream has failed since
/// `num_failures`: work of a failed stream may end before what it waits for.
struct Cover {
  std::uint64_t num_failures = 0;
  bool is_set = false;

  bool holds(std::uint64_t failures_now) const { return is_set && num_failures == failures_now; }
};

/// A submission's position in a queue, and how it uses a buffer.
struct Position {
  std::shared_ptr<Queue> queue;
  std::uint64_t sequence = 0;
  bool writes = false;
  /// Uses of the memory's earlier buffers. Launches by hand wait for these too, because their
  /// caller can't know of them.
  bool inherited = false;
  /// Later ones of a buffer have larger numbers.
  std::uint64_t number = 0;
  /// Queue::id of the last stream that waits for it, 0 if none does, and the failures until then.
  std::uint64_t awaited_by = 0, failures_when_awaited = 0;
  /// By a write of an earlier buffer, which is inherited too, and by one of this buffer, for which
  /// launches by hand do not wait.
  Cover past_cover = {}, cover = {};

  bool is_done() const { return queue->is_done(sequence); }
};

/// The last use of memory that no buffer holds. Keeps neither queue nor runtime alive.
struct PastUse {
  std::weak_ptr<Queue> queue;
  std::shared_ptr<const StreamProgress> progress;
  std::uint64_t sequence = 0;
  bool writes = false;
  Cover cover = {};

  bool is_done() const { return progress->has_passed(sequence); }
  /// Keeps the queue; null if that has ended.
  std::shared_ptr<Queue> held() const;
  /// Asks the driver if necessary.
  bool learn_whether_done() const noexcept;
  void wait() const noexcept;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_POSITION_H_
