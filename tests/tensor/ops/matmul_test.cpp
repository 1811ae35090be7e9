// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of matrices: shapes, factors, gradients and errors. tests/operators compares every dtype
// and layout with loops.
#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(MatmulTest);

TEST_P(MatmulTest, TransposedOperandsAreReadInPlace) {
  const Tensor a = ones({3, 4}, device_), b = ones({5, 3}, device_);
  const std::uint64_t before = num_copies("", "");
  const Tensor c = matmul(a.t(), b.t());
  EXPECT_EQ(num_copies("", ""), before);
  EXPECT_EQ(c.to_vector<float>(), Floats(20, 3));
}

TEST_P(MatmulTest, RepeatedRowsAreFine) {
  const Tensor row = floats({1, 2}).expand({3, 2});
  EXPECT_EQ(matmul(row, row.t()).to_vector<float>(), Floats(9, 5));
}

TEST_P(MatmulTest, OutIsNotReadWithBetaZero) {
  const Tensor out = full({2, 2}, NAN, device_);
  matmul_out(out, ones({2, 3}, device_), ones({3, 2}, device_), 2);
  EXPECT_EQ(out.to_vector<float>(), Floats(4, 6));
}

TEST_P(MatmulTest, EmptyMatrices) {
  EXPECT_EQ(matmul(zeros({0, 3}, device_), zeros({3, 2}, device_)).shape(), (Shape{0, 2}));
  const Tensor nothing = matmul(zeros({2, 0}, device_), zeros({0, 3}, device_));
  EXPECT_EQ(nothing.to_vector<float>(), Floats(6, 0));
  const Tensor out = full({2, 3}, 4, device_);
  matmul_out(out, zeros({2, 0}, device_), zeros({0, 3}, device_), 1, 0.5);
  EXPECT_EQ(out.to_vector<float>(), Floats(6, 2));
  matmul_out(out, zeros({2, 0}, device_), zeros({0, 3}, device_));
  EXPECT_EQ(out.to_vector<float>(), Floats(6, 0));
}

TEST_P(MatmulTest, VectorsAreRowsAndColumns) {
  const Tensor a = arange(0.0, 6, 1, device_).view({2, 3}), x = floats({1, 2, 3});
  EXPECT_EQ(matmul(a, x).to_vector<float>(), (Floats{8, 26}));
  EXPECT_EQ(matmul(a, x).shape(), Shape{2});
  EXPECT_EQ(matmul(x, a.t()).to_vector<float>(), (Floats{8, 26}));
  EXPECT_EQ(matmul(x, x).shape(), Shape{});
  EXPECT_EQ(matmul(x, x).item<float>(), 14);
  EXPECT_EQ(matmul(a.expand({4, 2, 3}), x).shape(), (Shape{4, 2}));
  EXPECT_EQ(matmul(x, ones({5, 3, 2}, device_)).shape(), (Shape{5, 2}));
  const Tensor out = ones({2}, device_), number = ones({}, device_);
  EXPECT_EQ(matmul_out(out, a, x, 1, 2).to_vector<float>(), (Floats{10, 28}));
  EXPECT_EQ(matmul_out(number, x, x, 2, -1).item<float>(), 27);
  EXPECT_EQ(matmul(x.slice(0, 0, 3, 2), x.slice(0, 1)).item<float>(), 11);
}

TEST_P(MatmulTest, LongVectorsAndTallMatrices) {
  const Tensor tall = ones({3001, 257}, device_), x = full({257}, 2, device_);
  EXPECT_EQ(matmul(tall, x).to_vector<float>(), Floats(3001, 514));
  EXPECT_EQ(matmul(tall.t(), full({3001}, 1, device_)).to_vector<float>(), Floats(257, 3001));
  EXPECT_EQ(matmul(ones({70001}, device_), ones({70001}, device_)).item<float>(), 70001);
}

