// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The derivatives of the elementwise table as expressions, for backward steps, fused functions and
// the documentation. No other file expands the table's gradient columns.
#ifndef PATCHBAY_CORE_TENSOR_FUSE_DERIVATIVES_H_
#define PATCHBAY_CORE_TENSOR_FUSE_DERIVATIVES_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/tensor/fuse/expression.h"

namespace patchbay::tensor {

/// The names in the formulas. Operands that the operator lacks are null.
struct DerivativeTerms {
  std::array<Expression, 3> operands;
  Expression out, grad;
};

/// The gradient of operand i; null if none flows.
Expression derivative(const Operator& op, std::size_t i, const DerivativeTerms& terms);

/// Whether a gradient is rounded more than once, or has so many operations that f32 is faster. Of
/// 16-bit floats it is computed in f32 and rounded once, so that what jumps is decided in f32.
bool is_better_in_f32(const Operator& op);

/// The formulas as text: "grad * out", or "a: grad; b: -grad" for several operands. Empty if the
/// table has none.
std::string derivative_text(const Operator& op);

/// The name of operand i in the table, messages and documentation.
std::string_view operand_name(const Operator& op, std::size_t i);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUSE_DERIVATIVES_H_
