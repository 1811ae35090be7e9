// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies through pinned host memory, in chunks, both legs at once.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_STAGING_H_
#define PATCHBAY_CORE_RUNTIME_COPY_STAGING_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "patchbay/buffer.h"

#include "core/runtime/copy/copy.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

/// Chunks of one device's pinned memory. Copies use a ring one after the other.
struct StagingRing {
  /// So many that either leg has work for a while when the thread that queues it comes late.
  static constexpr std::size_t kMostSlots = 16;

  /// Errors: kOutOfMemory.
  StagingRing(const Device& device, std::size_t chunk_bytes, std::size_t num_slots);
  /// Whether a copy from that device in such chunks may use it.
  bool fits(const DeviceState& device, std::size_t wanted_bytes, std::size_t num_slots) const;

  const std::size_t chunk_bytes;
  std::vector<Buffer> slots;
};

/// Queues all of it on the two streams, as far as these can wait for each other without the host.
/// The host itself makes the leg of a stream that is null.
void stage(StreamState* source, StreamState* target, const End& to, const End& from,
           std::size_t size_bytes, std::size_t chunk_bytes, const StagingRing& ring,
           const char* operation);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_STAGING_H_
