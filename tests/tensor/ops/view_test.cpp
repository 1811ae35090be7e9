// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/device_test.h"

namespace patchbay::test {
namespace {

// A bool or a floating-point number is no dimension and no index.
template <class N>
concept IsAPlace = requires(Tensor t, N n) {
  t.size(n);
}
|| requires(Tensor t, N n) { t.slice(n, 0); }
|| requires(Tensor t, N n) { t.slice(0, n); }
|| requires(Tensor t, N n) { t.slice(0, 0, n); }
|| requires(Tensor t, N n) { t.select(0, n); }
|| requires(Tensor t, N n) { t[n]; }
|| requires(Tensor t, N n) { t.permute({n}); }
|| requires(Tensor t, N n) { t.transpose(n, 0); }
|| requires(Tensor t, N n) { t.diagonal(n); }
|| requires(Tensor t, N n) { t.squeeze(n); }
|| requires(Tensor t, N n) { t.unsqueeze(n); }
|| requires(Tensor t, N n) { stack({t}, n); }
|| requires(Tensor t, N n) { split(t, 1, n); }
|| requires(Tensor t, N n) { gather(t, n, t); };
static_assert(IsAPlace<int> && IsAPlace<unsigned char> && IsAPlace<std::size_t>);
static_assert(!IsAPlace<bool> && !IsAPlace<float> && !IsAPlace<double>);
template <class N>
concept IsASize = requires(Tensor t, N n) {
  split(t, n);
}
|| requires(Tensor t, N n) { chunk(t, n); };
static_assert(IsASize<int> && IsASize<std::size_t> && !IsASize<bool>);

class ViewTest : public DeviceTest {
 protected:
  /// 0, 1, 2 ...
  Tensor counted(const Shape& shape) const {
    return arange(0.0, num_elements(shape), 1, device_).view(shape);
  }
};
PATCHBAY_ON_EACH_DEVICE(ViewTest);

TEST_P(ViewTest, SlicesClampAndCountFromTheEnd) {
  const Tensor t = counted({6});
  EXPECT_EQ(t.slice(0, 2, 4).to_vector<float>(), (Floats{2, 3}));
  EXPECT_EQ(t.slice(0, -2).to_vector<float>(), (Floats{4, 5}));
  EXPECT_EQ(t.slice(0, 1, -1, 2).to_vector<float>(), (Floats{1, 3}));
  EXPECT_EQ(t.slice(0, 0, 100, 4).to_vector<float>(), (Floats{0, 4}));
  EXPECT_EQ(t.slice(0, 4, 2).shape(), Shape{0});
  EXPECT_EQ(t.slice(0, 100).shape(), Shape{0});
  EXPECT_EQ(t.slice(0, INT64_MIN, INT64_MAX, INT64_MAX).to_vector<float>(), Floats{0});
}

TEST_P(ViewTest, IntegersOfAnyTypeKeepTheirValue) {
  const Tensor t = counted({3, 4});
  enum Named { kRow, kColumn };
  EXPECT_EQ(t.size(kColumn), 4);
  EXPECT_EQ(t[std::size_t{2}].select(kRow, std::uint8_t{3}).item<float>(), 11);
  EXPECT_INVALID(t.size(std::int64_t{1} << 32), "dimension 2147483647 is out of range");
  EXPECT_INVALID(t[UINT64_MAX], "[select] index 9223372036854775807 is out of range");
  EXPECT_EQ(t.slice(1, 0, UINT64_MAX, std::size_t{3}).shape(), (Shape{3, 2}));
  EXPECT_EQ(sum(t, std::int64_t{-1}).to_vector<float>(), (Floats{6, 22, 38}));
  EXPECT_INVALID(sum(t, std::int64_t{1} << 32), "[sum] dimension 2147483647 is out of range");
}

TEST_P(ViewTest, SlicesOfInnerDimensions) {
  const Tensor t = counted({3, 4});
  EXPECT_EQ(t.slice(-1, 1, 4, 2).to_vector<float>(), (Floats{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(t.slice(1, 1, 3).slice(0, 1, 2).to_vector<float>(), (Floats{5, 6}));
  EXPECT_INVALID(t.slice(0, 0, 3, 0), "[slice]", "1 or more, got 0");
  EXPECT_INVALID(
      t.slice(2, 0),
      "dimension 2 is out of range: expected -2 to 1 for rank 2, got 2 (tensor: f32 [3, 4] on ");
}

TEST_P(ViewTest, SelectDropsADimension) {
  const Tensor t = counted({3, 4});
  EXPECT_EQ(t[1].to_vector<float>(), (Floats{4, 5, 6, 7}));
  EXPECT_EQ(t.select(1, -1).to_vector<float>(), (Floats{3, 7, 11}));
  EXPECT_EQ(t[2][3].item<float>(), 11);
  EXPECT_INVALID(t[3], "[select] index 3", "expected -3 to 2 for extent 3 of dimension 0");
  EXPECT_INVALID(t[-4], "got -4");
  EXPECT_INVALID(t[0][0][0], "none for rank 0");
  EXPECT_INVALID(zeros({0}, device_)[0], "extent 0");
}

TEST_P(ViewTest, PermutesAndTransposes) {
  const Tensor t = counted({2, 3, 2});
  EXPECT_EQ(t.permute({2, 0, 1}).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(t.permute({2, 0, 1}).to_vector<float>(),
            (Floats{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(t[0].t().to_vector<float>(), (Floats{0, 2, 4, 1, 3, 5}));
  EXPECT_TRUE(t.permute({-3, 1, 2}).is_contiguous());
  EXPECT_EQ(t.transpose(0, -1).shape(), (Shape{2, 3, 2}));
  EXPECT_INVALID(t.permute({0, 1}), "[permute]");
  EXPECT_INVALID(t.permute({0, 1, -2}), "[0, 1, -2]");
  EXPECT_INVALID(t.permute({0, 1, 3}), "got 3");
  EXPECT_ERROR(t.t(), kShapeMismatch, "expected rank 2, got 3");
}

TEST_P(ViewTest, Diagonals) {
  const Tensor t = arange(0, 12, 1, {DType::i32, device_}).view({3, 4});
  EXPECT_EQ(t.diagonal().to_vector<std::int32_t>(), (Ints{0, 5, 10}));
  EXPECT_EQ(t.diagonal(1).to_vector<std::int32_t>(), (Ints{1, 6, 11}));
  EXPECT_EQ(t.diagonal(3).to_vector<std::int32_t>(), Ints{3});
  EXPECT_EQ(t.diagonal(-2).to_vector<std::int32_t>(), Ints{8});
  EXPECT_EQ(t.t().diagonal(1).to_vector<std::int32_t>(), (Ints{4, 9}));
  EXPECT_EQ(t.diagonal(1, 1, 0).to_vector<std::int32_t>(), (Ints{4, 9}));
  for (const std::int64_t outside : {std::int64_t{4}, std::int64_t{-3}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(t.diagonal(outside).shape(), Shape{0});
  }
  const Tensor planes = arange(0, 24, 1, {DType::i32, device_}).view({2, 3, 4});
  EXPECT_EQ(planes.diagonal().shape(), (Shape{2, 3}));
  EXPECT_EQ(planes.diagonal().to_vector<std::int32_t>(), (Ints{0, 5, 10, 12, 17, 22}));
  EXPECT_EQ(planes.diagonal(0, 0, 2).to_vector<std::int32_t>(), (Ints{0, 13, 4, 17, 8, 21}));
  t.diagonal().fill_(-1);
  EXPECT_EQ(t.slice(1, 0, 2).to_vector<std::int32_t>(), (Ints{-1, 1, 4, -1, 8, 9}));
  EXPECT_INVALID(t.diagonal(0, 1, -1), "[diagonal]", "two dimensions, got 1 twice");
  EXPECT_INVALID(t[0].diagonal(), "[diagonal] dimension -2 is out of range");
}

TEST_P(ViewTest, ExpandsWithoutCopying) {
  const Tensor t = counted({2, 1}), wide = t.expand({3, 2, 2});
  EXPECT_EQ(wide.strides(), (Shape{0, 1, 0}));
  EXPECT_EQ(wide.to_vector<float>(), (Floats{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(t.expand({-1, 4}).shape(), (Shape{2, 4}));
  EXPECT_EQ(t.expand({2, 0}).num_elements(), 0);
  EXPECT_ERROR(t.expand({3, 1}), kShapeMismatch, "got [3, 1] for a tensor of shape [2, 1]");
  EXPECT_ERROR(t.expand({2}), kShapeMismatch, "[expand]");
  EXPECT_INVALID(t.expand({-1, 2, 1}), "[expand] a new dimension has no extent to keep",
                 "expected 0 or more in dimension 0, got -1 in [-1, 2, 1] (tensor: f32 [2, 1]" +
                     on_ + "). -1 keeps the extent of a dimension that the tensor has.");
  EXPECT_ERROR(t.expand({INT64_MAX, 2, 2}), kOverflow, "[expand]");
}

TEST_P(ViewTest, SqueezesAndUnsqueezes) {
  const Tensor t = counted({2, 3});
  EXPECT_EQ(t.unsqueeze(0).shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(t.unsqueeze(-1).shape(), (Shape{2, 3, 1}));
  EXPECT_TRUE(t.unsqueeze(1).is_contiguous());
  EXPECT_EQ(t.unsqueeze(1).squeeze(1).shape(), t.shape());
  EXPECT_TRUE(t.squeeze(0).is_same(t));
  EXPECT_INVALID(t.unsqueeze(4), "expected -3 to 2");
  EXPECT_INVALID(t.squeeze(2), "[squeeze]");
  const Tensor full_rank = zeros({1, 1, 1, 1, 1, 1, 1, 1}, device_);
  EXPECT_INVALID(full_rank.unsqueeze(0),
                 "[unsqueeze] too many dimensions: expected a tensor of rank 7 at most, got 8");
}

TEST_P(ViewTest, ViewsCutRunsOfElementsAnew) {
  const Tensor t = counted({4, 6});
  EXPECT_EQ(t.view({2, -1, 3}).shape(), (Shape{2, 4, 3}));
  EXPECT_EQ(t.slice(0, 1, 3).view({12}).to_vector<float>()[0], 6);
  const Tensor columns = t.slice(1, 0, 4);  // rows of 4, 6 apart
  EXPECT_EQ(columns.view({2, 2, 1, 2, 2}).strides(), (Shape{12, 6, 4, 2, 1}));
  EXPECT_EQ(columns.view({4, 1, 4}).to_vector<float>(), columns.to_vector<float>());
  EXPECT_EQ(t.slice(1, 0, 6, 2).view({12}).strides(), Shape{2});
  EXPECT_EQ(t.t().view({2, 3, 4}).strides(), (Shape{3, 1, 6}));
  EXPECT_ERROR(columns.view({16}), kShapeMismatch, "the strides allow no view");
  EXPECT_ERROR(t.t().view({24}), kShapeMismatch, "Use reshape");
}

TEST_P(ViewTest, ViewsKeepTheNumberOfElements) {
  const Tensor t = counted({2, 3});
  EXPECT_ERROR(t.view({4}), kShapeMismatch, "expected a shape of 6 elements, got [4]");
  EXPECT_ERROR(t.view({-1, 4}), kShapeMismatch, "[-1, 4]");
  EXPECT_ERROR(t.view({-1, -1}), kShapeMismatch, "[-1, -1]");
  EXPECT_INVALID(t.view({-2, 3}), "negative extent");
  EXPECT_ERROR(t.reshape({INT64_MAX, 2}), kOverflow, "[reshape]");
  const Tensor none = zeros({0, 3}, device_);
  EXPECT_EQ(none.view({5, 0}).shape(), (Shape{5, 0}));
  EXPECT_ERROR(none.view({-1, 0}), kShapeMismatch, "[view]");
  EXPECT_EQ(counted({1}).view({}).rank(), 0);
  EXPECT_EQ(counted({1})[0].view({1, 1}).shape(), (Shape{1, 1}));
}

TEST_P(ViewTest, ReshapeCopiesOnlyWhereItMust) {
  const Tensor t = counted({2, 3});
  EXPECT_EQ(t.reshape({3, 2}).buffer(), t.buffer());
  const Tensor copied = t.t().reshape({6});
  EXPECT_FALSE(copied.buffer() == t.buffer());
  EXPECT_EQ(copied.to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(copied.device(), device_);
}

TEST_P(ViewTest, ContiguousIsItselfOrACopyOnTheDevice) {
  const Tensor t = counted({2, 3});
  EXPECT_TRUE(t.contiguous().is_same(t));
  const std::uint64_t before = num_copies(device_.name(), device_.name());
  const Tensor packed = t.t().contiguous();
  EXPECT_TRUE(packed.is_contiguous());
  EXPECT_EQ(num_copies(device_.name(), device_.name()), before + 1);
  EXPECT_EQ(packed.to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
}

TEST_P(ViewTest, AWriteThroughOneIsSeenThroughTheOther) {
  const Tensor t = zeros({3, 3}, device_);
  t.t()[1].slice(0, 0, 3, 2).fill_(5);
  EXPECT_EQ(t.to_vector<float>(), (Floats{0, 5, 0, 0, 0, 0, 0, 5, 0}));
  t.fill_(1);
  EXPECT_EQ(t.view({9})[8].item<float>(), 1);
}

TEST_P(ViewTest, CloneIsNewStorage) {
  const Tensor t = counted({2, 3});
  for (const Tensor& source : {t, t.t(), t.slice(1, 1)}) {
    const Tensor copy = source.clone();
    EXPECT_TRUE(copy.is_contiguous());
    EXPECT_EQ(copy.to_vector<float>(), source.to_vector<float>());
    copy.fill_(-1);
  }
  EXPECT_EQ(t.to_vector<float>(), (Floats{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace patchbay::test
