// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What factorizations in place are made of: parts of matrices, launches of blocks, and products.
#ifndef PATCHBAY_CORE_TENSOR_LINALG_PIECES_H_
#define PATCHBAY_CORE_TENSOR_LINALG_PIECES_H_

#include <cstdint>
#include <initializer_list>

#include "patchbay/tensor.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

/// Matrices of so many columns are one launch.
inline constexpr std::int64_t kBlock = 32;

inline Tensor rows_of(const Tensor& a, std::int64_t begin, std::int64_t end = INT64_MAX) {
  return a.slice(-2, begin, end);
}
inline Tensor columns_of(const Tensor& a, std::int64_t begin, std::int64_t end = INT64_MAX) {
  return a.slice(-1, begin, end);
}

/// Launches a factorization of a batch of blocks. `attributes`: those that follow `pairs`.
void launch_factor(const char* operation, const Operator& op,
                   std::initializer_list<bool> attributes,
                   std::initializer_list<const Tensor*> operands);

/// out -= a b
void subtract_product(const Tensor& out, const Tensor& a, const Tensor& b);

/// h_0 h_1 ... = 1 - v t v^H, reflections that change rows from `begin` on (Puglisi, Modification
/// of the Householder method based on the compact WY representation, 1992).
struct Reflections {
  std::int64_t begin;
  Tensor v, t;

  /// Multiplies rows from `begin` on from the left, with `is_adjoint` by the conjugate transpose.
  void apply(const Tensor& x, bool is_adjoint) const;
};
/// `vectors`: their parts below the diagonal, whose elements are 1.
Reflections reflections_of(const char* operation, std::int64_t begin, const Tensor& vectors,
                           const Tensor& tau);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_LINALG_PIECES_H_
