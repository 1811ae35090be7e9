// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Gradients of linear algebra against differences, for real and complex matrices.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <patchbay/complex.h>
#include <patchbay/gradcheck.h>
#include <patchbay/linalg.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

Tensor adjoint(const Tensor& a) { return conj(a).transpose(-2, -1); }
/// Hermitian and positive definite.
Tensor definite(const Tensor& a) {
  return matmul(a, adjoint(a)) + eye(a.size(-2), {a.dtype(), a.device()});
}
/// Of columns, what does not depend on the factor of length 1 that each may have.
Tensor without_phases(const Tensor& columns) {
  return matmul(columns.slice(-1, 0, 2), adjoint(columns.slice(-1, 0, 2)));
}

using Function = std::function<std::vector<Tensor>(const Tensor&)>;

const std::map<std::string, Function>& functions_of_squares() {
  static const std::map<std::string, Function> functions = {
      {"cholesky", [](const Tensor& a) { return std::vector{linalg::cholesky(definite(a))}; }},
      {"cholesky upper",
       [](const Tensor& a) { return std::vector{linalg::cholesky(definite(a), true)}; }},
      {"cholesky_solve",
       [](const Tensor& a) {
         return std::vector{linalg::cholesky_solve(a, linalg::cholesky(definite(a)))};
       }},
      {"solve", [](const Tensor& a) { return std::vector{linalg::solve(a, matmul(a, a))}; }},
      {"solve of several",
       [](const Tensor& a) {
         return std::vector{linalg::solve(a, a.slice(-1, 0, 1).expand({2, 3, 1}))};
       }},
      {"solve_triangular",
       [](const Tensor& a) { return std::vector{linalg::solve_triangular(a, a, true)}; }},
      {"solve_triangular unit",
       [](const Tensor& a) { return std::vector{linalg::solve_triangular(a, a, false, true)}; }},
      {"lu",
       [](const Tensor& a) {
         const LuMatrices made = linalg::lu(a);
         return std::vector{made.l, made.u};
       }},
      {"lu of tall matrices",
       [](const Tensor& a) {
         const LuMatrices made = linalg::lu(a.slice(1, 0, 2));
         return std::vector{made.l, made.u};
       }},
      {"lu of one column",
       [](const Tensor& a) {
         const LuMatrices made = linalg::lu(a.slice(1, 0, 1));
         return std::vector{made.l, made.u};
       }},
      {"lu of wide matrices",
       [](const Tensor& a) {
         const LuMatrices made = linalg::lu(a.slice(0, 0, 2));
         return std::vector{made.l, made.u};
       }},
      {"lu of a batch of wide matrices",
       [](const Tensor& a) {
         const LuMatrices made = linalg::lu(stack({a.slice(0, 0, 2), a.slice(0, 1, 3)}));
         return std::vector{made.l, made.u};
       }},
      {"lu_solve",
       [](const Tensor& a) { return std::vector{linalg::lu_solve(linalg::lu_factor(a), a * a)}; }},
      {"lu_solve adjoint",
       [](const Tensor& a) {
         return std::vector{linalg::lu_solve(linalg::lu_factor(a), a * a, true)};
       }},
      {"inv", [](const Tensor& a) { return std::vector{linalg::inv(a)}; }},
      {"det", [](const Tensor& a) { return std::vector{linalg::det(a)}; }},
      {"slogdet", [](const Tensor& a) { return std::vector{linalg::slogdet(a).logabsdet}; }},
      {"sign of slogdet",
       [](const Tensor& a) {
         const Slogdet made = linalg::slogdet(a);
         return std::vector{made.sign * made.logabsdet.cast(made.sign.dtype()), made.sign};
       }},
      {"qr",
       [](const Tensor& a) {
         const Qr made = linalg::qr(a);
         return std::vector{made.q, made.r};
       }},
      {"qr of wide matrices",
       [](const Tensor& a) {
         const Qr made = linalg::qr(a.slice(0, 0, 2));
         return std::vector{made.q, made.r};
       }},
      {"qr of tall matrices",
       [](const Tensor& a) {
         const Qr made = linalg::qr(a.slice(1, 0, 2));
         return std::vector{made.q, made.r};
       }},
      {"eigh",
       [](const Tensor& a) {
         const Eigh made = linalg::eigh(a + adjoint(a));
         return std::vector{made.eigenvalues, without_phases(made.eigenvectors)};
       }},
      {"eigvalsh", [](const Tensor& a) { return std::vector{linalg::eigvalsh(a + adjoint(a))}; }},
      {"svd",
       [](const Tensor& a) {
         const Svd made = linalg::svd(a);
         return std::vector{made.s, without_phases(made.u),
                            matmul(made.u.slice(-1, 0, 2), made.vh.slice(-2, 0, 2))};
       }},
      {"svd of tall matrices",
       [](const Tensor& a) {
         const Svd made = linalg::svd(a.slice(1, 0, 2), false);
         return std::vector{made.s, without_phases(made.u), matmul(made.u, made.vh)};
       }},
      {"svd of wide matrices",
       [](const Tensor& a) {
         const Svd made = linalg::svd(a.slice(0, 0, 2), false);
         return std::vector{made.s, matmul(made.u, made.vh), without_phases(adjoint(made.vh))};
       }},
      {"eig",
       [](const Tensor& a) {
         const Eig made = linalg::eig(a);
         return std::vector{made.eigenvalues, abs(made.eigenvectors),
                            without_phases(made.eigenvectors)};
       }},
      {"eigvals", [](const Tensor& a) { return std::vector{linalg::eigvals(a)}; }},
      {"matrix_exp", [](const Tensor& a) { return std::vector{linalg::matrix_exp(a * 3)}; }},
      {"tensordot",
       [](const Tensor& a) {
         return std::vector{linalg::tensordot(a, a * a), linalg::tensordot(a, a, {0}, {1})};
       }},
      {"svdvals", [](const Tensor& a) { return std::vector{linalg::svdvals(a)}; }},
      {"pinv", [](const Tensor& a) { return std::vector{linalg::pinv(a.slice(1, 0, 2))}; }},
      {"lstsq", [](const Tensor& a) { return std::vector{linalg::lstsq(a.slice(1, 0, 2), a)}; }},
      {"cond", [](const Tensor& a) { return std::vector{linalg::cond(a)}; }},
      {"norms",
       [](const Tensor& a) {
         return std::vector{linalg::matrix_norm(a), linalg::matrix_norm(a, MatrixNorm::kNuclear),
                            linalg::matrix_norm(a, MatrixNorm::kOne), linalg::vector_norm(a, 3)};
       }},
      {"products",
       [](const Tensor& a) {
         return std::vector{linalg::matrix_power(a, -3), linalg::multi_dot({a, a, a}),
                            linalg::cross(a, a * a),     linalg::vecdot(a, a * a),
                            linalg::outer(a[0], a[1]),   linalg::trace(a, 1)};
       }},
  };
  return functions;
}

