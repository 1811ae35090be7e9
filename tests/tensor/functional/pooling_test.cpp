// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What options of pooling mean, and what is refused. Values: tests/operators/window_cases.cpp.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class PoolingTest : public DeviceTest {
 protected:
  Tensor counted(const Shape& shape) const {
    return arange(0, num_elements(shape), 1, {DType::f32, device_}).view(shape);
  }
};
PATCHBAY_ON_EACH_DEVICE(PoolingTest);

TEST_P(PoolingTest, StepsByTheKernelUnlessToldOtherwise) {
  const Tensor x = counted({1, 1, 4, 4});
  EXPECT_EQ(max_pool2d(x, 2).to_vector<float>(), (Floats{5, 7, 13, 15}));
  EXPECT_EQ(avg_pool2d(x, 2).to_vector<float>(), (Floats{2.5, 4.5, 10.5, 12.5}));
  EXPECT_EQ(max_pool2d(x, {4, 1}).to_vector<float>(), (Floats{12, 13, 14, 15}));
  EXPECT_EQ(max_pool2d(x, 2, {.stride = 1}).shape(), Shape({1, 1, 3, 3}));
  EXPECT_EQ(max_pool2d_index(x, 2).to_vector<std::int64_t>(), (Longs{5, 7, 13, 15}));
}

TEST_P(PoolingTest, RoundsUpOnRequest) {
  const Tensor x = counted({1, 5});
  EXPECT_EQ(max_pool1d(x, 2).to_vector<float>(), (Floats{1, 3}));
  EXPECT_EQ(max_pool1d(x, 2, {.ceil = true}).to_vector<float>(), (Floats{1, 3, 4}));
  EXPECT_EQ(avg_pool1d(x, 2, {.ceil = true}).to_vector<float>(), (Floats{0.5, 2.5, 4}));
}

/// The maximum of negative numbers is not a zero of the padding.
TEST_P(PoolingTest, CountsThePaddingOnlyInMeans) {
  const Tensor x = full({1, 2}, -2, {DType::f32, device_});
  EXPECT_EQ(max_pool1d(x, 2, {.padding = 1}).to_vector<float>(), (Floats{-2, -2}));
  EXPECT_EQ(avg_pool1d(x, 2, {.padding = 1}).to_vector<float>(), (Floats{-1, -1}));
  EXPECT_EQ(avg_pool1d(x, 2, {.padding = 1, .counts_padding = false}).to_vector<float>(),
            (Floats{-2, -2}));
}

TEST_P(PoolingTest, EachWindowHasAnElement) {
  const Tensor x = counted({1, 1, 3, 1});
  const MaxPool2dOptions options{.stride = Pair(1, 1), .padding = {0, 1}, .dilation = {1, 2}};
  EXPECT_ERROR(max_pool2d(x, {1, 2}, options), kShapeMismatch, "[max_pool2d] a window",
               "expected an extent of at least the dilation, 2, got 1 (");
  EXPECT_EQ(max_pool2d(counted({1, 1, 1, 2}), {1, 2}, options).to_vector<float>(), (Floats{1, 0}));
}

TEST_P(PoolingTest, AdaptsToASize) {
  EXPECT_EQ(adaptive_avg_pool1d(counted({1, 5}), 2).to_vector<float>(), (Floats{1, 3}));
  EXPECT_EQ(adaptive_max_pool1d(counted({1, 5}), 3).to_vector<float>(), (Floats{1, 3, 4}));
  EXPECT_EQ(adaptive_avg_pool2d(counted({2, 3, 3}), 1).to_vector<float>(), (Floats{4, 13}));
}

struct Refusal {
  std::function<Tensor(const Tensor& x)> call;  // f32 [1, 2, 4, 5]
  ErrorCode code;
  std::string message;
};

TEST(PoolingRefusals, SayWhatIsExpected) {
  const Tensor x = ones({1, 2, 4, 5}, test_device("cpu:0"));
  const std::vector<Refusal> all = {
      {[](const Tensor&) { return max_pool2d({}, 2); }, kInvalidArgument,
       "[max_pool2d] x is undefined"},
      {[](const Tensor& a) { return max_pool1d(a, 2); }, kShapeMismatch,
       "[max_pool1d] x has the wrong shape: expected [n, c, l], or the same without n, got [1, 2, "
       "4, 5]"},
      {[](const Tensor& a) { return avg_pool2d(a.cast(DType::i64), 2); }, kDtypeMismatch,
       "[avg_pool2d] is not defined for i64"},
      {[](const Tensor& a) { return max_pool2d(a, 0); }, kInvalidArgument,
       "[max_pool2d] kernel is out of range: expected 1 to 2147483647, got 0"},
      {[](const Tensor& a) { return avg_pool2d(a, 2, {.stride = -1}); }, kInvalidArgument,
       "[avg_pool2d] stride is out of range"},
      {[](const Tensor& a) { return max_pool2d(a, 3, {.padding = 2}); }, kInvalidArgument,
       "[max_pool2d] padding is too large: expected at most half of the kernel, 1, got 2 (x: f32 "
       "[1, 2, 4, 5] on cpu:0). Pad x first."},
      {[](const Tensor& a) { return max_pool2d(a, 5); }, kShapeMismatch,
       "[max_pool2d] the window is larger than x: expected an extent of at least 5, got 4 with the "
       "padding (x: f32 [1, 2, 4, 5] on cpu:0). Pad x, or use a smaller kernel."},
      {[](const Tensor& a) {
         return adaptive_avg_pool2d(a, {1, 0});
       },
       kInvalidArgument, "[adaptive_avg_pool2d] size is out of range"},
      {[](const Tensor& a) { return adaptive_max_pool2d(a.slice(2, 0, 0), 1); }, kShapeMismatch,
       "[adaptive_max_pool2d] x has no elements to pool: expected extents of 1 or more, got [1, 2, "
       "0, 5]"},
  };
  for (const Refusal& one : all) EXPECT_ERROR(one.call(x), one.code, one.message);
}

}  // namespace
}  // namespace patchbay::test
