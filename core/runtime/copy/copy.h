// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies bytes between devices. Nothing else in the runtime does.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_COPY_H_
#define PATCHBAY_CORE_RUNTIME_COPY_COPY_H_

#include <cstddef>

#include "core/runtime/copy/request.h"
#include "core/runtime/stream/recorder.h"

namespace patchbay::runtime {

/// Copies `size_bytes` by the cheapest route, counts the copy and obeys the guard. The ranges lie
/// within their buffers and do not overlap. `operation` names the caller in errors ("to").
void copy_bytes(const CopyAddress& to, const CopyAddress& from, std::size_t size_bytes,
                bool non_blocking, const char* operation);

/// Copies bytes with these steps around it. The steps keep alive what they use.
void copy_in_steps(const CopySteps& steps, const CopyAddress& to, const CopyAddress& from,
                   std::size_t size_bytes, bool non_blocking, const char* operation);

/// Checks the guard for a copy to `to` from a buffer or (null) the host, before anything is
/// allocated or packed for it. Errors: kCopyForbidden.
void check_copy_allowed(DeviceState& to, const BufferState* from, std::size_t size_bytes,
                        const char* operation);

/// Checks the guard for a copy of `from` to the host. Errors: kCopyForbidden.
void check_fetch_allowed(const BufferState& from, std::size_t size_bytes, const char* operation);

/// Waits for the bytes, copies them to the host and calls `look`. The copy is counted under the tag
/// "validation". The guard does not apply: the program did not ask for the copy.
void look_at(const CopyAddress& from, std::size_t size_bytes, const char* operation,
             const Look& look);

/// Errors: kCopyForbidden if the guard refuses the value of a 0-d tensor in `from` as an operand on
/// `to`.
void check_scalar_allowed(DeviceState& to, const BufferState& from, std::size_t size_bytes,
                          const char* operation);
/// Checks the guard for such a value, and counts it. It goes with the launch. Errors:
/// kCopyForbidden.
void record_scalar(DeviceState& to, const BufferState& from, std::size_t size_bytes,
                   const char* operation);

/// Counts a copy within a device that a kernel makes (strided, converting).
void record_kernel_copy(DeviceState& device, std::size_t size_bytes);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_COPY_H_
