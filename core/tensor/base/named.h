// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The tensor behind a handle, and how messages name it.
#ifndef PATCHBAY_CORE_TENSOR_BASE_NAMED_H_
#define PATCHBAY_CORE_TENSOR_BASE_NAMED_H_

#include <string>
#include <string_view>

#include "patchbay/tensor.h"

#include "core/base/error.h"
#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

using base::raise;

/// An operand with its name in the public header.
struct NamedOperand {
  std::string_view name;
  const TensorImpl& tensor;
};

/// "f32 [2, 3] on cpu:0"
std::string describe(const TensorImpl& tensor);
/// "a: f32 [2, 3] on cpu:0"
std::string describe(const NamedOperand& operand);

[[noreturn, gnu::cold]] void raise_undefined(const char* operation, std::string_view operand);

/// The tensor behind a handle. Errors: kInvalidArgument if it is undefined.
inline TensorImpl& impl_of(const char* operation, const Tensor& tensor,
                           std::string_view name = "a") {
  if (!tensor.defined()) [[unlikely]]
    raise_undefined(operation, name);
  return *tensor.impl();
}

/// The dimension as a number from 0; `dim` may count from the end. Errors: kInvalidArgument.
int resolve_dim(const char* operation, const NamedOperand& operand, int dim);
/// Counts a dimension from 0, where a tensor of rank 0 counts as one of rank 1 with one element.
int resolve_axis(const char* operation, const NamedOperand& operand, int dim);
/// The shape, or the strides, that such a tensor has then.
inline Shape with_axis(const Shape& shape) { return shape.rank() == 0 ? Shape{1} : shape; }

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_BASE_NAMED_H_
