// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What functions of neural networks check and convert.
#ifndef PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_
#define PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_

#include "patchbay/functional.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// The elements in the dtype in which losses are computed: f32 for 16-bit floats.
inline Tensor computed(const Tensor& a) { return is_small(a.dtype()) ? a.cast(DType::f32) : a; }

/// Errors unless both are on one device, of one shape and of one dtype, a float.
void check_pair(const char* operation, const Tensor& input, const Tensor& target);

/// The losses, their mean or their sum, in the given dtype.
Tensor reduced(const Tensor& losses, LossReduction reduction, DType dtype);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_
