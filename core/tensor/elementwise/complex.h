// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise operators of complex numbers: fused functions of the parts, so that every plugin
// computes them.
#ifndef PATCHBAY_CORE_TENSOR_ELEMENTWISE_COMPLEX_H_
#define PATCHBAY_CORE_TENSOR_ELEMENTWISE_COMPLEX_H_

#include <span>

#include "patchbay/tensor.h"
#include "patchbay/tensor_or_scalar.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// Whether the operator has a meaning for complex numbers.
bool has_complex_form(const Operator& op);

/// op(operands), in the table's order, and its record. The operands have been matched; those of a
/// tensor's kind are complex, but for the condition of where. Errors: kShapeMismatch,
/// kDeviceMismatch; those of a literal.
Tensor complex_result(const Operator& op, std::span<const TensorOrScalar> operands);
/// The same into `out`, without a record.
const Tensor& complex_out(const Operator& op, const Tensor& out,
                          std::span<const TensorOrScalar> operands);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_ELEMENTWISE_COMPLEX_H_
