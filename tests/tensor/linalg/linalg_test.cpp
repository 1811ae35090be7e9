// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Linear algebra on every device: factors give their matrix back, values are those of NumPy, and
// errors name the matrix.
#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include <patchbay/graph.h>

#include "support/cpu_runtime.h"
#include "tensor/linalg/matrices.h"

namespace patchbay::test {
namespace {

using C = std::complex<float>;

/// A few more than one block, so that recursion and several panels are seen.
constexpr std::int64_t kSizes[] = {1, 2, 3, 8, 33, 70};

class LinalgTest : public MatrixTest {
 protected:
  Tensor definite(std::int64_t n, DType dtype) const {
    const Tensor a = random({2, n, n}, dtype);
    return matmul(a, adjoint(a)) + eye(n, of(dtype));
  }
};
PATCHBAY_ON_EACH_DEVICE(LinalgTest);

TEST_P(LinalgTest, CholeskyGivesItsMatrixBack) {
  for (const DType dtype : dtypes()) {
    for (const std::int64_t n : kSizes) {
      const Tensor a = definite(n, dtype), b = random({2, n, 3}, dtype);
      const std::string what = name_of("cholesky", dtype, n, n);
      const Tensor l = linalg::cholesky(a), u = linalg::cholesky(a, true);
      expect_zero(matmul(l, adjoint(l)) - a, largest(a), what);
      expect_zero(matmul(adjoint(u), u) - a, largest(a), what + " upper");
      EXPECT_EQ(largest(triu(l, 1)), 0) << what;
      EXPECT_EQ(largest(tril(u, -1)), 0) << what;
      for (const bool upper : {false, true}) {
        const Tensor x = linalg::cholesky_solve(b, upper ? u : l, upper);
        expect_zero(matmul(a, x) - b, largest(a) * std::max(1.0, largest(x)), what + " solve");
      }
    }
  }
}

TEST_P(LinalgTest, CholeskyReadsOneTriangle) {
  const Tensor a = matrix({4, NAN, 2, 5}, {2, 2});
  EXPECT_EQ(linalg::cholesky(a).to_vector<float>(), (std::vector<float>{2, 0, 1, 2}));
  EXPECT_EQ(linalg::cholesky(a.t(), true).to_vector<float>(), (std::vector<float>{2, 1, 0, 2}));
}

TEST_P(LinalgTest, LuGivesItsMatrixBack) {
  for (const DType dtype : dtypes()) {
    for (const std::int64_t n : kSizes) {
      for (const std::int64_t m : {n, 2 * n + 1, n / 2 + 1}) {
        const Tensor a = random({2, m, n}, dtype);
        const LuMatrices made = linalg::lu(a);
        expect_zero(matmul(made.p, matmul(made.l, made.u)) - a, 2 * largest(a),
                    name_of("lu", dtype, m, n));
        EXPECT_LE(largest(made.l), 1.5) << name_of("lu", dtype, m, n);
      }
    }
  }
}

TEST_P(LinalgTest, SolutionsFit) {
  for (const DType dtype : dtypes()) {
    for (const std::int64_t n : kSizes) {
      const std::string what = name_of("solve", dtype, n, n);
      const Tensor a = random({2, n, n}, dtype), b = random({2, n, 5}, dtype);
      const auto expect_solution = [&](const Tensor& left, const Tensor& x,
                                       const std::string& how) {
        expect_zero(matmul(left, x) - b, largest(a) * std::max(1.0, largest(x)), what + how);
      };
      expect_solution(a, linalg::solve(a, b), "");
      expect_solution(a.transpose(-2, -1), linalg::solve(a.transpose(-2, -1), b), " transposed");
      const LuFactors factors = linalg::lu_factor(a);
      expect_solution(a, linalg::lu_solve(factors, b), " by factors");
      expect_solution(adjoint(a), linalg::lu_solve(factors, b, true), " adjoint");
      const Tensor strong = a + eye(n, of(dtype)) * static_cast<double>(2 * n);
      for (const bool upper : {false, true}) {
        for (const bool unit : {false, true}) {
          const Tensor used = unit ? a / static_cast<double>(2 * n) : strong;
          Tensor triangle = upper ? triu(used, unit ? 1 : 0) : tril(used, unit ? -1 : 0);
          if (unit) triangle = triangle + eye(n, of(dtype));
          expect_zero(matmul(triangle, linalg::solve_triangular(used, b, upper, unit)) - b,
                      4 * largest(triangle), what + " triangular");
        }
      }
      const Tensor inverse = linalg::inv(strong);
      expect_zero(matmul(strong, inverse) - eye(n, of(dtype)), 4, what + " inverse");
    }
  }
}

TEST_P(LinalgTest, BatchesBroadcastAndVectorsAreColumns) {
  const Tensor a = matrix({2, 0, 0, 4}, {2, 2});
  EXPECT_EQ(linalg::solve(a, matrix({2, 4}, {2})).to_vector<float>(), (std::vector<float>{1, 1}));
  const Tensor many = linalg::solve(a, matrix({2, 4, 4, 8, 6, 12}, {3, 2, 1}));
  EXPECT_EQ(many.shape(), (Shape{3, 2, 1}));
  EXPECT_EQ(many.to_vector<float>(), (std::vector<float>{1, 1, 2, 2, 3, 3}));
  const Tensor both = linalg::solve(a.expand({3, 1, 2, 2}), ones({4, 2, 1}, device_));
  EXPECT_EQ(both.shape(), (Shape{3, 4, 2, 1}));
  EXPECT_EQ(both.slice(0, 2).slice(1, 3).to_vector<float>(), (std::vector<float>{0.5, 0.25}));
}

TEST_P(LinalgTest, QrGivesItsMatrixBack) {
  for (const DType dtype : dtypes()) {
    for (const std::int64_t n : kSizes) {
      for (const std::int64_t m : {n, 2 * n + 1, n / 2 + 1}) {
        const std::string what = name_of("qr", dtype, m, n);
        const Tensor a = random({2, m, n}, dtype);
        for (const QrMode mode : {QrMode::kReduced, QrMode::kComplete}) {
          const Qr made = linalg::qr(a, mode);
          const std::int64_t k = mode == QrMode::kComplete ? m : std::min(m, n);
          EXPECT_EQ(made.q.shape(), (Shape{2, m, k})) << what;
          EXPECT_EQ(made.r.shape(), (Shape{2, k, n})) << what;
          expect_zero(matmul(made.q, made.r) - a, 2 * largest(a), what);
          expect_orthonormal(made.q, what);
          EXPECT_EQ(largest(tril(made.r, -1)), 0) << what;
        }
      }
    }
  }
}

TEST_P(LinalgTest, EigenvectorsFit) {
  for (const DType dtype : dtypes()) {
    for (const std::int64_t n : kSizes) {
      const std::string what = name_of("eigh", dtype, n, n);
      const Tensor source = random({2, n, n}, dtype), a = source + adjoint(source);
      expect_eigh_fits(a, what);
    }
  }
}

TEST_P(LinalgTest, SingularVectorsFit) {
  for (const DType dtype : dtypes()) {
    for (const std::int64_t n : {1, 2, 3, 8, 33}) {
      for (const std::int64_t m : {n, 2 * n + 1, n / 2 + 1}) {
        const std::string what = name_of("svd", dtype, m, n);
        const Tensor a = random({2, m, n}, dtype);
        const std::int64_t k = std::min(m, n);
        for (const bool full : {false, true}) {
          const Svd made = linalg::svd(a, full);
          EXPECT_EQ(made.u.shape(), (Shape{2, m, full ? m : k})) << what;
          EXPECT_EQ(made.vh.shape(), (Shape{2, full ? n : k, n})) << what;
          expect_svd_of(a, made, what);
          expect_zero((linalg::svdvals(a) - made.s).unsqueeze(-1), largest(made.s),
                      what + " values");
        }
      }
    }
  }
}

TEST_P(LinalgTest, RankDeficientMatrices) {
  const Tensor a = matrix({1, 2, 3, 2, 4, 6, 3, 6, 9}, {3, 3});
  const Svd made = linalg::svd(a);
  expect_orthonormal(made.u, "rank 1");
  expect_orthonormal(adjoint(made.vh), "rank 1");
  EXPECT_NEAR(made.s.to_vector<float>()[0], 14, 1e-5);
  EXPECT_EQ(linalg::matrix_rank(a).item<std::int64_t>(), 1);
  EXPECT_EQ(linalg::matrix_rank(eye(4, device_)).item<std::int64_t>(), 4);
  EXPECT_EQ(linalg::matrix_rank(matrix({1, 0, 0, 0.5}, {2, 2}), 0.6).item<std::int64_t>(), 1);
  EXPECT_EQ(linalg::matrix_rank(zeros({2, 3, 4}, device_)).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 0}));
  const Tensor inverse = linalg::pinv(a);
  expect_zero(inverse - a / 196, 1, "pinv");
  const Tensor all = ones({40, 40}, device_);  // what is left after the first column is subnormal
  const Eigh of_all = linalg::eigh(all);
  expect_orthonormal(of_all.eigenvectors, "eigh of ones");
  EXPECT_NEAR(of_all.eigenvalues.slice(0, 39).item<float>(), 40, 1e-3);
  expect_orthonormal(linalg::qr(all).q, "qr of ones");
  expect_orthonormal(linalg::svd(all).u, "svd of ones");
  const Svd none = linalg::svd(zeros({3, 2}, device_));
  EXPECT_EQ(none.s.to_vector<float>(), (std::vector<float>{0, 0}));
  expect_orthonormal(none.u, "zeros");
  expect_orthonormal(none.vh, "zeros");
}

