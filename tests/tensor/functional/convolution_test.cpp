// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What operands and options of convolutions mean, and what is refused. Values in all dtypes and
// steps: tests/operators/window_cases.cpp.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class ConvolutionTest : public DeviceTest {
 protected:
  Tensor counted(const Shape& shape) const {
    return arange(0, num_elements(shape), 1, {DType::f32, device_}).view(shape);
  }
};
PATCHBAY_ON_EACH_DEVICE(ConvolutionTest);

TEST_P(ConvolutionTest, SumsTheProductsUnderEachWindow) {
  const Tensor x = counted({1, 1, 3, 3}), weight = counted({1, 1, 2, 2});
  EXPECT_EQ(conv2d(x, weight).to_vector<float>(), (Floats{19, 25, 37, 43}));
  const Tensor bias = floats({0.5F});
  EXPECT_EQ(conv2d(x, weight, bias, {.stride = 2}).to_vector<float>(), (Floats{19.5}));
  EXPECT_EQ(conv2d(x, weight, {}, {.padding = {1, 0}}).shape(), Shape({1, 1, 4, 2}));
  const Tensor row = conv1d(counted({1, 4}), counted({1, 1, 2}), bias);
  EXPECT_EQ(row.shape(), Shape({1, 3}));
  EXPECT_EQ(row.to_vector<float>(), (Floats{1.5, 2.5, 3.5}));
}

TEST_P(ConvolutionTest, TransposedPutsTheKernelAtEachPlace) {
  const Tensor x = counted({1, 1, 2, 2}), weight = ones({1, 1, 2, 2}, {DType::f32, device_});
  const Tensor apart = conv_transpose2d(x, weight, {}, {.stride = 2});
  EXPECT_EQ(apart.to_vector<float>(), (Floats{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3}));
  const Tensor longer = conv_transpose1d(counted({1, 2}), ones({1, 1, 2}, {DType::f32, device_}),
                                         {}, {.stride = 2, .output_padding = 1});
  EXPECT_EQ(longer.to_vector<float>(), (Floats{0, 0, 1, 1, 0}));
}

/// Images without n, and operands that are not contiguous.
/// More than a stride, where the dilation is larger.
TEST_P(ConvolutionTest, TransposedPadsItsResult) {
  const Tensor x = from_host<float>({1, 1}, {1, 1, 2}, device_);
  const Tensor w = from_host<float>({1, 10}, {1, 1, 2}, device_);
  EXPECT_EQ(conv_transpose1d(x, w, {}, {.output_padding = 1, .dilation = 2}).to_vector<float>(),
            (Floats{1, 1, 10, 10, 0}));
  const Tensor image = from_host<float>({1, 2}, {1, 1, 1, 2}, device_).requires_grad_();
  const Tensor corner = from_host<float>({1, 0, 0, 3}, {1, 1, 2, 2}, device_);
  const Tensor y = conv_transpose2d(image, corner, {}, {.output_padding = {2, 1}, .dilation = 3});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 6, 6}));
  sum(y).backward();
  EXPECT_EQ(image.grad().to_vector<float>(), (Floats{4, 4}));
}

TEST_P(ConvolutionTest, HasGradientsOfAnEmptyBatch) {
  const Tensor x = zeros({0, 4, 5}, device_).requires_grad_();
  const Tensor w = ones({4, 4, 3}, device_).requires_grad_();
  sum(conv1d(x, w)).backward();
  EXPECT_EQ(w.grad().to_vector<float>(), Floats(48, 0));
  EXPECT_EQ(x.grad().shape(), (Shape{0, 4, 5}));
}

TEST_P(ConvolutionTest, TakesOperandsInOtherForms) {
  const Tensor x = counted({2, 3, 5, 4}), weight = counted({4, 3, 2, 2});
  const Floats expected = conv2d(x, weight).to_vector<float>();
  const Tensor turned = x.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2});
  EXPECT_EQ(conv2d(turned, weight.transpose(2, 3).contiguous().transpose(2, 3)).to_vector<float>(),
            expected);
  const Tensor one = conv2d(x[1], weight);
  EXPECT_EQ(one.shape(), Shape({4, 4, 3}));
  EXPECT_EQ(
      one.to_vector<float>(),
      Floats(expected.begin() + static_cast<std::ptrdiff_t>(expected.size() / 2), expected.end()));
}

