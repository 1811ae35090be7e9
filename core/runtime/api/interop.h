// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Exchanges the driver's own objects with the application. Included by core/tensor.
#ifndef PATCHBAY_CORE_RUNTIME_API_INTEROP_H_
#define PATCHBAY_CORE_RUNTIME_API_INTEROP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "patchbay/buffer.h"
#include "patchbay/interop.h"

#include "core/runtime/device/device_state.h"
#include "core/runtime/memory/buffer_state.h"

namespace patchbay::runtime {

/// The buffer behind a handle. Errors: kInvalidArgument if the handle is null.
BufferState& state_of(const char* operation, const Buffer& buffer);

/// The native memory at `offset_bytes` in the buffer. Does not wait.
NativeHandle native_memory(BufferState& buffer, std::size_t offset_bytes);

/// Wraps the application's memory. The plugin checks `base`, unless there are 0 bytes.
Buffer wrap_memory(const char* operation, const Device& device, std::uint64_t native_memory,
                   std::size_t size_bytes, std::function<void()> released, bool is_read_only);

/// Wraps the application's stream. Its destructor waits for the work submitted to it.
std::unique_ptr<StreamState> wrap_stream(const char* operation, DeviceState& device,
                                         std::uint64_t native_stream);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_API_INTEROP_H_
