// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory of the driver behind buffers, and buffers in the application's memory. Included by
// core/tensor.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_NATIVE_MEMORY_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_NATIVE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "patchbay/buffer.h"
#include "patchbay/interop.h"

#include "core/runtime/memory/buffer_state.h"

namespace patchbay::runtime {

/// The native memory at `offset_bytes` in the buffer. Does not wait.
NativeHandle native_memory(BufferState& buffer, std::size_t offset_bytes);

/// Wraps the application's memory. The plugin checks `base`, unless there are 0 bytes.
Buffer wrap_memory(const char* operation, const Device& device, std::uint64_t native_memory,
                   std::size_t size_bytes, std::function<void()> released, bool is_read_only);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_NATIVE_MEMORY_H_
