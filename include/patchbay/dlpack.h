// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors from and for other libraries, by the DLPack standard, without a copy: docs/interop.md.
#ifndef PATCHBAY_DLPACK_H_
#define PATCHBAY_DLPACK_H_

#include <cstdint>
#include <optional>
#include <type_traits>

#include "patchbay/device.h"
#include "patchbay/export.h"
#include "patchbay/runtime.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// The structs of the standard, version 1.0, with its names. They are declared here, so that the
/// standard's header is not needed. It may be included as well, in any version: see same_struct.
namespace dlpack {

struct DLPackVersion {
  std::uint32_t major, minor;
};
struct DLDevice {
  std::int32_t device_type, device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;  // an address, or the driver's object
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: compact and row-major
  std::uint64_t byte_offset;
};
/// The struct of versions before 1.0.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

inline constexpr DLPackVersion kVersion = {1, 0};
// Bits of `flags`.
inline constexpr std::uint64_t kReadOnly = 1, kIsCopied = 2;

/// Converts between these structs and those of the standard's header:
/// `same_struct<::DLManagedTensor>(to_dlpack_unversioned(tensor))`.
template <class To, class From>
To* same_struct(From* from) {
  static_assert(std::is_standard_layout_v<To> && std::is_standard_layout_v<From>);
  static_assert(sizeof(To) == sizeof(From) && alignof(To) == alignof(From));
  return reinterpret_cast<To*>(from);
}

}  // namespace dlpack

struct DlpackOptions {
  /// The native handle of the consumer's stream, which then waits for pending work on the tensor.
  /// Empty: to_dlpack blocks until that work is done.
  std::optional<std::uint64_t> stream;
};

/// Exports the tensor to another library, which calls `deleter` when it is done. The memory is kept
/// until then. With a stream, the deleter waits for the work on it, and the stream must still
/// exist; without one, the consumer waits for its own work first. Errors: kUnsupported if the
/// standard has no number for the device, or the device can't order such a stream.
[[nodiscard]] PATCHBAY_API dlpack::DLManagedTensorVersioned* to_dlpack(
    const Tensor& tensor, const DlpackOptions& options = {});
/// Exports the tensor, as to_dlpack does, to consumers of versions before 1.0. Errors: also
/// kInvalidArgument for read-only memory, because that struct has no flag for it.
[[nodiscard]] PATCHBAY_API dlpack::DLManagedTensor* to_dlpack_unversioned(
    const Tensor& tensor, const DlpackOptions& options = {});

/// Imports another library's tensor, on the runtime's device that has the memory. The producer must
/// have made that device's default stream wait for the data, or have waited itself. The deleter is
/// called once, when the last use of the memory is done. Operations refuse to write memory that is
/// flagged read-only. Errors, after which the caller still owns `managed`: kInvalidArgument (null,
/// misaligned, negative strides, vectors), kUnknownDevice, kUnsupported (dtype, version),
/// kOverflow.
[[nodiscard]] PATCHBAY_API Tensor from_dlpack(dlpack::DLManagedTensorVersioned* managed,
                                              const Runtime& runtime = Runtime::get_default());
[[nodiscard]] PATCHBAY_API Tensor from_dlpack(dlpack::DLManagedTensor* managed,
                                              const Runtime& runtime = Runtime::get_default());
/// Imports another library's tensor on the given device, if several have that memory (CPU devices).
/// Errors: also kDeviceMismatch.
[[nodiscard]] PATCHBAY_API Tensor from_dlpack(dlpack::DLManagedTensorVersioned* managed,
                                              const Device& device);
[[nodiscard]] PATCHBAY_API Tensor from_dlpack(dlpack::DLManagedTensor* managed,
                                              const Device& device);

}  // namespace patchbay

#endif  // PATCHBAY_DLPACK_H_
