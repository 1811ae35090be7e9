// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver's own objects behind Patchbay's, and the application's objects inside Patchbay.
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

/// An object of the driver's API: a pointer or a number, as that API has it. It stays Patchbay's,
/// and is valid as long as what it was asked of.
struct NativeHandle {
  NativeKind kind = NativeKind::kDevice;
  std::uint64_t value = 0;
  /// Of memory whose handle is an object and no address: where in it. 0 where `value` is an
  /// address, which then is that of the first byte.
  std::size_t offset_bytes = 0;

  /// `value` as the driver's type, when that is a pointer.
  template <class T>
  T as() const {
    return reinterpret_cast<T>(static_cast<std::uintptr_t>(value));
  }
};

// These open the device if need be. They wait for nothing: what was submitted may still run.
// Errors: kUnsupported, with the plugin's reason, where there is no such object.
PATCHBAY_API NativeHandle native_handle(const Device& device);
PATCHBAY_API NativeHandle native_context(const Device& device);
PATCHBAY_API NativeHandle native_handle(const Stream& stream);
PATCHBAY_API NativeHandle native_handle(const Event& event);
/// Memory of 0 bytes has the handle 0.
PATCHBAY_API NativeHandle native_handle(const Buffer& buffer);
/// Of the element at index 0, 0, ...; the others lie at the strides.
PATCHBAY_API NativeHandle native_handle(const Tensor& tensor);

/// Opens the device in a context that the application made of the driver's device. The application
/// keeps owning it, and keeps it as long as the runtime.
/// Errors: kInUse if the device is open already; kUnsupported where devices have no context;
/// kInvalidArgument for a context of another device.
PATCHBAY_API void adopt_context(const Device& device, std::uint64_t native_context);

/// Borrows a stream that the application made in the device's context. The application keeps owning
/// it, and keeps it until the last handle is gone, which waits for the work on it. What the
/// application submits by itself comes before or after as it is submitted.
/// Errors: kUnsupported; kInvalidArgument for a stream of another context.
[[nodiscard]] PATCHBAY_API Stream wrap_stream(const Device& device, std::uint64_t native_stream);

/// Borrows memory of the device that the application made: an address or the driver's object. The
/// application keeps owning it; it must stay valid until `released` is called (if given), as for
/// Buffer::wrap_host. What the application submitted to it must be done, or waited for by the
/// streams that use it.
/// Errors: kUnsupported; kInvalidArgument for memory that is too small, or of another context.
[[nodiscard]] PATCHBAY_API Buffer wrap_buffer(const Device& device, std::uint64_t native_memory,
                                              std::size_t size_bytes,
                                              std::function<void()> released = {});

/// A tensor whose elements lie in `buffer` from `offset_bytes` on, contiguous unless `strides` (in
/// elements, 0 or more) are given. No copy. Errors: kInvalidArgument for misaligned elements and
/// for such as lie outside the buffer; kUnsupported for a dtype that the device lacks.
[[nodiscard]] PATCHBAY_API Tensor from_buffer(const Buffer& buffer, DType dtype, const Shape& shape,
                                              std::size_t offset_bytes = 0);
[[nodiscard]] PATCHBAY_API Tensor from_buffer(const Buffer& buffer, DType dtype, const Shape& shape,
                                              const Shape& strides, std::size_t offset_bytes);

}  // namespace patchbay

#endif  // PATCHBAY_INTEROP_H_
