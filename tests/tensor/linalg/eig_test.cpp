// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Eigenvalues of any matrices, exponentials and tensor products on every device.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "support/cpu_runtime.h"
#include "tensor/linalg/matrices.h"

namespace patchbay::test {
namespace {

using C = std::complex<float>;

constexpr std::int64_t kSizes[] = {1, 2, 3, 8, 33};

class EigTest : public MatrixTest {
 protected:
  Tensor matrix(const std::vector<float>& values, std::int64_t n) const {
    return MatrixTest::matrix(values, {n, n});
  }
};
PATCHBAY_ON_EACH_DEVICE(EigTest);

/// a v = v diag(values), and the vectors have length 1.
void expect_eigen(const Tensor& a, const std::string& what) {
  const Eig made = linalg::eig(a);
  const DType dtype = complex_dtype(real_dtype(a.dtype()));
  EXPECT_EQ(made.eigenvalues.dtype(), dtype) << what;
  EXPECT_EQ(made.eigenvectors.dtype(), dtype) << what;
  expect_zero(
      matmul(a.cast(dtype), made.eigenvectors) - made.eigenvectors * made.eigenvalues.unsqueeze(-2),
      std::max(largest(a), 1e-30), what);
  const Tensor lengths = linalg::vector_norm(made.eigenvectors, 2, -2);
  EXPECT_LE(largest(lengths - 1), kUnits * epsilon_of(dtype)) << what;
}

std::vector<C> sorted_values(const Tensor& a) {
  std::vector<C> values = linalg::eigvals(a).to_vector<C>();
  std::sort(values.begin(), values.end(), [](const C& x, const C& y) {
    return std::pair(std::round(x.real() * 1e3F), x.imag()) <
           std::pair(std::round(y.real() * 1e3F), y.imag());
  });
  return values;
}
void expect_values(const Tensor& a, const std::vector<C>& expected, float room = 1e-5F) {
  const std::vector<C> values = sorted_values(a);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_LE(std::abs(values[i] - expected[i]), room) << i << ": " << values[i];
  }
}

TEST_P(EigTest, VectorsFit) {
  for (const DType dtype : dtypes()) {
    for (const std::int64_t n : kSizes) {
      const std::string what = std::string(to_string(dtype)) + ' ' + std::to_string(n);
      const Tensor a = randn({2, n, n}, {dtype, device_});
      expect_eigen(a, what);
      expect_eigen(a.transpose(-2, -1), what + " transposed");
      expect_eigen(triu(a), what + " triangular");
      expect_eigen(a + conj(a).transpose(-2, -1), what + " hermitian");
    }
  }
}

/// The values of real matrices are real, or conjugates beside each other, and so are the vectors.
TEST_P(EigTest, OfRealMatricesComeInPairs) {
  const Tensor a = randn({9, 9}, {DType::f32, device_});
  const Eig made = linalg::eig(a);
  const std::vector<C> values = made.eigenvalues.to_vector<C>();
  const std::vector<C> vectors = made.eigenvectors.transpose(0, 1).to_vector<C>();
  const auto vector = [&](std::size_t k) {
    return std::vector<C>(vectors.begin() + static_cast<std::ptrdiff_t>(9 * k),
                          vectors.begin() + static_cast<std::ptrdiff_t>(9 * k + 9));
  };
  for (std::size_t k = 0; k < 9; ++k) {
    if (values[k].imag() == 0) {
      for (const C& each : vector(k)) EXPECT_EQ(each.imag(), 0);
      continue;
    }
    ASSERT_LT(k + 1, 9U);
    EXPECT_GT(values[k].imag(), 0);
    EXPECT_EQ(values[k + 1], std::conj(values[k]));
    std::vector<C> other = vector(k + 1);
    for (C& each : other) each = std::conj(each);
    EXPECT_EQ(vector(k), other);
    ++k;
  }
}

TEST_P(EigTest, KnownValues) {
  expect_values(matrix({0, -1, 1, 0}, 2), {{0, -1}, {0, 1}});
  expect_values(matrix({2, 1, 0, 3}, 2), {2, 3});
  expect_values(matrix({1, 1, 0, 1}, 2), {1, 1});
  expect_values(matrix({0, 0, 0, 0}, 2), {0, 0});
  expect_values(matrix({7}, 1), {7});
  expect_values(matrix({0, 0, 6, 1, 0, -11, 0, 1, 6}, 3), {1, 2, 3}, 1e-4F);  // a companion
  expect_values(matrix({0, 0, 1, 1, 0, 0, 0, 1, 0}, 3),
                {{-0.5F, -0.8660254F}, {-0.5F, 0.8660254F}, 1});  // roots of 1
  expect_values(matrix({1e-30F, 2e-30F, 3e-30F, 4e-30F}, 2) * 1e30F, {-0.37228132F, 5.37228132F},
                1e-4F);
  const Tensor tiny = linalg::eigvals(matrix({2e-38F, 0, 0, 3e-38F}, 2));
  EXPECT_EQ(real(tiny).to_vector<float>(), (std::vector<float>{2e-38F, 3e-38F}));
  const Tensor huge = linalg::eigvals(matrix({2e38F, 0, 0, 3e38F}, 2));
  EXPECT_EQ(real(huge).to_vector<float>(), (std::vector<float>{2e38F, 3e38F}));
  EXPECT_EQ(linalg::eig(zeros({2, 0, 0}, device_)).eigenvectors.shape(), (Shape{2, 0, 0}));
  EXPECT_EQ(linalg::eigvals(zeros({0, 3, 3}, device_)).shape(), (Shape{0, 3}));
}

/// Several elements of a vector are the largest; one of them becomes real.
TEST_P(EigTest, VectorsOfEqualElements) {
  std::vector<float> turned(36);
  for (std::size_t i = 0; i < 6; ++i) turned[6 * i + (i + 1) % 6] = 1;
  expect_eigen(matrix(turned, 6), "permutation");
  expect_eigen(complex(matrix(turned, 6), matrix(turned, 6)), "complex permutation");
}

/// Real values beside pairs that nearly are their equals, and rows of very different sizes.
TEST_P(EigTest, DefectiveAndScaledMatrices) {
  expect_eigen(matrix({0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0}, 4), "defective");
  expect_eigen(matrix({0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1}, 4), "defective too");
  expect_eigen(matrix({1, 1, 0.7F, -1 - 0x1p-22F, -1, -0.7F, 0, 0, 0}, 3), "nearly equal");
  for (std::int64_t bits = 641; bits < 65536; bits += 641) {
    std::vector<float> values(16);
    for (std::size_t i = 0; i < 16; ++i) values[i] = static_cast<float>(bits >> i & 1);
    expect_eigen(matrix(values, 4), "zeros and ones " + std::to_string(bits));
  }
  // numpy.linalg.eigvals in f64
  expect_values(matrix({2, 1e6F, 1e12F, 1e-6F, 3, 1e6F, 1e-12F, 1e-6F, 5}, 3),
                {1.34455762F, 2.78924412F, 5.86619826F}, 1e-5F);
}

TEST_P(EigTest, WhatFailsIsNamed) {
  Tensor a = eye(3, device_).expand({2, 3, 3}).contiguous();
  a.select(0, 1).select(0, 2).select(0, 0).fill_(NAN);
  EXPECT_ERROR(linalg::eig(a), kInvalidArgument, "[eig] matrix [1] of the batch has no result");
  EXPECT_ERROR(linalg::eigvals(ones({2, 3}, device_)), kShapeMismatch, "[eigvals]", "not square");
  EXPECT_ERROR(linalg::eigvals(ones({2, 2}, {DType::i32, device_})), kDtypeMismatch, "[eigvals]");
  const CopyGuard guard;
  EXPECT_ERROR(linalg::eig(eye(2, device_)), kCopyForbidden, "inside a CopyGuard");
}

/// LAPACK computes these where OpenBLAS is installed: there are fewer matrices than threads. Rows
/// have a gap.
TEST(EigOnCpu, LargeMatricesFit) {
  const Runtime runtime = cpu_runtime({{"cpu_products", "openblas"}, {"cpu_threads", "3"}});
  const Device device = runtime.device("cpu:0");
  for (const DType dtype : {DType::f32, DType::f64, DType::c64, DType::c128}) {
    const std::string what = "large " + std::string(to_string(dtype));
    const Tensor a = randn({2, 200, 210}, {dtype, device}).slice(-1, 3, 203);
    expect_eigen(a, what);
    const Eig made = linalg::eig(a);
    const auto of_both = [&](const Tensor& part) {
      return part.cast(DType::f64).contiguous().to_vector<double>();
    };
    const std::vector<double> re = of_both(real(made.eigenvalues));
    const std::vector<double> im = of_both(imag(made.eigenvalues));
    for (std::size_t i = 0; !is_complex(dtype) && i < im.size(); ++i) {
      if (im[i] == 0) continue;
      ASSERT_GT(im[i], 0) << what << ' ' << i;
      EXPECT_EQ(im[i + 1], -im[i]) << what << ' ' << i;
      EXPECT_EQ(re[i + 1], re[i]) << what << ' ' << i;
      ++i;
    }
    // The largest element of a vector is real.
    const Tensor sizes = abs(made.eigenvectors);
    const Tensor largest_imaginary =
        where(eq(sizes, max(sizes, -2, true)), abs(imag(made.eigenvectors)), zeros_like(sizes));
    EXPECT_LE(largest(largest_imaginary), 4 * epsilon_of(dtype)) << what;
    EXPECT_LE(largest(sum(linalg::eigvals(a), -1) -
                      linalg::trace(a).cast(complex_dtype(real_dtype(dtype)))),
              1e3 * epsilon_of(dtype) * 200)
        << what;
    const Tensor broken = a.clone();
    broken.select(0, 1).select(0, 199).select(0, 3).fill_(NAN);
    EXPECT_ERROR(linalg::eig(broken), kInvalidArgument, "[eig] matrix [1] of the batch has no");
  }
}

TEST_P(EigTest, Exponentials) {
  const auto expect_near = [](const Tensor& got, const std::vector<float>& expected) {
    const std::vector<float> values = got.to_vector<float>();
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-6F * std::max(1.0F, std::fabs(expected[i]))) << i;
    }
  };
  expect_near(linalg::matrix_exp(zeros({2, 2}, device_)), {1, 0, 0, 1});
  expect_near(linalg::matrix_exp(matrix({0, 1, 0, 0}, 2)), {1, 1, 0, 1});
  expect_near(linalg::matrix_exp(matrix({1}, 1)), {2.7182818F});
  const float angle = 20;
  const float cosine = std::cos(angle), sine = std::sin(angle);
  const Tensor turned = linalg::matrix_exp(matrix({0, -angle, angle, 0}, 2));
  for (const auto& [got, expected] :
       {std::pair(turned.to_vector<float>()[0], cosine), {turned.to_vector<float>()[2], sine}}) {
    EXPECT_NEAR(got, expected, 2e-5);
  }
  // Matrices of a batch are squared as often as each needs.
  const Tensor one = randn({3, 3}, {DType::f32, device_});
  const Tensor both = linalg::matrix_exp(stack({one * 1e-3F, one * 20.0F}, 0));
  const Tensor alone = linalg::matrix_exp(one * 1e-3F);
  EXPECT_LE(largest(both.select(0, 0) - alone), 1e-6);
  for (const DType dtype : dtypes()) {
    const Tensor a = randn({2, 6, 6}, {dtype, device_});
    const Tensor product = matmul(linalg::matrix_exp(a), linalg::matrix_exp(-a));
    EXPECT_LE(largest(product - eye(6, {dtype, device_})), 1e4 * epsilon_of(dtype));
  }
  EXPECT_EQ(linalg::matrix_exp(zeros({2, 0, 0}, device_)).shape(), (Shape{2, 0, 0}));
  EXPECT_EQ(linalg::matrix_exp(zeros({0, 3, 3}, device_)).shape(), (Shape{0, 3, 3}));
  EXPECT_TRUE(any(isnan(linalg::matrix_exp(full({2, 2}, NAN, device_)))).item<bool>());
  EXPECT_ERROR(linalg::matrix_exp(ones({2, 3}, device_)), kShapeMismatch, "[matrix_exp]");
  const CopyGuard guard;
  EXPECT_ERROR(linalg::matrix_exp(eye(2, device_)), kCopyForbidden, "inside a CopyGuard");
}

