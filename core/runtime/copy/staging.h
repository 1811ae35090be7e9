// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies through pinned host memory, in chunks, with both legs at once.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_STAGING_H_
#define PATCHBAY_CORE_RUNTIME_COPY_STAGING_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "patchbay/buffer.h"

#include "core/runtime/copy/request.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

/// Chunks of one device's pinned memory. Only one copy at a time uses a ring.
struct StagingRing {
  /// Enough that both legs have work for a while if the thread that queues it is late.
  static constexpr std::size_t kMostSlots = 16;

  /// Errors: kOutOfMemory.
  StagingRing(const Device& device, std::size_t chunk_bytes, std::size_t num_slots);
  /// Whether a copy from that device with such chunks may use the ring.
  bool fits(const DeviceState& device, std::size_t wanted_bytes, std::size_t num_slots) const;

  const std::size_t chunk_bytes;
  std::vector<Buffer> slots;
};

/// Queues the copy on the two streams, as far as they can wait for each other without the host. The
/// host itself makes the leg of a stream that is null.
void stage(StreamState* source, StreamState* target, const CopyRequest& request);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_STAGING_H_
