// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/interop.h"

#include "core/runtime/memory/native_memory.h"
#include "core/tensor/base/layout.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay {

using base::raise;

NativeHandle native_handle(const Tensor& tensor) {
  const tensor::TensorImpl& impl = tensor::impl_of("native_handle", tensor, "tensor");
  impl.buffer().finish_inherited();  // the application can't know of that work
  return runtime::native_memory(impl.buffer(), impl.offset_bytes);
}

namespace {

Tensor make(const Buffer& buffer, DType dtype, const Shape& shape, const Shape* strides,
            std::size_t offset_bytes) {
  const runtime::BufferState& state = runtime::state_of("from_buffer", buffer);
  const std::size_t size = state.size_bytes;
  tensor::check_device_has("from_buffer", *state.device, dtype);
  if (state.kind == MemoryKind::kPinned) {
    raise(ErrorCode::kInvalidArgument,
          "[from_buffer] wrong kind of memory: expected device memory, got {} ({}). Copy it to a "
          "buffer of device memory.",
          to_string(state.kind), state.device->info.name_text);
  }
  const tensor::Layout layout = tensor::checked_layout("from_buffer", dtype, shape, strides);
  if (offset_bytes > size || layout.extent_bytes > size - offset_bytes) {
    raise(ErrorCode::kInvalidArgument,
          "[from_buffer] the elements lie outside the buffer: expected at most {} bytes, got {} "
          "from offset {} (shape {}, strides {}, {}; {}). Give a larger buffer.",
          size, layout.extent_bytes, offset_bytes, to_string(shape), to_string(layout.strides),
          to_string(dtype), state.device->info.name_text);
  }
  const std::uint64_t place = state.memory.offset_bytes + offset_bytes;
  const std::uint64_t base =
      state.has_address() ? reinterpret_cast<std::uintptr_t>(state.memory.base) : 0;
  tensor::check_aligned("from_buffer", dtype, base + place);
  return Tensor(new tensor::TensorImpl(buffer, offset_bytes, dtype, layout.shape, layout.strides));
}

}  // namespace

Tensor from_buffer(const Buffer& buffer, DType dtype, const Shape& shape,
                   std::size_t offset_bytes) {
  return make(buffer, dtype, shape, nullptr, offset_bytes);
}

Tensor from_buffer(const Buffer& buffer, DType dtype, const Shape& shape, const Shape& strides,
                   std::size_t offset_bytes) {
  return make(buffer, dtype, shape, &strides, offset_bytes);
}

}  // namespace patchbay