TEST_P(LinalgTest, HugeAndTinyNumbers) {
  for (const double scale : {1e-30, 1e30}) {
    const Tensor a = random({9, 5}, DType::f32) * scale;
    const Svd made = linalg::svd(a, false);
    expect_zero(matmul(scaled_columns(made.u, made.s), made.vh) - a, 2 * largest(made.s), "svd");
    const Tensor square = a.slice(0, 0, 5), symmetric = square + square.t();
    const Eigh values = linalg::eigh(symmetric);
    expect_zero(matmul(symmetric, values.eigenvectors) -
                    scaled_columns(values.eigenvectors, values.eigenvalues),
                2 * largest(values.eigenvalues), "eigh");
    const Qr qr = linalg::qr(a);
    expect_zero(matmul(qr.q, qr.r) - a, 2 * largest(a), "qr");
  }
}

TEST_P(LinalgTest, Determinants) {
  // numpy.linalg.det and slogdet of the same matrices
  const Tensor a = matrix({0, 2, 3, 1, 1, 1, 2, 0, 5}, {3, 3});
  EXPECT_NEAR(linalg::det(a).item<float>(), -12, 1e-5);
  const Slogdet made = linalg::slogdet(a);
  EXPECT_EQ(made.sign.item<float>(), -1);
  EXPECT_NEAR(made.logabsdet.item<float>(), 2.4849066, 1e-6);
  const Slogdet none = linalg::slogdet(matrix({1, 2, 2, 4}, {2, 2}));
  EXPECT_EQ(none.sign.item<float>(), 0);
  EXPECT_EQ(none.logabsdet.item<float>(), -INFINITY);
  EXPECT_EQ(linalg::det(ones({2, 0, 0}, device_)).to_vector<float>(), (std::vector<float>{1, 1}));
  const Tensor z = from_host<C>({{0, 1}, {1, 0}, {1, 0}, {0, 1}}, {2, 2}, device_);
  EXPECT_NEAR(std::abs(linalg::det(z).item<C>() - C(-2, 0)), 0, 1e-6);
  EXPECT_NEAR(std::abs(linalg::slogdet(z).sign.item<C>() - C(-1, 0)), 0, 1e-6);
}