/// Real results, as gradcheck takes them.
std::vector<Tensor> parts_of(const std::vector<Tensor>& results) {
  std::vector<Tensor> parts;
  for (const Tensor& each : results) {
    if (is_complex(each.dtype())) {
      parts.push_back(real(each));
      parts.push_back(imag(each));
    } else {
      parts.push_back(each);
    }
  }
  return parts;
}

Tensor leaf(const std::vector<double>& values) {
  return from_host(values, {3, 3}, test_device("cpu:0")).requires_grad_();
}
Tensor first_leaf() { return leaf({2, -0.3, 0.7, 0.4, 1.5, -0.6, -0.9, 0.2, 1.1}); }
Tensor second_leaf() { return leaf({0.3, 0.8, -0.4, 0.1, -0.7, 0.6, 0.5, -0.2, 0.9}); }

TEST(LinalgGradients, AgreeWithDifferences) {
  for (const auto& [name, function] : functions_of_squares()) {
    const GradcheckResult of_reals = gradcheck(
        [&function = function](const std::vector<Tensor>& in) { return parts_of(function(in[0])); },
        {first_leaf()});
    EXPECT_TRUE(of_reals.passed) << name << ": " << of_reals.message;
    const GradcheckResult of_pairs = gradcheck(
        [&function = function](const std::vector<Tensor>& in) {
          return parts_of(function(complex(in[0], in[1])));
        },
        {first_leaf(), second_leaf()});
    EXPECT_TRUE(of_pairs.passed) << "complex " << name << ": " << of_pairs.message;
  }
}

TEST(LinalgGradients, AreRefusedWhereThereAreNone) {
  const Tensor a = first_leaf(), tall = a.slice(1, 0, 2);
  EXPECT_ERROR(linalg::qr(tall, QrMode::kComplete), kUnsupported,
               "[qr] the complete form of [3, 2] has no gradient");
  EXPECT_ERROR(linalg::svd(tall), kUnsupported, "[svd] the full form of [3, 2] has no gradient");
}

/// The cofactors, whatever the rank. Second derivatives need a regular matrix.
TEST(LinalgGradients, OfDeterminantsOfSingularMatrices) {
  const Device cpu = test_device("cpu:0");
  const auto expect_slope = [&](const std::vector<double>& values, std::int64_t n,
                                const std::vector<double>& expected) {
    for (const bool is_pair : {false, true}) {
      const Tensor a = from_host(values, {n, n}, cpu).requires_grad_();
      linalg::det(is_pair ? complex(a, zeros_like(a)) : a)
          .backward(is_pair ? ones({}, {DType::c128, cpu}) : Tensor());
      const std::vector<double> got = a.grad().to_vector<double>();
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12) << i;
    }
  };
  expect_slope({1, 2, 2, 4}, 2, {4, -2, -2, 1});
  expect_slope({0, 1, 0, 0}, 2, {0, 0, -1, 0});
  expect_slope({0}, 1, {1});
  expect_slope({0, 0, 0, 0}, 2, {0, 0, 0, 0});
  expect_slope({1, 2, 0, 2, 4, 0, 0, 0, 3}, 3, {12, -6, 0, -6, 3, 0, 0, 0, 0});
  expect_slope({0, 1, 0, 0, 0, 1, 0, 0, 0}, 3, {0, 0, 0, 0, 0, 0, 1, 0, 0});
  expect_slope({1, 1, 1, 1, 1, 1, 1, 1, 1}, 3, std::vector<double>(9, 0));
  const Tensor both = from_host<double>({1, 2, 2, 4, 1, 2, 3, 4}, {2, 2, 2}, cpu).requires_grad_();
  sum(linalg::det(both)).backward();
  EXPECT_EQ(round(both.grad()).to_vector<double>(),
            (std::vector<double>{4, -2, -2, 1, 4, -3, -2, 1}));
}

/// The terms of two equal values are left out.
TEST(LinalgGradients, OfEqualEigenvalues) {
  const Tensor a = eye(3, {DType::f64, test_device("cpu:0")}).requires_grad_();
  sum(linalg::eigh(a).eigenvalues).backward();
  EXPECT_EQ(a.grad().to_vector<double>(), (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace patchbay::test
