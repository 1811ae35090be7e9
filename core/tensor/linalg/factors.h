// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Factorizations in place of batches of matrices, [count, m, n]. What is larger than a block is
// divided in halves (Gustavson, Recursion leads to automatic variable blocking for dense
// linear-algebra algorithms, 1997), so that most of the work is products. Nothing is checked or
// recorded. Operands have elements, and rows with a unit stride.
#ifndef PATCHBAY_CORE_TENSOR_LINALG_FACTORS_H_
#define PATCHBAY_CORE_TENSOR_LINALG_FACTORS_H_

#include "patchbay/tensor.h"

namespace patchbay::tensor {

/// What lu_in_place gives besides the factors: i64, [count, m], [count] and [count].
struct Pivots {
  Tensor permutation, swaps, info;
};
Pivots lu_in_place(const char* operation, const Tensor& a);

/// The upper triangle becomes u with u^H u = a. The info is i64, [count].
Tensor cholesky_in_place(const char* operation, const Tensor& a);

struct TriangularOptions {
  bool upper = false, adjoint = false, unit = false;
};
/// x becomes the solution of a x' = x, with `adjoint` of a^H x' = x.
void solve_in_place(const char* operation, const Tensor& x, const Tensor& a,
                    TriangularOptions options);

/// r, [count, k, n], and the first `columns` columns of q, which may be none.
struct Orthogonal {
  Tensor q, r;
};
Orthogonal qr_in_place(const char* operation, const Tensor& a, std::int64_t columns);

/// Of Hermitian matrices, which are overwritten. The rows of `vectors` are the eigenvectors; they
/// are not specified without `has_vectors`.
struct Eigen {
  Tensor values, vectors, info;
};
Eigen eigh_in_place(const char* operation, const Tensor& a, bool has_vectors);

/// Of any matrices, which are overwritten. Values and vectors are complex, the vectors are rows;
/// those are not specified without `has_vectors`.
Eigen eig_in_place(const char* operation, const Tensor& a, bool has_vectors);

/// The rows of a become left singular vectors of its transpose, those of `vectors` are the right
/// ones. a has at most as many rows as columns.
struct Singular {
  Tensor values, vectors, info;
};
Singular svd_in_place(const char* operation, const Tensor& a, bool has_vectors);

/// The nearest matrices with orthonormal columns, if theirs nearly are: x (3 - x^H x) / 2 (Bjorck
/// and Bowie, An iterative algorithm for computing the best estimate of an orthogonal matrix,
/// 1971). Removes what the roundings of many rotations add up to.
Tensor with_orthonormal_columns(const Tensor& x);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_LINALG_FACTORS_H_
