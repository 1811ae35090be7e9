// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Places in queues, of the submissions that use a piece of memory.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_POSITION_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_POSITION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/runtime/stream/stream_progress.h"

namespace patchbay::runtime {

struct StreamState;

/// What positions lie on: a stream, or a copy that the transfer thread makes.
struct Queue {
  explicit Queue(std::string device_name)
      : progress(std::make_shared<StreamProgress>(std::move(device_name))) {}
  virtual ~Queue() = default;

  bool is_done(std::uint64_t sequence) const { return progress->has_passed(sequence); }
  /// The stream; null for a copy, which others can only wait for on the host.
  virtual StreamState* as_stream() noexcept { return nullptr; }
  /// Blocks until the position is done. Errors: those of what was submitted.
  virtual void wait_on_host(std::uint64_t sequence, std::string_view operation) = 0;
  /// Whether what this thread does comes after it in any case.
  virtual bool is_ordered_here() const noexcept { return false; }
  /// Learns how far it has come, without waiting.
  virtual void poll() noexcept = 0;
  /// Waits for all that was submitted; what failed has ended too.
  virtual void finish_quietly() noexcept = 0;

  const std::shared_ptr<StreamProgress> progress;
};

/// One submission's place in a queue, and what it does to a buffer.
struct Position {
  std::shared_ptr<Queue> queue;
  std::uint64_t sequence = 0;
  bool writes = false;
  /// It used the memory for an earlier buffer: launches by hand wait for it too, since their
  /// caller can't know of it.
  bool inherited = false;

  bool is_done() const { return queue->is_done(sequence); }
};

/// The same for memory that no buffer holds. It keeps neither queue nor runtime.
struct PastUse {
  std::weak_ptr<Queue> queue;
  std::shared_ptr<const StreamProgress> progress;
  std::uint64_t sequence = 0;
  bool writes = false;

  bool is_done() const { return progress->has_passed(sequence); }
  /// Asks the driver, if that is needed to know.
  bool learn_whether_done() const noexcept;
  void wait() const noexcept;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_POSITION_H_
