// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver's own objects behind devices, streams and events. Included by core/tensor.
#ifndef PATCHBAY_CORE_RUNTIME_STREAM_NATIVE_HANDLE_H_
#define PATCHBAY_CORE_RUNTIME_STREAM_NATIVE_HANDLE_H_

#include <cstdint>
#include <memory>

#include "patchbay/interop.h"

#include "core/runtime/device/device_state.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

/// The driver's own object behind one of the plugin's. Opens the device.
NativeHandle native_handle_of(DeviceState& device, NativeKind kind, void* object,
                              const char* operation = "native_handle");

/// Wraps the application's stream. Its destructor waits for the work submitted to it.
std::unique_ptr<StreamState> wrap_stream(const char* operation, DeviceState& device,
                                         std::uint64_t native_stream);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_STREAM_NATIVE_HANDLE_H_