/// As many as libraries multiply. The values are whole numbers, whose sums are exact.
TEST_P(ConvolutionTest, SumsManyChannels) {
  const auto whole = [](const Shape& shape, const Device& device) {
    return remainder(arange(0, num_elements(shape), 1, {DType::f32, device}) * 7, 11).view(shape) -
           5;
  };
  const auto compute = [&](const Device& device, const Shape& filters,
                           const Conv2dOptions& options) {
    const Tensor x = whole({3, 16, 9, 10}, device).requires_grad_();
    const Tensor w = whole(filters, device).requires_grad_(), y = conv2d(x, w, {}, options);
    y.backward(whole(y.shape(), device));
    return std::vector{y.to_vector<float>(), x.grad().to_vector<float>(),
                       w.grad().to_vector<float>()};
  };
  const Device cpu("cpu:0");
  const std::vector<std::pair<Shape, Conv2dOptions>> cases = {
      {{24, 16, 1, 1}, {}},
      {{24, 8, 1, 1}, {.groups = 2}},
      {{24, 16, 3, 3}, {.padding = 1}},
      {{24, 8, 3, 2}, {.stride = 2, .padding = 1, .dilation = {1, 2}, .groups = 2}},
      {{16, 1, 3, 3}, {.padding = 1, .groups = 16}}};
  for (const auto& [filters, options] : cases) {
    EXPECT_EQ(compute(device_, filters, options), compute(cpu, filters, options))
        << to_string(filters);
  }
}

/// The bias of f16 is added to the rounded sum.
TEST_P(ConvolutionTest, KeepsTheDtype) {
  if (!device_.properties().f64) GTEST_SKIP() << "the device has no f64";
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16}) {
    const Tensor x = counted({1, 2, 3, 3}).cast(dtype), weight = counted({2, 2, 1, 1}).cast(dtype);
    const Tensor y = conv2d(x, weight, ones({2}, {dtype, device_}));
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(y.cast(DType::f32).to_vector<float>()[0], 10);
  }
}

struct Refusal {
  std::function<Tensor(const Tensor& x, const Tensor& weight)> call;  // [2, 4, 5, 6], [6, 2, 3, 3]
  ErrorCode code;
  std::string message;
};

std::vector<Refusal> refusals() {
  const std::string both = " (x: f32 [2, 4, 5, 6] on cpu:0; weight: f32 [6, 2, 3, 3] on cpu:0)";
  return {
      {[](const Tensor& x, const Tensor&) { return conv2d(x, {}); }, kInvalidArgument,
       "[conv2d] weight is undefined"},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x[0][0], w); }, kShapeMismatch,
       "[conv2d] x has the wrong shape: expected [n, c, h, w], or the same without n, got [5, 6] "
       "(x: f32 [5, 6] on cpu:0). Reshape it."},
      {[](const Tensor& x, const Tensor& w) { return conv1d(x, w); }, kShapeMismatch,
       "[conv1d] x has the wrong shape: expected [n, c, l], or the same without n, got"},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x, w[0]); }, kShapeMismatch,
       "[conv2d] weight has the wrong shape: expected rank 4, got [2, 3, 3]"},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x, w); }, kShapeMismatch,
       "[conv2d] the weight does not fit x: expected x of shape [n, c, h, w] with 2 channels, got "
       "4" +
           both + ". Pass a weight [out, c / groups, h, w], or another number of groups."},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x, w, {}, {.groups = 4}); },
       kShapeMismatch,
       "[conv2d] the weight does not fit its groups: expected a first dimension that 4 divides, "
       "got 6" +
           both},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x, w, x[0][0][0][0], {.groups = 2}); },
       kShapeMismatch,
       "[conv2d] bias has the wrong shape: expected [6], an element for each channel of the "
       "result, got [] (x: f32 [2, 4, 5, 6] on cpu:0; bias: f32 [] on cpu:0)"},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x.cast(DType::f64), w); },
       kDtypeMismatch, "[conv2d] "},
      {[](const Tensor& x, const Tensor& w) {
         return conv2d(x.cast(DType::i32), w.cast(DType::i32));
       },
       kDtypeMismatch, "[conv2d] is not defined for i32: expected one of f32, f64, f16, bf16"},
      {[](const Tensor& x, const Tensor& w) {
         return conv2d(x, w, {}, {.stride = {1, 0}});
       },
       kInvalidArgument,
       "[conv2d] stride is out of range: expected 1 to 2147483647, got 0 (x: f32 [2, 4, 5, 6] on "
       "cpu:0). Pass another number."},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x, w, {}, {.padding = -1}); },
       kInvalidArgument, "[conv2d] padding is out of range: expected 0 to 2147483647, got -1"},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x, w, {}, {.dilation = 0}); },
       kInvalidArgument, "[conv2d] dilation is out of range"},
      {[](const Tensor& x, const Tensor& w) { return conv2d(x, w, {}, {.groups = 0}); },
       kInvalidArgument, "[conv2d] groups is out of range"},
      {[](const Tensor& x, const Tensor& w) {
         return conv2d(x, w, {}, {.dilation = 3, .groups = 2});
       },
       kShapeMismatch,
       "[conv2d] the kernel is larger than x: expected an extent of at least 7, got 5 with the "
       "padding" +
           both},
      {[](const Tensor& x, const Tensor& w) { return conv_transpose2d(x, w); }, kShapeMismatch,
       "[conv_transpose2d] the weight does not fit x: expected x of shape [n, c, h, w] with 6 "
       "channels, got 4"},
      {[](const Tensor& x, const Tensor& w) {
         return conv_transpose2d(x, w.slice(0, 0, 4), {}, {.output_padding = 1});
       },
       kInvalidArgument,
       "[conv_transpose2d] output_padding is too large: expected less than the stride, 1, or the "
       "dilation, 1, got 1"},
      {[](const Tensor& x, const Tensor& w) {
         return conv_transpose2d(x, w.slice(0, 0, 4), {}, {.padding = 9});
       },
       kShapeMismatch,
       "[conv_transpose2d] the result has no elements: expected an extent of at least 1, got -11"},
  };
}

