// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/base/size.h"
#include "core/runtime/copy/copy.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay {

namespace tensor {

namespace {

Device device_of(const TensorOptions& options) {
  return options.device ? *options.device : default_device();
}

DType dtype_of(const TensorOptions& options) { return options.dtype.value_or(DType::f32); }

Tensor make_full(const char* operation, const Shape& shape, const Scalar& value, DType dtype,
                 const std::shared_ptr<runtime::DeviceState>& device) {
  check_device_has(operation, *device, dtype);
  const Operand number = literal(operation, dtype, value);
  Tensor result = make_empty(operation, shape, dtype, device);
  launch_fill(*result.impl(), number);
  return result;
}

Tensor make_full_like(const char* operation, const Tensor& like, const Scalar& value,
                      const Shape* shape = nullptr, std::optional<DType> dtype = {}) {
  const TensorImpl& source = impl_of(operation, like);
  return make_full(operation, shape != nullptr ? *shape : source.shape, value,
                   dtype.value_or(source.dtype), source.buffer().device);
}

}  // namespace

}  // namespace tensor

using tensor::impl_of;
using tensor::make_empty;
using tensor::make_full;
using tensor::make_full_like;

Tensor empty(const Shape& shape, const TensorOptions& options) {
  return make_empty("empty", shape, tensor::dtype_of(options),
                    tensor::device_of(options).shared_state());
}
Tensor zeros(const Shape& shape, const TensorOptions& options) {
  return make_full("zeros", shape, 0, tensor::dtype_of(options),
                   tensor::device_of(options).shared_state());
}
Tensor ones(const Shape& shape, const TensorOptions& options) {
  return make_full("ones", shape, 1, tensor::dtype_of(options),
                   tensor::device_of(options).shared_state());
}
Tensor full(const Shape& shape, const Scalar& value, const TensorOptions& options) {
  return make_full("full", shape, value, tensor::dtype_of(options),
                   tensor::device_of(options).shared_state());
}

Tensor eye(Index rows, Index columns, const TensorOptions& options) {
  const DType dtype = tensor::dtype_of(options);
  Tensor result = make_full("eye", Shape{static_cast<std::int64_t>(rows), columns}, 0, dtype,
                            tensor::device_of(options).shared_state());
  tensor::launch_fill(*result.diagonal().impl(), tensor::literal("eye", dtype, 1));
  return result;
}
Tensor eye(Index rows, const TensorOptions& options) { return eye(rows, rows, options); }

Tensor empty_like(const Tensor& like) {
  const tensor::TensorImpl& source = impl_of("empty_like", like);
  return make_empty("empty_like", source.shape, source.dtype, source);
}
Tensor zeros_like(const Tensor& like) { return make_full_like("zeros_like", like, 0); }
Tensor ones_like(const Tensor& like) { return make_full_like("ones_like", like, 1); }
Tensor full_like(const Tensor& like, const Scalar& value) {
  return make_full_like("full_like", like, value);
}

Tensor Tensor::new_empty(const Shape& shape, std::optional<DType> dtype) const {
  const tensor::TensorImpl& source = impl_of("new_empty", *this);
  return make_empty("new_empty", shape, dtype.value_or(source.dtype), source);
}
Tensor Tensor::new_zeros(const Shape& shape, std::optional<DType> dtype) const {
  return make_full_like("new_zeros", *this, 0, &shape, dtype);
}
Tensor Tensor::new_ones(const Shape& shape, std::optional<DType> dtype) const {
  return make_full_like("new_ones", *this, 1, &shape, dtype);
}
Tensor Tensor::new_full(const Shape& shape, const Scalar& value, std::optional<DType> dtype) const {
  return make_full_like("new_full", *this, value, &shape, dtype);
}

namespace tensor {

namespace {

Tensor copied_from_host(const char* operation, const void* data, DType dtype, const Shape& shape,
                        const Device& device) {
  const std::size_t bytes = base::checked_size_bytes(operation, shape, dtype);
  if (data == nullptr && bytes > 0) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the pointer is null: expected the address of {} bytes for shape {}. Pass the "
          "address of the values.",
          operation, bytes, to_string(shape));
  }
  runtime::check_copy_allowed(device.state(), nullptr, bytes, operation);
  Tensor result = make_empty(operation, shape, dtype, device.shared_state());
  const TensorImpl& impl = *result.impl();
  // A copy only reads its source.
  runtime::copy_bytes({&impl.buffer(), 0, nullptr}, {nullptr, 0, const_cast<void*>(data)}, bytes,
                      false, operation);
  return result;
}

}  // namespace

Tensor from_host_values(const void* values, std::size_t num_values, DType dtype, const Shape& shape,
                        const Device& device) {
  const std::int64_t count = base::checked_num_elements("from_host", shape);
  if (num_values != static_cast<std::size_t>(count)) {
    raise(ErrorCode::kShapeMismatch,
          "[from_host] wrong number of values: expected {} for shape {}, got {}. Give one value "
          "for each element.",
          count, to_string(shape), num_values);
  }
  return copied_from_host("from_host", values, dtype, shape, device);
}

}  // namespace tensor

Tensor from_host_bytes(const void* data, DType dtype, const Shape& shape, const Device& device) {
  return tensor::copied_from_host("from_host_bytes", data, dtype, shape, device);
}

namespace {

/// `Data` is void or const void.
template <class Data>
Tensor wrap(Data* data, DType dtype, const Shape& shape, const Device& device,
            std::function<void()> released) {
  tensor::check_device_has("wrap_host", device.state(), dtype);
  const std::size_t bytes = base::checked_size_bytes("wrap_host", shape, dtype);
  if (reinterpret_cast<std::uintptr_t>(data) % size_bytes(dtype) != 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[wrap_host] misaligned memory: expected a multiple of {} bytes for {}, got {}. "
                "Copy it with from_host_bytes instead.",
                size_bytes(dtype), to_string(dtype), data);
  }
  return tensor::adopt(Buffer::wrap_host(device, data, bytes, std::move(released)), 0, dtype, shape,
                       contiguous_strides(shape));
}

}  // namespace

Tensor wrap_host(void* data, DType dtype, const Shape& shape, const Device& device,
                 std::function<void()> released) {
  return wrap(data, dtype, shape, device, std::move(released));
}

Tensor tensor::wrap_read_only(const void* data, DType dtype, const Shape& shape,
                              const Device& device, std::function<void()> released) {
  return wrap(data, dtype, shape, device, std::move(released));
}

const Tensor& Tensor::fill_(const Scalar& value) const {
  const tensor::TensorImpl& impl = tensor::impl_of("fill_", *this, "tensor");
  tensor::check_destination("fill_", impl, "tensor");
  const tensor::Operand number = tensor::literal("fill_", impl.dtype, value);
  impl.buffer().count_version();
  tensor::launch_fill(impl, number);
  return *this;
}

}  // namespace patchbay
