// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The bounds of clamp.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_CLAMP_BOUNDS_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_CLAMP_BOUNDS_H_

#include <optional>

#include "patchbay/scalar.h"

#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

/// The bounds that limit nothing.
Scalar lowest_of(DType dtype);
Scalar highest_of(DType dtype);

/// Throws kInvalidArgument if there is no bound, one is NaN, or low > high. Messages describe `a`
/// if it is given.
void check_bounds(const NamedOperand* a, const std::optional<Scalar>& low,
                  const std::optional<Scalar>& high);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_CLAMP_BOUNDS_H_
