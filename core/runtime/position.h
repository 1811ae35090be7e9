// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Places on streams, of the submissions that use a piece of memory.
#ifndef PATCHBAY_CORE_RUNTIME_POSITION_H_
#define PATCHBAY_CORE_RUNTIME_POSITION_H_

#include <cstdint>
#include <memory>

#include "core/runtime/stream_progress.h"

namespace patchbay::runtime {

struct StreamState;

/// One submission's place on a stream, and what it does to a buffer.
struct Position {
  std::shared_ptr<StreamState> stream;
  std::uint64_t sequence = 0;
  bool writes = false;
  /// It used the memory for an earlier buffer: launches by hand wait for it too, since their
  /// caller can't know of it.
  bool inherited = false;
};

/// The same for memory that no buffer holds. It keeps neither stream nor runtime.
struct PastUse {
  std::weak_ptr<StreamState> stream;
  std::shared_ptr<const StreamProgress> progress;
  std::uint64_t sequence = 0;
  bool writes = false;

  bool is_done() const { return progress->has_passed(sequence); }
  /// Asks the driver, if that is needed to know.
  bool learn_whether_done() const noexcept;
  void wait() const noexcept;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_POSITION_H_
