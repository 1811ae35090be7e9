// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies bytes between devices. Nothing else in the runtime does.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_COPY_H_
#define PATCHBAY_CORE_RUNTIME_COPY_COPY_H_

#include <cstddef>
#include <functional>

#include "patchbay/copy.h"

#include "core/runtime/memory/buffer_state.h"

namespace patchbay::runtime {

/// One end of a copy. Host memory has no buffer.
struct End {
  BufferState* buffer = nullptr;
  std::size_t offset_bytes = 0;
  void* host = nullptr;
};

/// Copies `size_bytes` by the cheapest route, counts the copy and obeys the guard. The ranges lie
/// within their buffers and do not overlap. `operation` names the caller in errors ("to").
void copy_bytes(const End& to, const End& from, std::size_t size_bytes, bool non_blocking,
                const char* operation);

/// A copy with kernels before and after it (strided, converting).
struct CopySteps {
  std::function<void()> pack, unpack;  // launch the kernels; may be empty
  BufferState* to;                     // what `unpack` writes; else the end of the copy
  BufferState* from;                   // what `pack` reads; else the start of the copy
};

/// As copy_bytes, with these steps around it. The steps keep alive what they use.
void copy_in_steps(const CopySteps& steps, const End& to, const End& from, std::size_t size_bytes,
                   bool non_blocking, const char* operation);

/// Queues one leg of a copy on a stream of the device end, without waits.
void queue_to_device(StreamState& stream, const End& to, const End& from, std::size_t size_bytes,
                     const char* operation);
void queue_to_host(StreamState& stream, const End& to, const End& from, std::size_t size_bytes,
                   const char* operation);

/// Checks the guard for a copy to `to` from a buffer or (null) the host, before anything is
/// allocated or packed for it. Errors: kCopyForbidden.
void check_copy_allowed(DeviceState& to, const BufferState* from, std::size_t size_bytes,
                        const char* operation);

/// The same for a copy of `from` to the host.
void check_fetch_allowed(const BufferState& from, std::size_t size_bytes, const char* operation);

/// Counts a copy within a device that a kernel makes (strided, converting).
void record_kernel_copy(DeviceState& device, std::size_t size_bytes);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_COPY_H_
