// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values of matrices that are divided on most devices.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/cpu_runtime.h"
#include "tensor/linalg/matrices.h"

namespace patchbay::test {
namespace {

class LargeMatrixTest : public MatrixTest {
 protected:
  Tensor hermitian(const Shape& shape, DType dtype) const {
    const Tensor a = random(shape, dtype);
    return a + adjoint(a);
  }
  /// Its columns are those of a random matrix times 1, q, q^2 ...
  Tensor graded(std::int64_t n, double q, DType dtype) const {
    std::vector<float> scales(static_cast<std::size_t>(n));
    double scale = 1;
    for (float& each : scales) {
      each = static_cast<float>(scale);
      scale *= q;
    }
    return scaled_columns(random({n, n}, dtype), from_host(scales, {n}, device_));
  }
};
PATCHBAY_ON_EACH_DEVICE(LargeMatrixTest);

TEST_P(LargeMatrixTest, EigenvectorsFit) {
  const DType wide = device_.properties().f64 ? DType::f64 : DType::f32;
  const std::pair<Shape, DType> all[] = {
      {{2, 128, 128}, DType::f32}, {{145, 145}, wide}, {{258, 258}, DType::c64}};
  for (const auto& [shape, dtype] : all) {
    expect_eigh_fits(hermitian(shape, dtype), name_of("eigh", dtype, shape[1], shape[1]));
  }
}

TEST_P(LargeMatrixTest, SingularVectorsFit) {
  for (const DType dtype : dtypes()) {
    const bool is_wide = real_dtype(dtype) == DType::f64;
    const std::int64_t m = is_wide ? 70 : 50, n = is_wide ? 33 : 61;
    const std::string what = name_of("svd", dtype, m, n);
    const Tensor a = random({is_wide ? 1 : 2, m, n}, dtype);
    expect_svd_of(a, linalg::svd(a, false), what);
    const Tensor values = linalg::svdvals(a);
    expect_zero((values - linalg::svd(a, false).s).unsqueeze(-1), largest(values),
                what + " values");
  }
  const Tensor large = random({130, 130}, DType::f32);
  expect_svd_of(large, linalg::svd(large), "130 x 130");
}

TEST_P(LargeMatrixTest, ValuesAreKnown) {
  // The second difference has the values 4 sin^2(k pi / (2 (n + 1))).
  constexpr std::int64_t kN = 130;
  const Tensor a = eye(kN, device_) * 2;
  a.diagonal(1).fill_(-1);
  a.diagonal(-1).fill_(-1);
  const std::vector<float> eigen = linalg::eigvalsh(a).to_vector<float>();
  const std::vector<float> singular = linalg::svdvals(a).to_vector<float>();
  for (std::int64_t k = 0; k < kN; ++k) {
    const double half = std::sin(static_cast<double>(k + 1) * M_PI / (2 * (kN + 1)));
    EXPECT_NEAR(eigen[static_cast<std::size_t>(k)], 4 * half * half, 2e-5) << k;
    EXPECT_NEAR(singular[static_cast<std::size_t>(kN - 1 - k)], 4 * half * half, 2e-5) << k;
  }
}

TEST_P(LargeMatrixTest, SpecialMatrices) {
  const auto all = [this](std::int64_t n, DType dtype) {
    const Tensor some = random({n, 5}, dtype), one = eye(n, of(dtype));
    return std::vector<std::pair<std::string, Tensor>>{
        {"zeros", zeros({n, n}, of(dtype))},
        {"one", one},
        {"ones", ones({n, n}, of(dtype))},
        {"rank 5", matmul(some, adjoint(some))},
        {"huge", hermitian({n, n}, dtype) * 1e30},
        {"tiny", hermitian({n, n}, dtype) * 1e-30},
        {"clustered", one + hermitian({n, n}, dtype) * 1e-6},
        {"two values", one - matmul(some, linalg::pinv(some)) * 2},
        {"diagonal", tril(triu(random({n, n}, DType::f32))).cast(dtype)},
    };
  };
  for (const auto& [name, a] : all(130, DType::f32)) {
    const Tensor symmetric = (a + a.t()) * 0.5;
    expect_eigen_of(symmetric, linalg::eigh(symmetric), name);
  }
  for (const DType dtype : {DType::f32, DType::c64}) {
    const std::int64_t n = is_complex(dtype) ? 20 : 40;
    for (const auto& [name, a] : all(n, dtype)) {
      expect_svd_of(a, linalg::svd(a), name_of(name.c_str(), dtype, n, n));
    }
    for (const double q : {0.7, 0.2, 0.05}) {  // the last columns are as good as 0, or subnormal
      const std::string what = name_of("graded", dtype, n, n) + ' ' + std::to_string(q);
      const Tensor a = graded(n, q, dtype);
      expect_svd_of(a, linalg::svd(a), what);
      expect_svd_of(adjoint(a), linalg::svd(adjoint(a)), what + " adjoint");
    }
  }
}

TEST_P(LargeMatrixTest, WhatFailsIsNamed) {
  constexpr std::int64_t kN = 130;
  for (const float bad : {NAN, INFINITY}) {
    const Tensor a = hermitian({2, kN, kN}, DType::f32);
    a.select(0, 1).select(0, 99).select(0, 3).fill_(bad);
    EXPECT_ERROR(linalg::eigh(a), kInvalidArgument, "[eigh] matrix [1] of the batch has no result");
    EXPECT_ERROR(linalg::svd(a), kInvalidArgument, "[svd] matrix [1] of the batch has no result");
    EXPECT_ERROR(linalg::svdvals(a), kInvalidArgument, "[svdvals] matrix [1] of the batch has no");
    const auto is_second = [](const Tensor& info) {
      return ne(info, 0).to_vector<bool>() == std::vector<bool>{false, true};
    };
    EXPECT_TRUE(is_second(linalg::eigh_ex(a).info));
    EXPECT_TRUE(is_second(linalg::svd_ex(a).info));
    expect_svd_of(a[0], linalg::svd(a[0]), "beside what fails");
  }
}

TEST_P(LargeMatrixTest, NothingIsFetched) {
  const Tensor a = hermitian({130, 130}, DType::f32), few = a.slice(-2, 0, 40);
  const auto copies = [this] {
    const Ledger& ledger = test_runtime().ledger();
    return ledger.total(device_.name(), "host").copies +
           ledger.total("host", device_.name()).copies;
  };
  const std::uint64_t before = copies();
  const CopyGuard guard;
  const EighEx eigh = linalg::eigh_ex(a);
  const SvdEx svd = linalg::svd_ex(few);
  EXPECT_EQ(copies(), before);
  EXPECT_EQ(eigh.eigenvalues.shape(), (Shape{130}));
  EXPECT_EQ(svd.s.shape(), (Shape{40}));
  EXPECT_ERROR(linalg::svdvals(few), kCopyForbidden, "inside a CopyGuard");
}

/// On a CPU larger matrices than elsewhere are divided.
TEST(LinalgOnCpu, OwnLoopsFactorLargeMatrices) {
  const Runtime runtime = cpu_runtime({{"cpu_products", "own"}, {"cpu_threads", "2"}});
  for (const DType dtype : {DType::f32, DType::f64}) {
    const std::string what = name_of("own", dtype, 520, 520);
    const Tensor a = randn({520, 520}, {dtype, runtime.device("cpu:0")}), b = a + a.t();
    expect_eigen_of(b, linalg::eigh(b), what);
    expect_svd_of(a, linalg::svd(a), what);
  }
}

}  // namespace
}  // namespace patchbay::test
