// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Linear algebra: docs/linear-algebra.md. Names and arguments are those of the Python array API
// standard where it has the function, else those of PyTorch.
#ifndef PATCHBAY_LINALG_H_
#define PATCHBAY_LINALG_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/ops.h"
#include "patchbay/tensor.h"

namespace patchbay {

// In the structs below `info` is i64, one for each matrix of the batch: 0 for success, or the
// number of the step that failed, from 1.

/// A Cholesky factor. Where info is not 0, the matrix is not positive definite, and its factor has
/// no meaning.
struct CholeskyEx {
  Tensor factor, info;
};
/// x[permutation] = l u, with l (its diagonal of 1 left out) and u in one tensor; permutation is
/// i64, [..., m].
struct LuFactors {
  Tensor lu, permutation;
};
/// Where info is not 0, that diagonal element of u is 0: the matrix is singular.
struct LuFactorsEx {
  Tensor lu, permutation, info;
};
/// x = p l u.
struct LuMatrices {
  Tensor p, l, u;
};
/// A solution or an inverse. Where info is not 0, the matrix is singular, and the result has no
/// meaning.
struct SolveEx {
  Tensor result, info;
};
/// x = q r.
struct Qr {
  Tensor q, r;
};
/// Eigenvalues ascend; column k of eigenvectors belongs to eigenvalues[k].
struct Eigh {
  Tensor eigenvalues, eigenvectors;
};
/// Where info is not 0, the steps did not converge, and the result has no meaning.
struct EighEx {
  Tensor eigenvalues, eigenvectors, info;
};
/// x v = eigenvalues[k] v for column v = k of eigenvectors. Both are complex.
struct Eig {
  Tensor eigenvalues, eigenvectors;
};
/// Where info is not 0, the steps did not converge, and the result has no meaning.
struct EigEx {
  Tensor eigenvalues, eigenvectors, info;
};
/// x = u diag(s) vh; s descends.
struct Svd {
  Tensor u, s, vh;
};
/// Where info is not 0, the steps did not converge, and the result has no meaning.
struct SvdEx {
  Tensor u, s, vh, info;
};
/// det = sign exp(logabsdet).
struct Slogdet {
  Tensor sign, logabsdet;
};

/// The columns of q: as many as rows of r, min(m, n), or m.
enum class QrMode : std::uint8_t { kReduced, kComplete };
/// Norms of matrices: the root of the sum of squares, the sum of singular values, the largest one
/// (2) and the smallest (-2), the largest and smallest sum of |x| of a column (1, -1) and of a row
/// (infinity, -infinity).
enum class MatrixNorm : std::uint8_t {
  kFrobenius,
  kNuclear,
  kTwo,
  kMinusTwo,
  kOne,
  kMinusOne,
  kInfinity,
  kMinusInfinity
};

namespace linalg {

// Matrices are the last two dimensions; those before are a batch. Queued; new tensors. Dtypes: f32,
// f64, c64, c128, if nothing else is said. 16-bit floats are refused: cast them to f32. ^H is the
// conjugate transpose, for real matrices the transpose. Gradients flow, and can be differentiated
// again; docs/linear-algebra.md says where there are none. Errors: kDtypeMismatch, kShapeMismatch,
// kDeviceMismatch; kUnsupported if the device has no such kernel.
//
// Functions that can fail for the elements of a matrix (it is singular, say) fetch one status, a
// copy that waits and that guards and recordings refuse. The error (kInvalidArgument) names the
// matrix of the batch. Functions named _ex fetch nothing, and give `info` instead.

/// The lower triangular factor l of x = l l^H, or with `upper` the upper one of x = u^H u. Reads
/// only that triangle of x, which is Hermitian and positive definite. Fetches a status.
[[nodiscard]] PATCHBAY_API Tensor cholesky(const Tensor& x, bool upper = false);
/// The factor that cholesky gives, and the statuses, which it does not fetch.
[[nodiscard]] PATCHBAY_API CholeskyEx cholesky_ex(const Tensor& x, bool upper = false);
/// x with a x = b, where `factor` is what cholesky gives for a. b is [..., n, k].
[[nodiscard]] PATCHBAY_API Tensor cholesky_solve(const Tensor& b, const Tensor& factor,
                                                 bool upper = false);

/// The factors of x, [..., m, n], with the largest pivot of each column. Fetches a status.
[[nodiscard]] PATCHBAY_API LuFactors lu_factor(const Tensor& x);
/// The factors that lu_factor gives, and the statuses, which it does not fetch. The factors of a
/// singular matrix hold.
[[nodiscard]] PATCHBAY_API LuFactorsEx lu_factor_ex(const Tensor& x);
/// The factors of lu_factor_ex as matrices: p [m, m], l [m, k] and u [k, n], k = min(m, n).
[[nodiscard]] PATCHBAY_API LuMatrices lu(const Tensor& x);
/// x with a x = b, or with `adjoint` a^H x = b, where a has these factors. b is [..., n, k].
[[nodiscard]] PATCHBAY_API Tensor lu_solve(const LuFactors& factors, const Tensor& b,
                                           bool adjoint = false);

/// x with a x = b. a is [..., n, n]; b is [..., n, k] or, if its rank is 1, a vector [n]. Leading
/// dimensions broadcast. Fetches a status.
[[nodiscard]] PATCHBAY_API Tensor solve(const Tensor& a, const Tensor& b);
/// The solution that solve gives, and the statuses of a, which it does not fetch.
[[nodiscard]] PATCHBAY_API SolveEx solve_ex(const Tensor& a, const Tensor& b);
/// x with a x = b for a lower triangular a, or with `upper` an upper one; the other triangle is not
/// read. With `unit` the diagonal counts as 1. b is [..., n, k]. Quotients by 0 are infinite or
/// NaN.
[[nodiscard]] PATCHBAY_API Tensor solve_triangular(const Tensor& a, const Tensor& b,
                                                   bool upper = false, bool unit = false);
/// The inverse. Fetches a status.
[[nodiscard]] PATCHBAY_API Tensor inv(const Tensor& x);
/// The inverse that inv gives, and the statuses, which it does not fetch.
[[nodiscard]] PATCHBAY_API SolveEx inv_ex(const Tensor& x);
/// The determinants, [...]; 1 for a matrix without elements. A singular matrix has a gradient, and
/// no second one: that is NaN.
[[nodiscard]] PATCHBAY_API Tensor det(const Tensor& x);
/// Sign and logarithm of the determinants: for complex matrices the sign is det / |det|; logabsdet
/// is real. A singular matrix has sign 0 and -infinity. The sign of a real matrix has no gradient.
[[nodiscard]] PATCHBAY_API Slogdet slogdet(const Tensor& x);

/// The factors of x, [..., m, n]: q has orthonormal columns, r is upper triangular.
[[nodiscard]] PATCHBAY_API Qr qr(const Tensor& x, QrMode mode = QrMode::kReduced);
/// The x of least length with the least |a x - b|. a is [..., m, n], b [..., m, k].
[[nodiscard]] PATCHBAY_API Tensor lstsq(const Tensor& a, const Tensor& b,
                                        std::optional<double> rtol = {});

/// Eigenvalues and orthonormal eigenvectors of Hermitian matrices, of which only the lower triangle
/// is read. Fetches a status (not converged).
[[nodiscard]] PATCHBAY_API Eigh eigh(const Tensor& x);
/// What eigh gives, and the statuses, which it does not fetch.
[[nodiscard]] PATCHBAY_API EighEx eigh_ex(const Tensor& x);
/// The eigenvalues of eigh.
[[nodiscard]] PATCHBAY_API Tensor eigvalsh(const Tensor& x);

/// Eigenvalues and eigenvectors of length 1, whose largest element is real. Those of real matrices
/// that are not real come in pairs of conjugates, first that with the positive imaginary part;
/// there is no other order. The results are complex. Gradients need different eigenvalues, and a
/// loss that does not depend on the phases of the vectors. Fetches a status (not converged).
[[nodiscard]] PATCHBAY_API Eig eig(const Tensor& x);
/// What eig gives, and the statuses, which it does not fetch.
[[nodiscard]] PATCHBAY_API EigEx eig_ex(const Tensor& x);
/// The eigenvalues of eig.
[[nodiscard]] PATCHBAY_API Tensor eigvals(const Tensor& x);

/// The singular value decomposition of x, [..., m, n]. u is [..., m, m] and vh [..., n, n], or
/// without `full_matrices` [..., m, k] and [..., k, n], k = min(m, n). Fetches a status (not
/// converged).
[[nodiscard]] PATCHBAY_API Svd svd(const Tensor& x, bool full_matrices = true);
/// What svd gives, and the statuses, which it does not fetch.
[[nodiscard]] PATCHBAY_API SvdEx svd_ex(const Tensor& x, bool full_matrices = true);
/// The s of svd.
[[nodiscard]] PATCHBAY_API Tensor svdvals(const Tensor& x);
/// The Moore-Penrose inverse. Singular values up to rtol times the largest count as 0; rtol is
/// max(m, n) epsilon if it is left out, and not below 0.
[[nodiscard]] PATCHBAY_API Tensor pinv(const Tensor& x, std::optional<double> rtol = {});
/// The number (i64) of singular values above rtol times the largest; rtol as for pinv.
[[nodiscard]] PATCHBAY_API Tensor matrix_rank(const Tensor& x, std::optional<double> rtol = {});
/// The quotient of the largest and the smallest singular value; infinity if that is 0.
[[nodiscard]] PATCHBAY_API Tensor cond(const Tensor& x);

/// The norms of matrices. The result has their batch. Sums and largest values of no elements are 0.
[[nodiscard]] PATCHBAY_API Tensor matrix_norm(const Tensor& x,
                                              MatrixNorm order = MatrixNorm::kFrobenius,
                                              bool keepdim = false);
/// (sum |x|^order)^(1 / order) over the axes, or all of them. Infinity and -infinity: the largest
/// and the smallest |x|; 0: how many are not 0. Sums and the largest of no elements are 0.
[[nodiscard]] PATCHBAY_API Tensor vector_norm(const Tensor& x, double order = 2,
                                              const Axes& axes = {}, bool keepdim = false);

/// x multiplied n times; for n < 0 the inverse. n = 0: the identity.
[[nodiscard]] PATCHBAY_API Tensor matrix_power(const Tensor& x, Index n);
/// 1 + x + x^2 / 2! + x^3 / 3! + ... Fetches how often the matrix has to be squared.
[[nodiscard]] PATCHBAY_API Tensor matrix_exp(const Tensor& x);
/// The product of matrices in the cheapest order. The first and the last may be vectors. Errors:
/// also kInvalidArgument for fewer than two.
[[nodiscard]] PATCHBAY_API Tensor multi_dot(const std::vector<Tensor>& matrices);
/// The vector product along a dimension of 3.
[[nodiscard]] PATCHBAY_API Tensor cross(const Tensor& a, const Tensor& b, Dim dim = -1);
/// [m, n] of two vectors: a[i] b[j].
[[nodiscard]] PATCHBAY_API Tensor outer(const Tensor& a, const Tensor& b);
/// The sum of conj(a) b along a dimension.
[[nodiscard]] PATCHBAY_API Tensor vecdot(const Tensor& a, const Tensor& b, Dim dim = -1);
/// The sum of products over the last `num_axes` dimensions of a and as many first ones of b; with 0
/// all products. Dtypes: those of matmul.
[[nodiscard]] PATCHBAY_API Tensor tensordot(const Tensor& a, const Tensor& b, Index num_axes = 2);
/// The sum of products over pairs of dimensions: a_axes[i] of a and b_axes[i] of b. The result has
/// the other dimensions of a, and then those of b.
[[nodiscard]] PATCHBAY_API Tensor tensordot(const Tensor& a, const Tensor& b, const Axes& a_axes,
                                            const Axes& b_axes);
/// The sum of a diagonal of each matrix. All dtypes that sum takes.
[[nodiscard]] PATCHBAY_API Tensor trace(const Tensor& x, Index offset = 0);
/// A view of a diagonal of each matrix, [..., k]. All dtypes.
[[nodiscard]] PATCHBAY_API Tensor diagonal(const Tensor& x, Index offset = 0);
/// A view with the last two dimensions exchanged. All dtypes.
[[nodiscard]] PATCHBAY_API Tensor matrix_transpose(const Tensor& x);

}  // namespace linalg

}  // namespace patchbay

#endif  // PATCHBAY_LINALG_H_
