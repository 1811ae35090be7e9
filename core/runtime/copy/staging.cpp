// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy/staging.h"

#include <algorithm>

#include "core/runtime/device/device_state.h"

namespace patchbay::runtime {
namespace {

/// A chunk of the ring: when it was filled, and when it was emptied.
struct Slot {
  std::shared_ptr<EventState> filled, emptied;
};

CopyAddress advanced(const CopyAddress& address, std::size_t by_bytes) {
  return {address.buffer, address.offset_bytes + by_bytes, address.host};
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

void stage(StreamState* source, StreamState* target, const CopyRequest& request) {
  const std::size_t size_bytes = request.size_bytes, chunk_bytes = request.chunk_bytes;
  const StagingRing& ring = *request.ring;
  // Queue the first leg this many chunks ahead of the second, so that no leg waits for the host.
  const std::size_t num_slots = ring.slots.size();
  const std::size_t ahead = source != nullptr ? (num_slots + 1) / 2 : 0;
  const std::size_t num_chunks = (size_bytes + chunk_bytes - 1) / chunk_bytes;
  std::vector<Slot> slots(num_slots);
  const auto middle = [&](std::size_t i) {
    return CopyAddress{ring.slots[i % num_slots].state(), 0, nullptr};
  };
  const auto size_of = [&](std::size_t i) {
    return std::min(chunk_bytes, size_bytes - i * chunk_bytes);
  };
  const auto fill = [&](std::size_t i) {
    Slot& slot = slots[i % num_slots];
    const CopyAddress part = advanced(request.from, i * chunk_bytes);
    if (source == nullptr) {
      if (slot.emptied) slot.emptied->wait(PATCHBAY_NO_DEADLINE);
      middle(i).buffer->wait_on_host(/*writes=*/true);
      return copy_on_host(middle(i), part, size_of(i));
    }
    if (slot.emptied) {
      source->wait(slot.emptied);
    } else {
      middle(i).buffer->insert_waits(*source, /*writes=*/true);  // for the block's earlier owner
    }
    submit_leg({middle(i), part, size_of(i), request.operation, Route::kDeviceToHost}, *source);
    slot.filled = source->record(nullptr);
  };
  const auto empty = [&](std::size_t i) {
    Slot& slot = slots[i % num_slots];
    const CopyAddress part = advanced(request.to, i * chunk_bytes);
    if (target == nullptr) {
      slot.filled->wait(PATCHBAY_NO_DEADLINE);
      return copy_on_host(part, middle(i), size_of(i));
    }
    if (slot.filled) target->wait(slot.filled);
    submit_leg({part, middle(i), size_of(i), request.operation, Route::kHostToDevice}, *target);
    if (i + num_slots < num_chunks) slot.emptied = target->record(nullptr);
  };
  for (std::size_t i = 0; i < num_chunks + ahead; ++i) {
    if (i < num_chunks) fill(i);
    if (i >= ahead) empty(i - ahead);
  }
}

}  // namespace patchbay::runtime