/// As attention has them: heads that are no dimension of their own in memory.
TEST_P(MatmulTest, ProductsOfPermutedDimensions) {
  constexpr std::int64_t kBatch = 2, kLength = 5, kHeads = 3, kSize = 4;
  const auto values = small_values<float>(kBatch * kLength * kHeads * kSize, 4);
  const Tensor x = from_host(values, {kBatch, kLength, kHeads, kSize}, device_);
  const Tensor heads = x.permute({0, 2, 1, 3});
  const std::uint64_t before = num_copies("", "");
  const Tensor scores = matmul(heads, heads.transpose(-1, -2));
  EXPECT_EQ(num_copies("", ""), before);
  const auto at = [&](std::int64_t b, std::int64_t l, std::int64_t h, std::int64_t i) {
    return values[static_cast<std::size_t>(((b * kLength + l) * kHeads + h) * kSize + i)];
  };
  Floats expected;
  for (std::int64_t b = 0; b < kBatch; ++b) {
    for (std::int64_t h = 0; h < kHeads; ++h) {
      for (std::int64_t l = 0; l < kLength; ++l) {
        for (std::int64_t m = 0; m < kLength; ++m) {
          float total = 0;
          for (std::int64_t i = 0; i < kSize; ++i) total += at(b, l, h, i) * at(b, m, h, i);
          expected.push_back(total);
        }
      }
    }
  }
  EXPECT_EQ(scores.to_vector<float>(), expected);
}

TEST_P(MatmulTest, RepeatedMatricesAreNotCopied) {
  const Tensor a = ones({1, 3, 4}, device_), b = ones({6, 4, 2}, device_);
  const std::uint64_t before = num_copies("", "");
  EXPECT_EQ(matmul(a.expand({6, 3, 4}), b).to_vector<float>(), Floats(36, 4));
  EXPECT_EQ(num_copies("", ""), before + 1);  // to_vector's
}

