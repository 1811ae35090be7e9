// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The derivatives of the elementwise table as expressions: the one place that expands its gradient
// columns. Backward steps, fused functions and the documentation take them from here.
#ifndef PATCHBAY_CORE_TENSOR_FUSE_DERIVATIVES_H_
#define PATCHBAY_CORE_TENSOR_FUSE_DERIVATIVES_H_

#include <array>
#include <cstddef>
#include <string>

#include "core/tensor/fuse/expression.h"

namespace patchbay::tensor {

/// What the formulas name. An operand that the operator lacks is null.
struct DerivativeTerms {
  std::array<Expression, 3> operands;
  Expression out, grad;
};

/// The gradient of operand i; null where none flows.
Expression derivative(const Operator& op, std::size_t i, const DerivativeTerms& terms);

/// As people write it: "grad * out", or "a: grad; b: -grad" where several operands have one. Empty
/// if the table has none.
std::string derivative_text(const Operator& op);

/// What the table, messages and the documentation call operand i.
const char* operand_name(const Operator& op, std::size_t i);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUSE_DERIVATIVES_H_
