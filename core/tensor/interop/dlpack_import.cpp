// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "patchbay/dlpack.h"

#include "core/runtime/memory/native_memory.h"
#include "core/runtime/registry/loaded_runtime.h"
#include "core/tensor/base/layout.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/interop/dlpack_dtype.h"

namespace patchbay {
namespace {

using base::raise;
using dlpack::DLManagedTensor;
using dlpack::DLManagedTensorVersioned;
using dlpack::DLTensor;
using runtime::DeviceState;

constexpr const char* kOperation = "from_dlpack";

template <class Managed>
const Managed& checked(const Managed* managed) {
  if (managed == nullptr) {
    raise(
        ErrorCode::kInvalidArgument,
        "[from_dlpack] null pointer: expected a managed tensor. Pass what the other library gave.");
  }
  return *managed;
}

const DLTensor& tensor_of(const DLManagedTensor* managed) { return checked(managed).dl_tensor; }
const DLTensor& tensor_of(const DLManagedTensorVersioned* managed) {
  const dlpack::DLPackVersion version = checked(managed).version;
  // Other major versions may have another layout behind the version.
  if (version.major != dlpack::kVersion.major) {
    raise(ErrorCode::kUnsupported,
          "[from_dlpack] the tensor is of another version of DLPack: expected {}.x, got {}.{}. Ask "
          "its library for an older one.",
          dlpack::kVersion.major, version.major, version.minor);
  }
  return managed->dl_tensor;
}

bool is_read_only(const DLManagedTensor&) { return false; }
bool is_read_only(const DLManagedTensorVersioned& managed) {
  return (managed.flags & dlpack::kReadOnly) != 0;
}

bool is_on(const DLTensor& given, const DeviceState& device) {
  return device.info.dlpack_device_type != 0 &&
         device.info.dlpack_device_type == given.device.device_type &&
         device.info.dlpack_device_id == given.device.device_id;
}

std::string place_of(const DLTensor& given) {
  return fmt::format("device type {}, id {}", given.device.device_type, given.device.device_id);
}

std::string place_of(const DeviceState& device) {
  if (device.info.dlpack_device_type == 0) return "nothing, since DLPack has no number for it";
  return fmt::format("device type {}, id {}", device.info.dlpack_device_type,
                     device.info.dlpack_device_id);
}

/// Searches only open plugins: a list of all devices would open the others.
std::optional<Device> find_open_device(const DLTensor& given, const Runtime& runtime) {
  const runtime::PluginRegistry::Reading reading(registry_of(runtime.state()));
  for (const runtime::Backend* const backend : registry_of(runtime.state()).loaded()) {
    for (const auto& device : backend->assemblies) {
      if (device->visible && is_on(given, *device)) return Device(device->shared());
    }
  }
  return std::nullopt;
}

Device find_device(const DLTensor& given, const Runtime& runtime) {
  if (auto open = find_open_device(given, runtime)) return *std::move(open);
  std::string known;
  for (const Device& candidate : runtime.devices()) {
    const DeviceState& device = candidate.state();
    if (is_on(given, device)) return candidate;
    if (device.info.dlpack_device_type == 0) continue;
    known +=
        fmt::format("{}{}: {}", known.empty() ? "" : "; ", device.info.name_text, place_of(device));
  }
  raise(
      ErrorCode::kUnknownDevice,
      "[from_dlpack] no device of this runtime has the memory: expected one of ({}), got {}. Load "
      "the plugin of that device, or copy the tensor where it comes from.",
      known, place_of(given));
}

void check_device(const DLTensor& given, const DeviceState& device) {
  if (is_on(given, device)) return;
  raise(ErrorCode::kDeviceMismatch,
        "[from_dlpack] the memory is of another device: expected {} for {}, got {}. Import it to "
        "its own device, and copy it from there.",
        place_of(device), device.info.name_text, place_of(given));
}

DType dtype_of(const DLTensor& given) {
  const auto& [code, bits, lanes] = given.dtype;
  for (const auto& row : tensor::kDlpackDtypes) {
    if (row.code == code && row.bits == bits && lanes == 1) return row.dtype;
  }
  raise(ErrorCode::kUnsupported,
        "[from_dlpack] no such dtype: expected one lane of one of {}, got code {} with {} bits and "
        "{} lanes. Convert it where it comes from.",
        tensor::to_string(tensor::kAll | tensor::kComplex), code, bits, lanes);
}

Shape shape_of(const DLTensor& given) {
  if (given.ndim < 0 || given.ndim > kMaxRank || (given.ndim > 0 && given.shape == nullptr)) {
    raise(ErrorCode::kInvalidArgument,
          "[from_dlpack] bad shape: expected 0 to {} dimensions with their extents, got {}{}. "
          "Reshape it where it comes from.",
          kMaxRank, given.ndim, given.shape == nullptr ? " without extents" : "");
  }
  return Shape(std::span<const std::int64_t>(given.shape, static_cast<std::size_t>(given.ndim)));
}

tensor::Layout layout_of(const DLTensor& given, DType dtype) {
  const Shape shape = shape_of(given);
  if (given.strides == nullptr) return tensor::checked_layout(kOperation, dtype, shape, nullptr);
  const Shape strides(
      std::span<const std::int64_t>(given.strides, static_cast<std::size_t>(given.ndim)));
  return tensor::checked_layout(kOperation, dtype, shape, &strides);
}

/// The bytes from `data` to the end of the last element.
std::size_t size_of(const DLTensor& given, const tensor::Layout& layout) {
  std::int64_t size = 0;
  if (layout.extent_bytes == 0) return 0;
  if (__builtin_add_overflow(given.byte_offset, layout.extent_bytes, &size)) {
    raise(ErrorCode::kOverflow,
          "[from_dlpack] too large an offset: expected that elements end below 2^63 bytes, got {} "
          "bytes from offset {}.",
          layout.extent_bytes, given.byte_offset);
  }
  return static_cast<std::size_t>(size);
}

/// Takes ownership only when nothing can fail any more.
template <class Managed>
Tensor import(Managed* managed, const Device& device) {
  const DLTensor& given = tensor_of(managed);
  check_device(given, device.state());
  const DType dtype = dtype_of(given);
  tensor::check_device_has(kOperation, device.state(), dtype);
  const tensor::Layout layout = layout_of(given, dtype);
  const std::size_t size = size_of(given, layout);
  const auto data = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(given.data));
  const std::uint64_t offset = size == 0 ? 0 : given.byte_offset;
  if (size != 0) {
    tensor::check_aligned(kOperation, dtype,
                          (device.state().info.has_addresses ? data : 0) + offset);
  }
  const auto owned = std::make_shared<Managed*>(nullptr);
  const auto release = [owned] {
    if (*owned != nullptr && (*owned)->deleter != nullptr) (*owned)->deleter(*owned);
  };
  Buffer memory =
      runtime::wrap_memory(kOperation, device, data, size, release, is_read_only(*managed));
  Tensor result(
      new tensor::TensorImpl(std::move(memory), offset, dtype, layout.shape, layout.strides));
  *owned = managed;
  return result;
}

}  // namespace

Tensor from_dlpack(DLManagedTensorVersioned* managed, const Runtime& runtime) {
  return import(managed, find_device(tensor_of(managed), runtime));
}
Tensor from_dlpack(DLManagedTensor* managed, const Runtime& runtime) {
  return import(managed, find_device(tensor_of(managed), runtime));
}
Tensor from_dlpack(DLManagedTensorVersioned* managed, const Device& device) {
  return import(managed, device);
}
Tensor from_dlpack(DLManagedTensor* managed, const Device& device) {
  return import(managed, device);
}

}  // namespace patchbay
