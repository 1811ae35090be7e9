// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fourier transforms along one dimension, and the checks of their functions.
#ifndef PATCHBAY_CORE_TENSOR_TRANSFORMS_TRANSFORM_H_
#define PATCHBAY_CORE_TENSOR_TRANSFORMS_TRANSFORM_H_

#include <cstdint>

#include "patchbay/tensor.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

enum class Sign { kForward = -1, kBack = 1 };

/// Of complex x along any dimension, of any length, multiplied with scale. Contiguous; recorded.
Tensor transform(const char* operation, const Tensor& x, int dim, Sign sign, double scale);

/// The dtypes of parts.
inline constexpr DTypes kParts = dtypes_of(DType::f32, DType::f64);

/// The dimension. Errors: kDtypeMismatch; kInvalidArgument for rank 0, or if there is no such
/// dimension.
int check_transformed(const char* operation, const Tensor& x, int dim, bool is_real = false);
/// Errors: kInvalidArgument if n < 1.
std::int64_t check_length(const char* operation, const Tensor& x, std::int64_t n);

/// A length from n on whose transforms are fast.
std::int64_t next_length(std::int64_t n);
/// Cut, or with zeros at the end. Recorded.
Tensor with_length(const Tensor& x, int dim, std::int64_t n);
/// The integers from 0 on.
Tensor counted(std::int64_t n, const Tensor& like);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_TRANSFORMS_TRANSFORM_H_