TEST(ConvolutionRefusals, SayWhatIsExpected) {
  const Device cpu = test_device("cpu:0");
  const Tensor x = ones({2, 4, 5, 6}, cpu), weight = ones({6, 2, 3, 3}, cpu);
  for (const Refusal& one : refusals()) EXPECT_ERROR(one.call(x, weight), one.code, one.message);
}

TEST(ConvolutionRefusals, NameBothDevices) {
  const Tensor x = ones({1, 1, 2, 2}, test_device("cpu:0"));
  EXPECT_ERROR(conv2d(x, ones({1, 1, 1, 1}, test_device("fake:0"))), kDeviceMismatch, "fake:0");
}

/// Not as the image of one row that the weight becomes.
TEST(ConvolutionRefusals, ShowTheWeightOfASignalAsItIs) {
  const Device cpu = test_device("cpu:0");
  const Tensor x = ones({1, 4, 3}, cpu);
  const auto text = [&](const std::string& weight) {
    return " (x: f32 [1, 4, 3] on cpu:0; weight: f32 " + weight + " on cpu:0)";
  };
  const auto weight = [&](const Shape& shape) { return ones(shape, cpu); };
  EXPECT_ERROR(conv1d(x, weight({3, 2, 2})), kShapeMismatch, "[conv1d] the weight does not fit x",
               "expected x of shape [n, c, l] with 2 channels, got 4" + text("[3, 2, 2]") +
                   ". Pass a weight [out, c / groups, l], or another number of groups.");
  EXPECT_ERROR(conv1d(x, weight({3, 2, 2}), {}, {.groups = 2}), kShapeMismatch,
               "[conv1d] the weight does not fit its groups: expected a first dimension that 2 "
               "divides, got 3" +
                   text("[3, 2, 2]") + ". Pass another number of groups.");
  EXPECT_ERROR(conv1d(x, weight({3, 4, 5})), kShapeMismatch, "[conv1d] the kernel is larger than x",
               "expected an extent of at least 5, got 3 with the padding" + text("[3, 4, 5]"));
  EXPECT_ERROR(conv_transpose1d(x, weight({3, 2, 2})), kShapeMismatch,
               "[conv_transpose1d] the weight does not fit x",
               "expected x of shape [n, c, l] with 3 channels, got 4" + text("[3, 2, 2]") +
                   ". Pass a weight [c, out / groups, l], or another number of groups.");
}

}  // namespace
}  // namespace patchbay::test
