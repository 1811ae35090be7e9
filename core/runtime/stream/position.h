// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Positions of submissions in queues, for memory to remember its uses.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_POSITION_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_POSITION_H_

#include <cstdint>
#include <memory>

#include "core/runtime/stream/queue.h"

namespace patchbay::runtime {

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