TEST_P(EigTest, TensorProducts) {
  const Tensor a = arange(0, 24, 1, {DType::f32, device_}).reshape({2, 3, 4});
  const Tensor b = arange(0, 12, 1, {DType::f32, device_}).reshape({3, 4});
  EXPECT_EQ(linalg::tensordot(a, b).to_vector<float>(), (std::vector<float>{506, 1298}));
  EXPECT_EQ(linalg::tensordot(a, b, {2}, {1}).to_vector<float>(),
            matmul(a, b.t()).to_vector<float>());
  EXPECT_EQ(linalg::tensordot(a, b.slice(1, 0, 2), {1, 0}, {0, 1}).to_vector<float>(),
            (std::vector<float>{352, 379, 406, 433}));
  EXPECT_EQ(linalg::tensordot(b, b, 0).shape(), (Shape{3, 4, 3, 4}));
  EXPECT_EQ(linalg::tensordot(a, a, {0, 1, 2}, {-3, -2, -1}).item<float>(), 4324);
  EXPECT_EQ(linalg::tensordot(zeros({2, 0}, device_), zeros({0, 3}, device_), 1).shape(),
            (Shape{2, 3}));
  EXPECT_ERROR(linalg::tensordot(a, b, 3), kInvalidArgument,
               "[tensordot] bad num_axes: expected 0 to 2, got 3");
  EXPECT_ERROR(linalg::tensordot(a, b, 1), kShapeMismatch,
               "[tensordot] dimension 2 of a has 4 elements, dimension 0 of b 3");
  EXPECT_ERROR(linalg::tensordot(a, b, {0, 1}, {1}), kInvalidArgument,
               "[tensordot] 2 dimensions of a and 1 of b");
  EXPECT_ERROR(linalg::tensordot(a, b, {1, 1}, {0, 1}), kInvalidArgument,
               "[tensordot] dimension 1 is named twice");
  EXPECT_ERROR(linalg::tensordot(a, ones({3, 4}, other_)), kDeviceMismatch, "[tensordot]");
}

}  // namespace
}  // namespace patchbay::test