TEST_P(LinalgTest, Norms) {
  const Tensor a = matrix({1, -2, 3, 4}, {2, 2});
  const std::vector<std::pair<MatrixNorm, double>> expected = {{MatrixNorm::kFrobenius, 5.4772256},
                                                               {MatrixNorm::kNuclear, 7.0710678},
                                                               {MatrixNorm::kTwo, 5.1166727},
                                                               {MatrixNorm::kMinusTwo, 1.9543951},
                                                               {MatrixNorm::kOne, 6},
                                                               {MatrixNorm::kMinusOne, 4},
                                                               {MatrixNorm::kInfinity, 7},
                                                               {MatrixNorm::kMinusInfinity, 3}};
  for (const auto& [order, value] : expected) {
    EXPECT_NEAR(linalg::matrix_norm(a, order).item<float>(), value, 1e-5) << int(order);
    EXPECT_EQ(linalg::matrix_norm(a, order, true).shape(), (Shape{1, 1})) << int(order);
  }
  EXPECT_NEAR(linalg::cond(a).item<float>(), 2.6180340, 1e-5);
  const Tensor v = matrix({3, 0, -4}, {3});
  EXPECT_EQ(linalg::vector_norm(v).item<float>(), 5);
  EXPECT_EQ(linalg::vector_norm(v, 0).item<float>(), 2);
  EXPECT_EQ(linalg::vector_norm(v, 1).item<float>(), 7);
  EXPECT_NEAR(linalg::vector_norm(v, 3).item<float>(), 4.4979414, 1e-5);
  EXPECT_EQ(linalg::vector_norm(v, INFINITY).item<float>(), 4);
  EXPECT_EQ(linalg::vector_norm(v, -INFINITY).item<float>(), 0);
  EXPECT_EQ(linalg::vector_norm(a, 1, 0).to_vector<float>(), (std::vector<float>{4, 6}));
  const Tensor z = from_host<C>({{3, 4}, {0, 0}}, {2}, device_);
  EXPECT_EQ(linalg::vector_norm(z, 0).item<float>(), 1);
  EXPECT_NEAR(linalg::vector_norm(z, 3).item<float>(), 5, 1e-5);
}

