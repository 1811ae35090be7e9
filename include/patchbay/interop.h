// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver's objects behind Patchbay's, and the application's objects in Patchbay:
// docs/interop.md.
#ifndef PATCHBAY_INTEROP_H_
#define PATCHBAY_INTEROP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "patchbay/buffer.h"
#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"
#include "patchbay/shape.h"
#include "patchbay/stream.h"

namespace patchbay {

class Tensor;

enum class NativeKind : std::uint8_t { kDevice = 1, kContext, kStream, kMemory, kEvent };
/// "device", "context" ...
PATCHBAY_API std::string_view to_string(NativeKind kind);

/// An object of the driver's API: a pointer or a number. Patchbay owns it, and it is valid as long
/// as the object that was asked for it.
struct NativeHandle {
  NativeKind kind = NativeKind::kDevice;
  std::uint64_t value = 0;
  /// If the handle of memory is an object: the offset of the first byte in it. 0 if `value` is an
  /// address, which is then the address of the first byte.
  std::size_t offset_bytes = 0;

  /// `value` as the driver's type, if that is a pointer.
  template <class T>
  T as() const {
    return reinterpret_cast<T>(static_cast<std::uintptr_t>(value));
  }
};

// These open the device if it is not open. They do not wait for work that was submitted
// on the object.
// Errors: kUnsupported, with the plugin's reason, if there is no such object.
/// The driver's object behind a device, a stream, an event, a buffer or a tensor.
PATCHBAY_API NativeHandle native_handle(const Device& device);
/// The context in which the driver has the device's streams and memory.
PATCHBAY_API NativeHandle native_context(const Device& device);
PATCHBAY_API NativeHandle native_handle(const Stream& stream);
PATCHBAY_API NativeHandle native_handle(const Event& event);
/// Memory of 0 bytes has the handle 0.
PATCHBAY_API NativeHandle native_handle(const Buffer& buffer);
/// The handle of the element at index 0, 0, ...; the others lie at the strides.
PATCHBAY_API NativeHandle native_handle(const Tensor& tensor);

/// Opens the device in a context that the application made for the driver's device. The application
/// owns the context and keeps it as long as the runtime.
/// Errors: kInUse if the device is open already; kUnsupported if devices have no context;
/// kInvalidArgument for a context of another device.
PATCHBAY_API void adopt_context(const Device& device, std::uint64_t native_context);

/// An extension of the device's plugin: a table of functions beyond the plugin interface. The
/// plugin's documentation gives its name, its version and its entries. Both pointers are valid as
/// long as the device.
struct PluginExtension {
  const void* table = nullptr;
  void* device = nullptr;  // the plugin's own object for the device, which such entries take
};
/// Opens the device if it is not open yet. Errors: kUnsupported if the plugin has no such table;
/// kInvalidArgument for a name without '.': such names belong to the plugin interface.
PATCHBAY_API PluginExtension plugin_extension(const Device& device, std::string_view name,
                                              std::uint32_t version);

/// Borrows a stream that the application made in the device's context. The application owns it and
/// keeps it until the last handle is gone; dropping that handle waits for the work on the stream,
/// unless the application is recording it. Stream scopes and thread contexts hold handles.
/// Work of Patchbay and of the application runs in the order of submission.
/// Errors: kUnsupported; kInvalidArgument for a stream of another context.
[[nodiscard]] PATCHBAY_API Stream wrap_stream(const Device& device, std::uint64_t native_stream);

/// Borrows memory of the device from the application: an address or the driver's object. The
/// application owns it and keeps it valid until `released` is called, as for Buffer::wrap_host.
/// Work that the application submitted on it must be done, or the streams that use it must wait for
/// it. Errors: kUnsupported; kInvalidArgument for memory that is too small, or of another context.
[[nodiscard]] PATCHBAY_API Buffer wrap_buffer(const Device& device, std::uint64_t native_memory,
                                              std::size_t size_bytes,
                                              std::function<void()> released = {});

/// A tensor whose elements lie in `buffer` from `offset_bytes` on, contiguous unless `strides` (in
/// elements, not negative) are given. No copy. Errors: kInvalidArgument for elements that are
/// misaligned or outside the buffer; kUnsupported for a dtype that the device lacks.
[[nodiscard]] PATCHBAY_API Tensor from_buffer(const Buffer& buffer, DType dtype, const Shape& shape,
                                              std::size_t offset_bytes = 0);
[[nodiscard]] PATCHBAY_API Tensor from_buffer(const Buffer& buffer, DType dtype, const Shape& shape,
                                              const Shape& strides, std::size_t offset_bytes);

}  // namespace patchbay

#endif  // PATCHBAY_INTEROP_H_
