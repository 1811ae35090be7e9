// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy/staging.h"

#include <algorithm>

#include "core/runtime/device/device_state.h"

namespace patchbay::runtime {
namespace {

/// A chunk on its way: when it has come, and when it has gone on.
struct Slot {
  std::shared_ptr<EventState> filled, emptied;
};

End advanced(const End& end, std::size_t by_bytes) {
  return {end.buffer, end.offset_bytes + by_bytes, end.host};
}

}  // namespace

StagingRing::StagingRing(const Device& device, std::size_t bytes, std::size_t num_slots)
    : chunk_bytes(bytes), slots(num_slots) {
  for (Buffer& slot : slots) slot = Buffer::allocate(device, bytes, MemoryKind::kPinned);
}

bool StagingRing::fits(const DeviceState& device, std::size_t wanted_bytes,
                       std::size_t num_slots) const {
  return slots[0].state()->device.get() == &device && chunk_bytes >= wanted_bytes &&
         slots.size() >= num_slots;
}

void stage(StreamState* source, StreamState* target, const End& to, const End& from,
           std::size_t size_bytes, std::size_t chunk_bytes, const StagingRing& ring,
           const char* operation) {
  // The first leg is queued this many chunks ahead of the second: neither waits for the host.
  const std::size_t num_slots = ring.slots.size();
  const std::size_t ahead = source != nullptr ? (num_slots + 1) / 2 : 0;
  const std::size_t num_chunks = (size_bytes + chunk_bytes - 1) / chunk_bytes;
  std::vector<Slot> slots(num_slots);
  const auto middle = [&](std::size_t i) {
    return End{ring.slots[i % num_slots].state(), 0, nullptr};
  };
  const auto size_of = [&](std::size_t i) {
    return std::min(chunk_bytes, size_bytes - i * chunk_bytes);
  };
  const auto fill = [&](std::size_t i) {
    Slot& slot = slots[i % num_slots];
    const End part = advanced(from, i * chunk_bytes);
    if (source == nullptr) {
      if (slot.emptied) slot.emptied->wait(PATCHBAY_NO_DEADLINE);
      middle(i).buffer->wait_on_host(/*writes=*/true);
      return copy_on_host(middle(i), part, size_of(i));
    }
    if (slot.emptied) {
      source->wait(slot.emptied);
    } else {
      middle(i).buffer->insert_waits(*source, /*writes=*/true);  // of what had the block before
    }
    queue_to_host(*source, middle(i), part, size_of(i), operation);
    slot.filled = source->record(nullptr);
  };
  const auto empty = [&](std::size_t i) {
    Slot& slot = slots[i % num_slots];
    const End part = advanced(to, i * chunk_bytes);
    if (target == nullptr) {
      slot.filled->wait(PATCHBAY_NO_DEADLINE);
      return copy_on_host(part, middle(i), size_of(i));
    }
    if (slot.filled) target->wait(slot.filled);
    queue_to_device(*target, part, middle(i), size_of(i), operation);
    if (i + num_slots < num_chunks) slot.emptied = target->record(nullptr);
  };
  for (std::size_t i = 0; i < num_chunks + ahead; ++i) {
    if (i < num_chunks) fill(i);
    if (i >= ahead) empty(i - ahead);
  }
}

}  // namespace patchbay::runtime
