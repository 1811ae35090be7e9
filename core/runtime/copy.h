// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The one place where bytes move between devices.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_H_
#define PATCHBAY_CORE_RUNTIME_COPY_H_

#include <cstddef>

#include "patchbay/copy.h"

#include "core/runtime/buffer_state.h"

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

/// For what would be allocated or packed before a copy to `to`, from a buffer or (null) the host:
/// asks the guard first. Errors: kCopyForbidden.
void check_copy_allowed(DeviceState& to, const BufferState* from, std::size_t size_bytes,
                        const char* operation);

/// For same-device copies that a kernel does (strided, converting): counts them like the others.
void record_kernel_copy(DeviceState& device, std::size_t size_bytes);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_H_
