// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver's own objects, from Patchbay's and for them. Included by core/tensor.
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

/// The buffer behind a handle. Errors: kInvalidArgument for a null one.
BufferState& state_of(const char* operation, const Buffer& buffer);

/// Where `offset_bytes` of the buffer lies. Waits for nothing.
NativeHandle native_memory(BufferState& buffer, std::size_t offset_bytes);

/// The application's memory. `base` is checked by the plugin, unless there are 0 bytes.
Buffer wrap_memory(const char* operation, const Device& device, std::uint64_t native_memory,
                   std::size_t size_bytes, std::function<void()> released, bool is_read_only);

/// The application's stream, which its end waits for.
std::unique_ptr<StreamState> wrap_stream(const char* operation, DeviceState& device,
                                         std::uint64_t native_stream);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_API_INTEROP_H_
