// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What functions of neural networks check and convert.
#ifndef PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_
#define PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_

#include <string_view>

#include "patchbay/functional.h"

#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

/// The elements in the dtype in which losses are computed: f32 for 16-bit floats.
inline Tensor computed(const Tensor& a) { return is_small(a.dtype()) ? a.cast(DType::f32) : a; }

/// Checks an operand that goes with `input`: its device, its dtype, and its shape.
void check_operand(const char* operation, const NamedOperand& input, const char* name,
                   const Tensor& operand, const Shape& expected);
/// Checks device and shape of an operand that goes with `input`, and not its dtype.
void check_operand_shape(const char* operation, const NamedOperand& input,
                         const NamedOperand& operand, const Shape& expected);

/// What helps an operand of a wrong shape: "Reshape it." if it has as many elements as `expected`.
std::string_view help_for(const Shape& got, const Shape& expected);

/// Errors: kInvalidArgument unless the number is finite and not negative.
void check_not_negative(const char* operation, const char* name, double value);

/// Errors unless both are on one device, of one shape and of one dtype, a float.
void check_pair(const char* operation, const Tensor& input, const Tensor& target);

/// The losses, their mean or their sum, in the given dtype.
Tensor reduced(const char* operation, const Tensor& losses, LossReduction reduction, DType dtype);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_
