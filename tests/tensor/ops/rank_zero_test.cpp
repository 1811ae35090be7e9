// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A tensor of rank 0 counts as one of rank 1 with one element where a function takes a dimension.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class RankZero : public DeviceTest {
 protected:
  Tensor number(double value) const { return full({}, value, device_); }
  void expect(const Tensor& result, float value) const {
    EXPECT_EQ(result.shape(), Shape{});
    EXPECT_FLOAT_EQ(result.item<float>(), value);
  }
};
PATCHBAY_ON_EACH_DEVICE(RankZero);

TEST_P(RankZero, IsReducedAlongItsOneDimension) {
  const Tensor x = number(3);
  for (const int dim : {0, -1}) {
    SCOPED_TRACE(dim);
    for (const bool keep : {false, true}) {
      expect(sum(x, dim, keep), 3);
      expect(mean(x, dim, keep), 3);
      expect(max(x, dim, keep), 3);
      expect(min(x, dim, keep), 3);
      expect(norm(x, 2, dim, keep), 3);
      expect(sum_squares(x, dim, keep), 9);
      EXPECT_EQ(argmax(x, dim, keep).item<std::int64_t>(), 0);
      EXPECT_EQ(argmin(x, dim, keep).shape(), Shape{});
    }
    expect(sum(x, {0}), 3);
    expect(softmax(x, dim), 1);
    expect(log_softmax(x, dim), 0);
    expect(cumsum(x, dim), 3);
    expect(x.squeeze(dim), 3);
    expect(x.transpose(dim, 0), 3);
  }
  EXPECT_INVALID(sum(x, 1), "-1 to 0 for rank 0");
  EXPECT_INVALID(softmax(x, -2), "-1 to 0 for rank 0");
  EXPECT_INVALID(x.select(0, 0), "none for rank 0");
}

TEST_P(RankZero, IsLookedUpAndAddedTo) {
  const Tensor x = number(3), index = full({}, 0, {DType::i64, device_}), row = floats({5, 6, 7});
  expect(gather(x, 0, index), 3);
  expect(index_select(x, -1, index), 3);
  expect(scatter_add(x, 0, index, number(4)), 7);
  const Tensor place = full({}, 2, {DType::i64, device_});
  expect(gather(row, 0, place), 7);
}

TEST_P(RankZero, HasGradients) {
  using Function = std::function<Tensor(const Tensor&)>;
  const Tensor index = full({}, 0, {DType::i64, device_});
  const struct {
    const char* name;
    Function function;
    float gradient;
  } cases[] = {
      {"sum", [](const Tensor& x) { return sum(x, 0); }, 1},
      {"mean", [](const Tensor& x) { return mean(x, -1); }, 1},
      {"max", [](const Tensor& x) { return max(x, 0); }, 1},
      {"norm", [](const Tensor& x) { return norm(x, 2, 0); }, 1},
      {"softmax", [](const Tensor& x) { return softmax(x, 0); }, 0},
      {"cumsum", [](const Tensor& x) { return cumsum(x, 0); }, 1},
      {"gather", [&](const Tensor& x) { return gather(x, 0, index); }, 1},
      {"index_select", [&](const Tensor& x) { return index_select(x, 0, index); }, 1},
      {"squeeze", [](const Tensor& x) { return x.squeeze(0); }, 1},
      {"transpose", [](const Tensor& x) { return x.transpose(0, -1); }, 1},
  };
  for (const auto& [name, function, gradient] : cases) {
    SCOPED_TRACE(name);
    const Tensor x = number(3).requires_grad_();
    function(x).backward();
    expect(x.grad(), gradient);
  }
}

TEST_P(RankZero, PermuteTakesAnyRangeOfIntegers) {
  const Tensor x = arange(0, 6, 1, {DType::f32, device_}).view({2, 3});
  const std::vector<int> swapped = {1, 0};
  const Longs same = {0, -1};
  EXPECT_EQ(x.permute(swapped).shape(), (Shape{3, 2}));
  EXPECT_EQ(x.permute(std::span<const std::int64_t>(same)).shape(), (Shape{2, 3}));
  EXPECT_EQ(x.permute({1, 0}).contiguous().to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(number(3).permute(std::vector<int>()).shape(), Shape{});
  EXPECT_INVALID(x.permute(std::vector<int>{0}), "[permute]");
}

TEST_P(RankZero, LinearTakesAVectorAsWeight) {
  const Tensor x = from_host<float>({1, 2, 3, 4, 5, 6}, {2, 3}, device_).requires_grad_();
  const Tensor weight = leaf({1, 0, 2}), bias = number(10).requires_grad_();
  const Tensor y = linear(x, weight, bias);
  EXPECT_EQ(y.shape(), (Shape{2}));
  EXPECT_EQ(y.to_vector<float>(), (Floats{17, 26}));
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 0, 2, 1, 0, 2}));
  EXPECT_EQ(weight.grad().to_vector<float>(), (Floats{5, 7, 9}));
  expect(bias.grad(), 2);
  expect(linear(x.detach().select(0, 0), weight.detach()), 7);
  EXPECT_ERROR(linear(x, ones({2}, device_)), kShapeMismatch,
               "[linear] the weight does not fit x: expected x of shape [..., 2]");
  EXPECT_ERROR(linear(x, ones({3}, device_), ones({1}, device_)), kShapeMismatch,
               "[linear] the bias does not fit the weight");
}

}  // namespace
}  // namespace patchbay::test