TEST_P(MatmulTest, AddmmBeginsWithTheAddend) {
  const Tensor a = ones({2, 3}, device_), b = full({3, 2}, 2, device_), row = floats({1, 2});
  EXPECT_EQ(addmm(row, a, b).to_vector<float>(), (Floats{7, 8, 7, 8}));
  EXPECT_EQ(addmm(row.view({2, 1}), a, b, 2, -1).to_vector<float>(), (Floats{11, 11, 10, 10}));
  EXPECT_EQ(addmm(full({}, NAN, device_), a, b, 1, 0).to_vector<float>(), Floats(4, 6));
  EXPECT_EQ(addmm(row, a.expand({2, 2, 3}), b).shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(addmm(row, zeros({2, 0}, device_), zeros({0, 2}, device_), 1, 3).to_vector<float>(),
            (Floats{3, 6, 3, 6}));
  EXPECT_ERROR(addmm(ones({3}, device_), a, b), kShapeMismatch, "[addmm] c does not broadcast",
               "expected [2, 2], or 1 in some dimensions, got [3]");
  EXPECT_ERROR(addmm(row, a, b[0]), kShapeMismatch, "[addmm]", "expected b of shape [3], got [2]");
  EXPECT_ERROR(addmm(row, a, b.t()[0]), kShapeMismatch,
               "[addmm] a vector among the factors: expected rank 2 or more, got [2, 3] and [3]");
}

/// NaNs in them do not count, nor do they for gradients.
TEST_P(MatmulTest, WithAlpha0TheFactorsAreNotRead) {
  const Tensor nans = full({2, 3}, NAN, device_), c = ones({2, 2}, device_);
  for (const double alpha : {0.0, -0.0}) {
    EXPECT_EQ(addmm(c, nans, nans.t(), alpha, 3).to_vector<float>(), Floats(4, 3));
    EXPECT_EQ(addmm(c, nans, nans.t(), alpha, 0).to_vector<float>(), Floats(4, 0));
    const Tensor out = ones({2, 2}, device_);
    EXPECT_EQ(matmul_out(out, nans, nans.t(), alpha, 2).to_vector<float>(), Floats(4, 2));
    EXPECT_EQ(matmul_out(out.t(), nans, nans.t(), alpha).to_vector<float>(), Floats(4, 0));
    EXPECT_EQ(matmul_out(out[0], nans, nans[0], alpha).to_vector<float>(), Floats(2, 0));
  }
  EXPECT_TRUE(std::isnan(matmul(nans, nans.t())[0][0].item<float>()));
  const Tensor half = nans.cast(DType::f16);
  EXPECT_EQ(addmm(c.cast(DType::f16), half, half.t(), 0, 2).to_vector<float>(), Floats(4, 2));
}

TEST_P(MatmulTest, WhatCountsFor0GetsTheGradient0) {
  const Tensor a = full({2, 3}, INFINITY, device_).requires_grad_();
  const Tensor b = full({3, 2}, NAN, device_).requires_grad_();
  const Tensor c = full({2}, NAN, device_).requires_grad_();
  addmm(c, a, b, 0, 3).backward(ones({2, 2}, device_));
  EXPECT_EQ(a.grad().to_vector<float>(), Floats(6, 0));
  EXPECT_EQ(b.grad().to_vector<float>(), Floats(6, 0));
  EXPECT_EQ(c.grad().to_vector<float>(), Floats(2, 6));
  c.set_grad({});
  addmm(c, a, b, 1, 0).backward(full({2, 2}, INFINITY, device_));
  EXPECT_EQ(c.grad().to_vector<float>(), Floats(2, 0));
}

TEST_P(MatmulTest, LinearLayers) {
  const Tensor x = arange(0.0, 6, 1, device_).view({2, 3});
  const Tensor weight = from_host({1.0F, 0.0F, 0.0F, 1.0F, 1.0F, 1.0F}, {2, 3}, device_);
  const Tensor bias = floats({10, 20});
  EXPECT_EQ(linear(x, weight, bias).to_vector<float>(), (Floats{10, 23, 13, 32}));
  EXPECT_EQ(linear(x, weight).to_vector<float>(), (Floats{0, 3, 3, 12}));
  EXPECT_EQ(linear(x[1], weight, bias).to_vector<float>(), (Floats{13, 32}));
  EXPECT_EQ(linear(x.expand({4, 2, 3}), weight, bias).shape(), (Shape{4, 2, 2}));
  EXPECT_EQ(linear(zeros({0, 3}, device_), weight, bias).shape(), (Shape{0, 2}));
  EXPECT_EQ(linear(zeros({2, 0}, device_), zeros({2, 0}, device_), bias).to_vector<float>(),
            (Floats{10, 20, 10, 20}));
  EXPECT_ERROR(linear(x, weight.t()), kShapeMismatch,
               "[linear] the weight does not fit x: expected x of shape [..., 2], got [2, 3]");
  EXPECT_ERROR(linear(x, weight.view({1, 2, 3})), kShapeMismatch,
               "[linear] the weight is neither matrix", "expected shape [out, in] or [in]");
  EXPECT_ERROR(linear(x, weight, x), kShapeMismatch, "[linear] the bias", "shape [2], got [2, 3]");
  EXPECT_ERROR(linear(x, weight.cast(DType::i32)), kDtypeMismatch,
               "[linear] operands have different dtypes: expected weight of f32 like x, got i32");
}

TEST_P(MatmulTest, ShapesMustFit) {
  const Tensor a = ones({2, 3}, device_);
  EXPECT_ERROR(matmul(a, a), kShapeMismatch, "[matmul]", "expected b of shape [3, n], got [2, 3]");
  EXPECT_ERROR(matmul(a, a.t()[0]), kShapeMismatch, "[matmul]",
               "b of shape [3], got [2] (a: f32 [2, 3]" + on_ + "; b: f32 [2]" + on_ +
                   "). Transpose a with t() if that was meant.");
  EXPECT_ERROR(matmul(a[0], a), kShapeMismatch, "). Transpose b with t() if that was meant.");
  EXPECT_ERROR(matmul(a[0], a.t()[0]), kShapeMismatch,
               "). Use vectors of one length; a.unsqueeze(1) * b is their outer product.");
  EXPECT_ERROR(matmul(a, ones({4, 2, 5}, device_)), kShapeMismatch,
               "[matmul] inner dimensions differ: expected b of shape [..., 3, n], got [4, 2, 5]");
  EXPECT_ERROR(matmul(a, a[0][0]), kShapeMismatch, "[matmul] b", "rank 1 or more, got shape []");
  EXPECT_ERROR(matmul(ones({4, 2, 3}, device_), ones({5, 3, 2}, device_)), kShapeMismatch,
               "[matmul] leading dimensions [4] and [5] do not broadcast: expected equal extents, "
               "or 1, in dimension -3, got 4 and 5");
  EXPECT_ERROR(matmul_out(zeros({2, 3}, device_), a, a.t()), kShapeMismatch,
               "[matmul] out has the wrong shape: expected [2, 2], got [2, 3]");
  EXPECT_ERROR(matmul(a.cast(DType::u8), a.cast(DType::u8).t()), kDtypeMismatch,
               "[matmul] is not defined for u8");
}

TEST_P(MatmulTest, OutOverlapsNoOperand) {
  const Tensor a = ones({2, 2}, device_);
  EXPECT_INVALID(matmul_out(a, a, ones({2, 2}, device_)), "[matmul] out and a overlap (out: ");
  EXPECT_INVALID(matmul_out(a, ones({2, 2}, device_), a.t()), "out and b overlap");
  EXPECT_INVALID(
      matmul_out(zeros({2, 2}, {DType::i32, device_}), a.cast(DType::i32), a.cast(DType::i32), 0.5),
      "[matmul] a literal takes the tensor's dtype");
}

}  // namespace
}  // namespace patchbay::test
