// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Describes a copy to the code that makes it.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_REQUEST_H_
#define PATCHBAY_CORE_RUNTIME_COPY_REQUEST_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "patchbay/copy.h"

#include "core/runtime/device/device_state.h"
#include "core/runtime/memory/buffer_state.h"

namespace patchbay::runtime {

struct StagingRing;

/// Where a copy reads or writes. Host memory has no buffer.
struct CopyAddress {
  BufferState* buffer = nullptr;
  std::size_t offset_bytes = 0;
  void* host = nullptr;
};

/// A copy and the route that was chosen for it. At least one end has a buffer.
struct CopyRequest {
  CopyAddress to, from;
  std::size_t size_bytes;
  const char* operation;  // names the caller in errors
  Route route = Route::kNone;
  std::size_t chunk_bytes = 0;          // only for staged copies
  std::shared_ptr<StagingRing> ring{};  // only for staged copies

  bool has_two_buffers() const { return to.buffer != nullptr && from.buffer != nullptr; }
  RuntimeState& runtime() const {
    return (from.buffer != nullptr ? from : to).buffer->device->runtime;
  }
  /// The device whose stream makes a copy without staging.
  DeviceState& mover() const { return *(route == Route::kHostToDevice ? to : from).buffer->device; }
};

/// A copy with kernels before and after it (strided, converting).
struct CopySteps {
  std::function<void()> pack, unpack;  // launch the kernels; may be empty
  BufferState* to;                     // what `unpack` writes; else the end of the copy
  BufferState* from;                   // what `pack` reads; else the start of the copy
};

/// Queues one leg of a copy on a stream without waits, and without noting uses.
void submit_leg(const CopyRequest& request, StreamState& stream);

/// Copies on the host, which can address both ends.
void copy_on_host(const CopyAddress& to, const CopyAddress& from, std::size_t size_bytes);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_REQUEST_H_
