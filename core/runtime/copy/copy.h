// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The one place where bytes move between devices.
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

/// Copies `size_bytes` by the cheapest route, counts it, and honours the guard. The ranges lie
/// within their buffers and do not overlap. `operation` names the caller in errors ("to").
void copy_bytes(const End& to, const End& from, std::size_t size_bytes, bool non_blocking,
                const char* operation);

/// A copy with kernels before and after its way (strided, converting).
struct CopySteps {
  std::function<void()> pack, unpack;  // launch them; empty: none
  BufferState* to;                     // what `unpack` writes, or the way's own end
  BufferState* from;                   // what `pack` reads, or the way's own end
};

/// As copy_bytes, which makes the way. The steps keep what they use.
void copy_in_steps(const CopySteps& steps, const End& to, const End& from, std::size_t size_bytes,
                   bool non_blocking, const char* operation);

/// One leg of a copy, queued on a stream of the device end, without waits.
void queue_to_device(StreamState& stream, const End& to, const End& from, std::size_t size_bytes,
                     const char* operation);
void queue_to_host(StreamState& stream, const End& to, const End& from, std::size_t size_bytes,
                   const char* operation);

/// The same by the host, which can address both.
void copy_on_host(const End& to, const End& from, std::size_t size_bytes);

/// For what would be allocated or packed before a copy to `to`, from a buffer or (null) the host:
/// asks the guard first. Errors: kCopyForbidden.
void check_copy_allowed(DeviceState& to, const BufferState* from, std::size_t size_bytes,
                        const char* operation);

/// The same for a copy of `from` to the host.
void check_fetch_allowed(const BufferState& from, std::size_t size_bytes, const char* operation);

/// For same-device copies that a kernel does (strided, converting): counts them like the others.
void record_kernel_copy(DeviceState& device, std::size_t size_bytes);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_COPY_H_
