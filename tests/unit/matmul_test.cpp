// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of matrices against three loops, in all transposes and layouts.
#include <cmath>
#include <cstdint>
#include <vector>

#include <patchbay/ops.h>

#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

class MatmulTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(MatmulTest);

struct Sizes {
  std::int64_t m, k, n;
};

/// alpha a b + beta c; all values are small whole numbers, so that it is exact.
template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c,
                       Sizes s, T alpha, T beta) {
  std::vector<T> result(c.size());
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      T sum = 0;
      for (std::int64_t p = 0; p < s.k; ++p) {
        sum += a[static_cast<std::size_t>(i * s.k + p)] * b[static_cast<std::size_t>(p * s.n + j)];
      }
      const auto at = static_cast<std::size_t>(i * s.n + j);
      result[at] = alpha * sum + (beta == T{0} ? T{0} : beta * c[at]);
    }
  }
  return result;
}

template <class T>
void check_product(const Device& device, Sizes s) {
  const auto a = small_values<T>(count_of({s.m, s.k}), 1);
  const auto b = small_values<T>(count_of({s.k, s.n}), 2);
  const auto c = small_values<T>(count_of({s.m, s.n}), 3);
  for (const Layout left : kLayouts) {
    for (const Layout right : kLayouts) {
      const Tensor x = laid_out(left, a, {s.m, s.k}, device);
      const Tensor y = laid_out(right, b, {s.k, s.n}, device);
      EXPECT_EQ(matmul(x, y).to_vector<T>(), product<T>(a, b, c, s, 1, 0)) << left << right;
      for (const Layout into : kLayouts) {
        const Tensor out = laid_out(into, c, {s.m, s.n}, device);
        EXPECT_EQ(matmul_out(out, x, y, 2, -3).to_vector<T>(), product<T>(a, b, c, s, 2, -3))
            << left << right << into;
      }
    }
  }
}

TEST_P(MatmulTest, AllLayoutsAndSizes) {
  for (const Sizes s : {Sizes{2, 3, 4}, Sizes{1, 5, 1}, Sizes{1, 1, 1}, Sizes{7, 1, 3},
                        Sizes{1, 9, 6}, Sizes{5, 4, 1}, Sizes{17, 33, 9}}) {
    check_product<float>(device_, s);
    check_product<double>(device_, s);
    check_product<std::int32_t>(device_, s);
    check_product<std::int64_t>(device_, s);
  }
}

TEST_P(MatmulTest, TransposedOperandsAreReadInPlace) {
  const Tensor a = ones({3, 4}, device_), b = ones({5, 3}, device_);
  const std::uint64_t before = num_copies("", "");
  const Tensor c = matmul(a.t(), b.t());
  EXPECT_EQ(num_copies("", ""), before);
  EXPECT_EQ(c.to_vector<float>(), std::vector<float>(20, 3));
}

TEST_P(MatmulTest, RepeatedRowsAreFine) {
  const Tensor row = from_host({1.0F, 2.0F}, {2}, device_).expand({3, 2});
  EXPECT_EQ(matmul(row, row.t()).to_vector<float>(), std::vector<float>(9, 5));
}

TEST_P(MatmulTest, OutIsNotReadWithBetaZero) {
  const Tensor out = full({2, 2}, NAN, device_);
  matmul_out(out, ones({2, 3}, device_), ones({3, 2}, device_), 2);
  EXPECT_EQ(out.to_vector<float>(), std::vector<float>(4, 6));
}

TEST_P(MatmulTest, EmptyMatrices) {
  EXPECT_EQ(matmul(zeros({0, 3}, device_), zeros({3, 2}, device_)).shape(), (Shape{0, 2}));
  const Tensor nothing = matmul(zeros({2, 0}, device_), zeros({0, 3}, device_));
  EXPECT_EQ(nothing.to_vector<float>(), std::vector<float>(6, 0));
  const Tensor out = full({2, 3}, 4, device_);
  matmul_out(out, zeros({2, 0}, device_), zeros({0, 3}, device_), 1, 0.5);
  EXPECT_EQ(out.to_vector<float>(), std::vector<float>(6, 2));
  matmul_out(out, zeros({2, 0}, device_), zeros({0, 3}, device_));
  EXPECT_EQ(out.to_vector<float>(), std::vector<float>(6, 0));
}

TEST_P(MatmulTest, ShapesMustFit) {
  const Tensor a = ones({2, 3}, device_);
  EXPECT_ERROR(static_cast<void>(matmul(a, a)), ErrorCode::kShapeMismatch,
               "[matmul] inner dimensions differ: expected b of shape [3, n], got [2, 3]");
  EXPECT_ERROR(static_cast<void>(matmul(a, a[0])), ErrorCode::kShapeMismatch,
               "[matmul] b is no matrix: expected rank 2, got shape [3]");
  EXPECT_ERROR(matmul_out(zeros({2, 3}, device_), a, a.t()), ErrorCode::kShapeMismatch,
               "[matmul] out has the wrong shape: expected [2, 2], got [2, 3]");
  EXPECT_ERROR(static_cast<void>(matmul(a.cast(DType::u8), a.cast(DType::u8).t())),
               ErrorCode::kDtypeMismatch, "[matmul] is not defined for u8");
}

TEST_P(MatmulTest, OutOverlapsNoOperand) {
  const Tensor a = ones({2, 2}, device_);
  EXPECT_ERROR(matmul_out(a, a, ones({2, 2}, device_)), ErrorCode::kInvalidArgument,
               "[matmul] out and a overlap: expected no element in common");
  EXPECT_ERROR(matmul_out(a, ones({2, 2}, device_), a.t()), ErrorCode::kInvalidArgument,
               "out and b overlap");
  EXPECT_ERROR(
      matmul_out(zeros({2, 2}, {DType::i32, device_}), a.cast(DType::i32), a.cast(DType::i32), 0.5),
      ErrorCode::kInvalidArgument, "[matmul] a literal takes the tensor's dtype");
}

}  // namespace
}  // namespace patchbay::test
