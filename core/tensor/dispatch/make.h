// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Makes results: storage and TensorImpl in one step, after all checks.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_MAKE_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_MAKE_H_

#include <cstddef>
#include <memory>

#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/shape.h"
#include "patchbay/tensor.h"

#include "core/base/element_bits.h"
#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

/// Makes a tensor in existing storage.
Tensor adopt(Buffer&& storage, std::size_t offset_bytes, DType dtype, const Shape& shape,
             const Shape& strides);
/// Makes a contiguous tensor with uninitialised elements. Errors: kUnsupported, kInvalidArgument
/// and kOverflow, all before anything is allocated; kOutOfMemory.
Tensor make_empty(const char* operation, const Shape& shape, DType dtype,
                  const std::shared_ptr<runtime::DeviceState>& device);
/// Makes a contiguous tensor with uninitialised elements on the device of `like`.
inline Tensor make_empty(const char* operation, const Shape& shape, DType dtype,
                         const TensorImpl& like) {
  return make_empty(operation, shape, dtype, like.buffer().device);
}
/// Makes another tensor in the storage of `base`.
Tensor make_view(const TensorImpl& base, std::size_t offset_bytes, const Shape& shape,
                 const Shape& strides);
/// A view of complex numbers as pairs of their parts, with a last dimension of 2 that is new. The
/// rank must be below kMaxRank.
Tensor make_pairs(const TensorImpl& complex);
/// A view of the real (0) or imaginary (1) parts.
Tensor make_part(const TensorImpl& complex, int part);
/// Makes a 0-d tensor on the device of `like`.
Tensor make_scalar(const char* operation, const base::ElementBits& bits, DType dtype,
                   const TensorImpl& like);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_MAKE_H_
