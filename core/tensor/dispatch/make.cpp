// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/make.h"

#include <utility>

#include "core/base/size.h"
#include "core/tensor/base/layout.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {
namespace {

Shape row_major(const Shape& shape) {
  if (shape.rank() == 1) [[likely]]
    return Shape{1};
  return contiguous_strides(shape);
}

Shape doubled(Shape strides) {
  for (int i = 0; i < strides.rank(); ++i) strides[i] *= 2;
  return strides;
}

}  // namespace

Tensor adopt(Buffer&& storage, std::size_t offset_bytes, DType dtype, const Shape& shape,
             const Shape& strides) {
  return Tensor(new TensorImpl(std::move(storage), offset_bytes, dtype, shape, strides));
}

Tensor make_empty(const char* operation, const Shape& shape, DType dtype,
                  const std::shared_ptr<runtime::DeviceState>& device) {
  check_device_has(operation, *device, dtype);
  const std::size_t bytes = base::checked_size_bytes(operation, shape, dtype);
  return adopt(Buffer::allocate(Device(device), bytes), 0, dtype, shape, row_major(shape));
}

Tensor make_view(const TensorImpl& base, std::size_t offset_bytes, const Shape& shape,
                 const Shape& strides) {
  return adopt(Buffer(base.storage), offset_bytes, base.dtype, shape, strides);
}

Tensor make_pairs(const TensorImpl& complex) {
  Shape shape = complex.shape, strides = doubled(complex.strides);
  shape.push_back(2);
  strides.push_back(1);
  return adopt(Buffer(complex.storage), complex.offset_bytes, real_dtype(complex.dtype), shape,
               strides);
}

Tensor make_part(const TensorImpl& complex, int part) {
  const DType dtype = real_dtype(complex.dtype);
  const std::size_t offset = static_cast<std::size_t>(part) * size_bytes(dtype);
  return adopt(Buffer(complex.storage), complex.offset_bytes + offset, dtype, complex.shape,
               doubled(complex.strides));
}

Tensor make_scalar(const char* operation, const base::ElementBits& bits, DType dtype,
                   const TensorImpl& like) {
  Tensor scalar = make_empty(operation, Shape(), dtype, like);
  launch_fill(*scalar.impl(), bits);
  return scalar;
}

}  // namespace patchbay::tensor