TEST_P(LinalgTest, NumbersOfElementsHaveSlopesOf0) {
  const Tensor v = matrix({3, 0, INFINITY}, {3}).requires_grad_();
  const Tensor count = linalg::vector_norm(v, 0);
  EXPECT_EQ(count.item<float>(), 2);
  count.backward();
  EXPECT_EQ(v.grad().to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

TEST_P(LinalgTest, NormsOfNoElements) {
  const Tensor none = ones({2, 3, 0}, device_);
  for (const MatrixNorm order : {MatrixNorm::kFrobenius, MatrixNorm::kNuclear, MatrixNorm::kTwo,
                                 MatrixNorm::kOne, MatrixNorm::kInfinity}) {
    EXPECT_EQ(linalg::matrix_norm(none, order).to_vector<float>(), (std::vector<float>{0, 0}));
    EXPECT_EQ(linalg::matrix_norm(none, order, true).shape(), (Shape{2, 1, 1}));
    EXPECT_EQ(linalg::matrix_norm(ones({0, 2, 2}, device_), order).shape(), (Shape{0}));
  }
  for (const MatrixNorm order : {MatrixNorm::kMinusTwo, MatrixNorm::kMinusOne}) {
    EXPECT_ERROR(linalg::matrix_norm(none, order), kInvalidArgument,
                 "[matrix_norm] no smallest value of no elements", "x: f32 [2, 3, 0]" + on_);
  }
  for (const double order : {0.0, 0.5, 1.0, 2.0, 3.0, double(INFINITY)}) {
    EXPECT_EQ(linalg::vector_norm(none, order).item<float>(), 0) << order;
    EXPECT_EQ(linalg::vector_norm(none, order, 1).shape(), (Shape{2, 0})) << order;
    EXPECT_EQ(linalg::vector_norm(none, order, -1, true).shape(), (Shape{2, 3, 1})) << order;
  }
  EXPECT_EQ(linalg::vector_norm(none, -2.0).item<float>(), INFINITY);
  EXPECT_EQ(linalg::vector_norm(ones({0, 3}, device_), -INFINITY, 1).shape(), (Shape{0}));
  EXPECT_EQ(linalg::matrix_norm(ones({2, 0, 3}, device_), MatrixNorm::kMinusOne).to_vector<float>(),
            (std::vector<float>{0, 0}));
  EXPECT_ERROR(linalg::vector_norm(none, -INFINITY), kInvalidArgument,
               "[vector_norm] no smallest value of no elements");
  EXPECT_ERROR(linalg::vector_norm(none, 2, 5), kInvalidArgument, "[vector_norm]");
  EXPECT_EQ(linalg::cond(zeros({2, 2}, device_)).item<float>(), INFINITY);
}

TEST_P(LinalgTest, Products) {
  const Tensor a = matrix({1, 1, 0, 1}, {2, 2});
  EXPECT_EQ(linalg::matrix_power(a, 5).to_vector<float>(), (std::vector<float>{1, 5, 0, 1}));
  EXPECT_EQ(linalg::matrix_power(a, 0).to_vector<float>(), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(linalg::matrix_power(a, -2).to_vector<float>(), (std::vector<float>{1, -2, 0, 1}));
  EXPECT_FALSE(linalg::matrix_power(a, 1).is_same(a));
  const Tensor x = matrix({1, 0, 0}, {3}), y = matrix({0, 1, 0}, {3});
  EXPECT_EQ(linalg::cross(x, y).to_vector<float>(), (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(linalg::cross(x.unsqueeze(0), y.expand({2, 3})).shape(), (Shape{2, 3}));
  EXPECT_EQ(linalg::outer(matrix({1, 2}, {2}), matrix({3, 4, 5}, {3})).to_vector<float>(),
            (std::vector<float>{3, 4, 5, 6, 8, 10}));
  const Tensor z = from_host<C>({{1, 2}, {3, 4}}, {2}, device_);
  EXPECT_EQ(linalg::vecdot(z, z).item<C>(), C(30));
  const Tensor many = arange(0, 8, 1, of(DType::f32)).reshape({2, 2, 2});
  EXPECT_EQ(linalg::trace(many).to_vector<float>(), (std::vector<float>{3, 11}));
  EXPECT_EQ(linalg::trace(many, 1).to_vector<float>(), (std::vector<float>{1, 5}));
  EXPECT_EQ(linalg::diagonal(many, -1).to_vector<float>(), (std::vector<float>{2, 6}));
  EXPECT_EQ(linalg::matrix_transpose(many).to_vector<float>(),
            (std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7}));
  const Tensor row = ones({3}, device_), wide = ones({3, 4}, device_), tall = ones({4, 2}, device_);
  EXPECT_EQ(linalg::multi_dot({row, wide, tall}).to_vector<float>(), (std::vector<float>{12, 12}));
  EXPECT_EQ(linalg::multi_dot({row, wide, tall, ones({2}, device_)}).item<float>(), 24);
}

TEST_P(LinalgTest, LeastSquares) {
  const Tensor a = matrix({1, 0, 1, 1, 1, 2}, {3, 2}), b = matrix({6, 0, 0}, {3, 1});
  const std::vector<float> x = linalg::lstsq(a, b).to_vector<float>();
  EXPECT_NEAR(x[0], 5, 1e-4);
  EXPECT_NEAR(x[1], -3, 1e-4);
}

TEST_P(LinalgTest, MatricesWithoutElements) {
  const Tensor none = ones({2, 0, 0}, device_), tall = ones({2, 3, 0}, device_);
  EXPECT_EQ(linalg::cholesky(none).shape(), (Shape{2, 0, 0}));
  EXPECT_EQ(linalg::inv(none).shape(), (Shape{2, 0, 0}));
  EXPECT_EQ(linalg::solve(none, ones({2, 0, 4}, device_)).shape(), (Shape{2, 0, 4}));
  EXPECT_EQ(linalg::lu(tall).p.shape(), (Shape{2, 3, 3}));
  EXPECT_EQ(linalg::lu(tall).l.shape(), (Shape{2, 3, 0}));
  EXPECT_EQ(linalg::qr(tall).q.shape(), (Shape{2, 3, 0}));
  EXPECT_EQ(linalg::qr(tall, QrMode::kComplete).q.to_vector<float>(),
            (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(linalg::svd(tall).u.shape(), (Shape{2, 3, 3}));
  EXPECT_EQ(linalg::svd(tall, false).vh.shape(), (Shape{2, 0, 0}));
  EXPECT_EQ(linalg::pinv(tall).shape(), (Shape{2, 0, 3}));
  EXPECT_EQ(linalg::eigh(none).eigenvalues.shape(), (Shape{2, 0}));
  EXPECT_EQ(linalg::matrix_rank(tall).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(linalg::cholesky(ones({0, 3, 3}, device_)).shape(), (Shape{0, 3, 3}));
  EXPECT_EQ(linalg::svdvals(ones({0, 3, 2}, device_)).shape(), (Shape{0, 2}));
}

TEST_P(LinalgTest, WhatFailsIsNamed) {
  const Tensor good = eye(3, device_);
  const Tensor bad = matrix({1, 0, 0, 0, 1, 0, 0, 0, -1}, {3, 3});
  const Tensor batch = stack(std::vector<Tensor>{good, good, bad, good}).reshape({2, 2, 3, 3});
  EXPECT_ERROR(linalg::cholesky(batch), kInvalidArgument,
               "[cholesky] matrix [1, 0] of the batch is not positive definite: its "
               "leading minor of order 3 is not positive. Use cholesky_ex to go on without this "
               "check (x: f32 [2, 2, 3, 3]" +
                   on_ + ").");
  EXPECT_EQ(linalg::cholesky_ex(batch).info.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 0, 3, 0}));
  const Tensor singular = matrix({1, 2, 2, 4}, {2, 2});
  EXPECT_ERROR(linalg::inv(singular), kInvalidArgument,
               "[inv] the matrix is singular: expected a pivot in column 2, got 0. Use "
               "inv_ex to go on without this check (x: f32 [2, 2]" +
                   on_ + ").");
  EXPECT_ERROR(linalg::solve(singular, ones({2, 1}, device_)), kInvalidArgument,
               "[solve] the matrix is singular: expected a pivot in column 2, got 0. Use solve_ex",
               "(a: f32 [2, 2]" + on_ + ").");
  EXPECT_ERROR(linalg::lu_factor(singular), kInvalidArgument, "[lu_factor] the matrix is singular",
               "Use lu_factor_ex");
  EXPECT_ERROR(linalg::matrix_power(singular, -2), kInvalidArgument,
               "[matrix_power] the matrix is singular", "Use inv_ex");
  EXPECT_EQ(linalg::lu_factor_ex(singular).info.item<std::int64_t>(), 2);
  EXPECT_EQ(linalg::inv_ex(singular).info.item<std::int64_t>(), 2);
  EXPECT_EQ(linalg::solve_ex(singular, ones({2, 1}, device_)).info.item<std::int64_t>(), 2);
  const Tensor nans = full({2, 2}, NAN, device_);
  EXPECT_ERROR(linalg::eigh(nans), kInvalidArgument, "[eigh] the matrix has no result",
               "or use eigh_ex");
  EXPECT_ERROR(linalg::svd(nans), kInvalidArgument, "[svd] the matrix has no result",
               "or use svd_ex");
  const Tensor some = stack(std::vector<Tensor>{eye(2, device_), nans});
  const auto info_of = [](const Tensor& info) {
    return ne(info, 0).to_vector<bool>() == std::vector<bool>{false, true};
  };
  EXPECT_TRUE(info_of(linalg::eigh_ex(some).info));
  EXPECT_TRUE(info_of(linalg::eig_ex(some).info));
  EXPECT_TRUE(info_of(linalg::svd_ex(some).info));
  EXPECT_TRUE(info_of(linalg::svd_ex(some, false).info));
  EXPECT_EQ(linalg::eigh_ex(some).eigenvalues[0].to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(linalg::svd_ex(some).s[0].to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_ERROR(linalg::pinv(singular, NAN), kInvalidArgument,
               "[pinv] a bad rtol: expected 0 or more, got nan");
  EXPECT_ERROR(linalg::matrix_rank(singular, -1), kInvalidArgument,
               "[matrix_rank] a bad rtol: expected 0 or more, got -1");
  EXPECT_ERROR(linalg::lstsq(singular, singular, -1), kInvalidArgument, "a bad rtol");
}

TEST_P(LinalgTest, OneStatusIsFetched) {
  const Tensor a = eye(3, device_).expand({4, 3, 3}).contiguous();
  const auto copies = [&] { return test_runtime().ledger().total(device_.name(), "host").copies; };
  const std::uint64_t before = copies();
  (void)linalg::cholesky(a);
  EXPECT_EQ(copies(), before + 1);
  (void)linalg::cholesky_ex(a);
  (void)linalg::solve_ex(a, a);
  (void)linalg::det(a);
  (void)linalg::qr(a);
  EXPECT_EQ(copies(), before + 1);
  bool is_named = false;
  for (const LedgerEntry& entry : test_runtime().ledger().entries()) {
    is_named = is_named || (entry.tag == "cholesky" && entry.from == device_.name());
  }
  EXPECT_TRUE(is_named);
  const CopyGuard guard;
  EXPECT_ERROR(linalg::inv(a), kCopyForbidden, "inside a CopyGuard");
  EXPECT_EQ(linalg::inv_ex(a).result.shape(), a.shape());
  EXPECT_ERROR(linalg::eigh(a), kCopyForbidden, "inside a CopyGuard");
  EXPECT_EQ(linalg::eigh_ex(a).eigenvalues.shape(), (Shape{4, 3}));
  EXPECT_EQ(linalg::eig_ex(a).eigenvectors.shape(), a.shape());
  EXPECT_EQ(linalg::svd_ex(a).vh.shape(), a.shape());
}

TEST_P(LinalgTest, Refusals) {
  const Tensor a = ones({2, 3}, device_);
  EXPECT_ERROR(linalg::cholesky(a), kShapeMismatch,
               "[cholesky] the matrices are not square: expected 2 columns like rows, got 3 (x: "
               "f32 [2, 3]" +
                   on_ + "). Pass square matrices.");
  EXPECT_ERROR(linalg::svd(ones({2}, device_)), kShapeMismatch,
               "[svd] no matrix: expected rank 2 or more, got 1");
  EXPECT_ERROR(linalg::qr(ones({2, 2}, {DType::i32, device_})), kDtypeMismatch, "[qr]",
               "one of f32, f64, c64, c128, got i32");
  EXPECT_ERROR(linalg::solve(eye(2, device_), ones({3, 1}, device_)), kShapeMismatch,
               "[solve] the operands do not fit: expected 2 rows in b, got 3");
  EXPECT_ERROR(linalg::solve(eye(2, device_), ones({3}, device_)), kShapeMismatch,
               "[solve] the operands do not fit: expected 2 elements in b, got 3 (a: f32 [2, 2]" +
                   on_ + "; b: f32 [3]" + on_ + ").");
  EXPECT_ERROR(linalg::solve(eye(2, device_), ones({2}, {DType::i32, device_})), kDtypeMismatch,
               "[solve]", "b: i32 [2]");
  EXPECT_ERROR(linalg::matrix_power(ones({2, 2}, device_), -1), kInvalidArgument,
               "[matrix_power] the matrix is singular");
  EXPECT_ERROR(linalg::matrix_power(ones({2, 3}, device_), -1), kShapeMismatch, "[matrix_power]");
  EXPECT_ERROR(linalg::solve(eye(2, device_), ones({2, 1}, {DType::i32, device_})), kDtypeMismatch,
               "[solve]");
  EXPECT_ERROR(linalg::solve(eye(2, device_), ones({2, 1}, other_)), kDeviceMismatch, "[solve]");
  EXPECT_ERROR(linalg::solve(ones({3, 2, 2}, device_), ones({4, 2, 1}, device_)), kShapeMismatch,
               "[solve] the leading dimensions [3] and [4] do not broadcast: expected equal "
               "extents, or 1, got 3 and 4 (a: f32 [3, 2, 2]" +
                   on_ + "; b: f32 [4, 2, 1]" + on_ + "). Reshape one of them.");
  EXPECT_ERROR(linalg::cholesky_solve(ones({3, 2, 1}, device_), ones({4, 2, 2}, device_)),
               kShapeMismatch, "[cholesky_solve] the leading dimensions [4] and [3]");
  const Tensor order = arange(0, 3, 1, of(DType::i64));
  EXPECT_ERROR(linalg::lu_solve({eye(2, device_), order}, ones({2, 1}, device_)), kShapeMismatch,
               "[lu_solve] the factors do not belong together: expected a permutation of shape "
               "[2], got [3]");
  EXPECT_ERROR(linalg::inv(Tensor()), kInvalidArgument, "[inv]");
  EXPECT_ERROR(linalg::cond(ones({0, 2}, device_)), kInvalidArgument,
               "[cond] the matrices have no elements");
  EXPECT_ERROR(linalg::cross(a, a, 0), kShapeMismatch,
               "[cross] no vectors of 3 elements: expected extent 3 along dimension 0, got 2");
  EXPECT_ERROR(linalg::outer(a, a), kShapeMismatch,
               "[outer] a is no vector: expected rank 1, got 2");
  EXPECT_ERROR(linalg::vecdot(a, a.t()), kShapeMismatch, "[vecdot] vectors differ in length");
  EXPECT_ERROR(linalg::multi_dot({a}), kInvalidArgument, "[multi_dot] too few matrices");
  EXPECT_ERROR(linalg::multi_dot({a, a}), kShapeMismatch,
               "[multi_dot] matrices 0 and 1 do not fit: expected 3 rows, got 2 (matrices[1]: f32 "
               "[2, 3]" +
                   on_ + "). Transpose or reshape one.");
  EXPECT_ERROR(linalg::multi_dot({a, Tensor()}), kInvalidArgument, "[multi_dot] matrices[1]");
  EXPECT_ERROR(linalg::vector_norm(a, NAN), kInvalidArgument, "[vector_norm] a bad order");
  if (device_.properties().f16) {
    EXPECT_ERROR(linalg::inv(ones({2, 2}, {DType::f16, device_})), kDtypeMismatch, "[inv]",
                 "got f16");
  }
}

/// LAPACK computes these where OpenBLAS is installed: there are fewer matrices than threads. Rows
/// have a gap, and NaN is found.
TEST(LinalgOnCpu, LargeMatricesAgreeWithOwnLoops) {
  const Runtime by_library = cpu_runtime({{"cpu_products", "openblas"}, {"cpu_threads", "3"}});
  const Runtime by_own_loops = cpu_runtime({{"cpu_products", "own"}});
  const Device library = by_library.device("cpu:0"), own = by_own_loops.device("cpu:0");
  for (const DType dtype : {DType::f32, DType::f64, DType::c64, DType::c128}) {
    const TensorOptions options{dtype, own};
    const Tensor wide = randn({2, 200, 220}, options);
    const auto moved = [&](const Tensor& a) {
      std::vector<std::byte> bytes(a.size_bytes());
      copy_to_host(bytes.data(), {a.buffer(), a.offset_bytes(), bytes.size()});
      const Tensor there = empty(a.shape(), {dtype, library});
      copy_from_host({there.buffer(), there.offset_bytes(), bytes.size()}, bytes.data());
      return there;
    };
    const Tensor there = moved(wide), square = there.slice(-1, 0, 200);
    const std::string what = name_of("large", dtype, 200, 220);
    const Svd svd = linalg::svd(there, false);
    expect_svd_of(there, svd, what);
    const auto doubles = [](const Tensor& values) {
      return values.cast(DType::f64).to_vector<double>();
    };
    const std::vector<double> expected = doubles(linalg::svdvals(wide));
    const std::vector<double> got = doubles(linalg::svdvals(there));
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], expected[i], 1e3 * epsilon_of(dtype) * expected[0]) << what << ' ' << i;
    }
    const Tensor hermitian = square + adjoint(square);
    const Eigh eigh = linalg::eigh(hermitian);
    expect_eigen_of(hermitian, eigh, what);
    expect_zero((linalg::eigvalsh(hermitian) - eigh.eigenvalues).unsqueeze(-1),
                largest(eigh.eigenvalues), what);

    const Tensor broken = hermitian.clone();
    broken.select(0, 1).select(0, 199).select(0, 3).fill_(NAN);
    EXPECT_ERROR(linalg::eigh(broken), kInvalidArgument, "[eigh] matrix [1] of the batch has no");
    EXPECT_ERROR(linalg::svd(broken), kInvalidArgument, "[svd] matrix [1] of the batch has no");
    EXPECT_ERROR(linalg::eig(broken), kInvalidArgument, "[eig] matrix [1] of the batch has no");
  }
}

}  // namespace
}  // namespace patchbay::test
