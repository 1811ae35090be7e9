// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolution, pooling and normalization layers against the functions that they call.
#include <cmath>

#include <patchbay/nn/containers.h>
#include <patchbay/nn/convolution.h>
#include <patchbay/nn/normalization.h>
#include <patchbay/nn/pooling.h>

#include "nn/nets.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class ConvolutionLayerTest : public DeviceTest {
 protected:
  Tensor image(const Shape& shape) const { return randn(shape, device_, Generator(7)); }
};
PATCHBAY_ON_EACH_DEVICE(ConvolutionLayerTest);

TEST_P(ConvolutionLayerTest, ConvolvesImages) {
  nn::Conv2d layer(4, 6, {3, 2}, {.stride = 2, .padding = 1, .groups = 2, .tensor = device_});
  EXPECT_EQ(layer.weight->shape(), (Shape{6, 2, 3, 2}));
  EXPECT_EQ(layer.bias->shape(), (Shape{6}));
  for (const float value : layer.weight->to_vector<float>()) {
    EXPECT_LE(std::abs(value), 1 / std::sqrt(12.0F));
  }
  EXPECT_EQ(layer.details(), "4, 6, 3x2, stride 2, padding 1, groups 2");
  const Tensor x = image({2, 4, 5, 5});
  expect_equal(layer(x),
               conv2d(x, layer.weight, layer.bias, {.stride = 2, .padding = 1, .groups = 2}));
  nn::Conv2d plain(1, 1, 1, {.bias = false, .tensor = device_});
  EXPECT_EQ(names_of(plain.named_parameters()), Names{"weight"});
  EXPECT_EQ(plain.details(), "1, 1, 1, no bias");
  EXPECT_EQ(plain(image({1, 4, 4})).shape(), (Shape{1, 4, 4}));
}

TEST_P(ConvolutionLayerTest, LearnsItsChannels) {
  nn::Sequential net(nn::LazyConv2d(3, 3, {.tensor = device_}),
                     nn::LazyConv2d(2, 1, {.tensor = device_}));
  EXPECT_EQ(net[0].details(), "?, 3, 3");
  EXPECT_EQ(net(image({2, 5, 4, 4})).shape(), (Shape{2, 2, 2, 2}));
  EXPECT_EQ(net.parameter("0.weight")->shape(), (Shape{3, 5, 3, 3}));
  EXPECT_EQ(net.parameter("1.weight")->shape(), (Shape{2, 3, 1, 1}));
  nn::LazyConv2d lazy(3, 3, {.tensor = device_});
  EXPECT_INVALID(lazy(image({5, 4})), "it has no shape yet");
}

TEST_P(ConvolutionLayerTest, EveryLazyLayerLearns) {
  nn::LazyConv1d one(3, 2, {.groups = 2, .tensor = test_device("cpu:0")});
  EXPECT_INVALID(one(image({4, 9}).to(test_device("cpu:0"))),
                 "[Conv1d] wrong groups: expected a divisor of 4 and 3 channels, got 2");
  nn::LazyConv1d signal(4, 2, {.groups = 2, .tensor = test_device("cpu:0")});
  signal.move_to(device_);
  EXPECT_EQ(signal(image({1, 6, 9})).shape(), (Shape{1, 4, 8}));
  EXPECT_EQ(signal.weight->shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(signal.details(), "6, 4, 2, groups 2");
  nn::LazyConvTranspose2d up(2, 3, {.stride = 2, .tensor = device_});
  EXPECT_EQ(up(image({5, 3, 3})).shape(), (Shape{2, 7, 7}));
  EXPECT_EQ(up.weight->shape(), (Shape{5, 2, 3, 3}));
  EXPECT_EQ(up.details(), "5, 2, 3, stride 2");
  nn::LazyConvTranspose1d longer(2, 3, {.stride = 2, .tensor = device_});
  EXPECT_EQ(longer(image({5, 3})).shape(), (Shape{2, 7}));
  EXPECT_EQ(longer.type_name(), "LazyConvTranspose1d");
  nn::LazyBatchNorm1d norm({.tensor = {test_device("cpu:0"), DType::bf16}});
  EXPECT_EQ(norm.details(), "?");
  norm.move_to(device_);
  EXPECT_EQ(norm(image({4, 3}).cast(DType::bf16)).shape(), (Shape{4, 3}));
  EXPECT_EQ(norm.details(), "3");
  EXPECT_EQ(norm.running_var.dtype(), DType::f32);
  EXPECT_EQ(norm.running_var.device(), device_);
  EXPECT_FALSE(norm.running_mean->requires_grad());
  EXPECT_TRUE(norm.weight->requires_grad());
  nn::BatchNorm known(3, {.tensor = device_});
  nn::LazyBatchNorm lazy({.tensor = device_});
  const Tensor x = image({4, 3, 2});
  expect_equal(lazy(x), known(x));
  expect_equal(lazy.running_var, known.running_var);
}

TEST_P(ConvolutionLayerTest, TransposesSequences) {
  nn::ConvTranspose1d layer(4, 2, 3, {.stride = 2, .output_padding = 1, .tensor = device_});
  EXPECT_EQ(layer.weight->shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(layer.details(), "4, 2, 3, stride 2");
  const Tensor x = image({1, 4, 3});
  expect_equal(layer(x),
               conv_transpose1d(x, layer.weight, layer.bias, {.stride = 2, .output_padding = 1}));
}

TEST_P(ConvolutionLayerTest, PoolsSignals) {
  const Tensor x = image({1, 2, 9}), y = image({1, 2, 6, 6});
  nn::MaxPool1d most(3, {.stride = 2, .padding = 1});
  expect_equal(most(x), max_pool1d(x, 3, {.stride = 2, .padding = 1}));
  EXPECT_EQ(most.details(), "3, stride 2, padding 1");
  nn::AvgPool1d mean(2);
  expect_equal(mean(x), avg_pool1d(x, 2));
  EXPECT_EQ(mean.details(), "2, stride 2");
  expect_equal(nn::AdaptiveAvgPool1d(4)(x), adaptive_avg_pool1d(x, 4));
  expect_equal(nn::AdaptiveMaxPool1d(4)(x), adaptive_max_pool1d(x, 4));
  EXPECT_EQ(nn::AdaptiveMaxPool1d(4).details(), "4");
  expect_equal(nn::AdaptiveMaxPool2d({4, 1})(y), adaptive_max_pool2d(y, {4, 1}));
  EXPECT_EQ(nn::AdaptiveMaxPool2d({4, 1}).details(), "4x1");
}

TEST_P(ConvolutionLayerTest, NormalizesInstances) {
  const Tensor x = image({2, 3, 5});
  nn::InstanceNorm1d plain(3, {.tensor = device_});
  EXPECT_TRUE(plain.parameters().empty());
  EXPECT_EQ(plain.details(), "3");
  expect_equal(plain(x), group_norm(x, 3));
  nn::InstanceNorm2d layer(3, {.affine = true, .tensor = device_});
  EXPECT_EQ(layer.parameters().size(), 2U);
}

TEST_P(ConvolutionLayerTest, ConvolvesSequences) {
  nn::Conv1d layer(2, 3, 3, {.padding = 1, .dilation = 2, .tensor = device_});
  EXPECT_EQ(layer.weight->shape(), (Shape{3, 2, 3}));
  EXPECT_EQ(layer.details(), "2, 3, 3, padding 1, dilation 2");
  const Tensor x = image({2, 2, 9});
  expect_equal(layer(x), conv1d(x, layer.weight, layer.bias, {.padding = 1, .dilation = 2}));
}

TEST_P(ConvolutionLayerTest, Transposes) {
  nn::ConvTranspose2d layer(4, 2, 3, {.stride = 2, .output_padding = 1, .tensor = device_});
  EXPECT_EQ(layer.weight->shape(), (Shape{4, 2, 3, 3}));
  EXPECT_EQ(layer.details(), "4, 2, 3, stride 2");
  for (const float value : layer.weight->to_vector<float>()) {
    EXPECT_LE(std::abs(value), 1 / std::sqrt(18.0F));
  }
  const Tensor x = image({1, 4, 3, 3});
  expect_equal(layer(x),
               conv_transpose2d(x, layer.weight, layer.bias, {.stride = 2, .output_padding = 1}));
}

TEST_P(ConvolutionLayerTest, Pools) {
  const Tensor x = image({1, 2, 6, 6});
  nn::MaxPool2d most(3, {.stride = 2, .padding = 1});
  expect_equal(most(x), max_pool2d(x, 3, {.stride = 2, .padding = 1}));
  EXPECT_EQ(most.details(), "3, stride 2, padding 1");
  nn::AvgPool2d mean(2);
  expect_equal(mean(x), avg_pool2d(x, 2));
  EXPECT_EQ(mean.details(), "2, stride 2");
  nn::AdaptiveAvgPool2d adaptive({1, 2});
  expect_equal(adaptive(x), adaptive_avg_pool2d(x, {1, 2}));
  EXPECT_EQ(adaptive.details(), "1x2");
}

TEST_P(ConvolutionLayerTest, NormalizesBatches) {
  nn::BatchNorm2d layer(3, {.tensor = device_});
  EXPECT_EQ(names_of(layer.named_parameters()), (Names{"weight", "bias"}));
  EXPECT_EQ(names_of(layer.named_buffers()), (Names{"running_mean", "running_var"}));
  EXPECT_EQ(layer.weight->to_vector<float>(), (Floats{1, 1, 1}));
  const Tensor x = image({4, 3, 2, 2}) * 3 + 5, mean = zeros({3}, device_),
               var = ones({3}, device_);
  const BatchNormOptions training = {.running_mean = mean, .running_var = var, .training = true};
  expect_equal(layer(x), batch_norm(x, training));
  expect_equal(layer.running_mean, mean);
  expect_equal(layer.running_var, var);
  layer.eval();
  expect_equal(layer(x), batch_norm(x, {.running_mean = mean, .running_var = var}));
  expect_equal(layer.running_mean, mean);
  nn::BatchNorm bare(3, {.affine = false, .track_running = false, .tensor = device_});
  EXPECT_TRUE(bare.parameters().empty());
  bare.eval();
  expect_equal(bare(x), batch_norm(x, {.training = true}));
  nn::BatchNorm half(3, {.tensor = {device_, DType::bf16}});
  EXPECT_EQ(half.weight.dtype(), DType::bf16);
  EXPECT_EQ(half.running_mean.dtype(), DType::f32);
  EXPECT_EQ(half(x.cast(DType::bf16)).dtype(), DType::bf16);
}

TEST_P(ConvolutionLayerTest, NormalizesLayersAndGroups) {
  const Tensor x = image({2, 6, 5});
  nn::LayerNorm layer({6, 5}, {.tensor = device_});
  EXPECT_EQ(layer.weight->shape(), (Shape{6, 5}));
  EXPECT_EQ(layer.details(), "[6, 5]");
  expect_equal(layer(x), layer_norm(x, {6, 5}, ones({6, 5}, device_), zeros({6, 5}, device_)));
  nn::LayerNorm no_bias({5}, {.bias = false, .tensor = device_});
  EXPECT_EQ(names_of(no_bias.named_parameters()), Names{"weight"});
  nn::GroupNorm groups(3, 6, {.tensor = device_});
  EXPECT_EQ(groups.details(), "3, 6");
  expect_equal(groups(x), group_norm(x, 3, ones({6}, device_), zeros({6}, device_)));
  nn::RMSNorm root({5}, {.tensor = device_});
  expect_equal(root(x), rms_norm(x, {5}, ones({5}, device_)));
}

TEST_P(ConvolutionLayerTest, MovesWithItsBuffers) {
  nn::BatchNorm layer(2, {.tensor = test_device("cpu:0")});
  layer.move_to(device_);
  EXPECT_EQ(layer.running_var.device(), device_);
  EXPECT_EQ(layer(image({3, 2})).device(), device_);
}

TEST(ConvolutionLayers, RefuseWrongSizes) {
  EXPECT_INVALID(nn::Conv2d(3, 4, 3, {.groups = 2}),
                 "[Conv2d] wrong groups: expected a divisor of 3 and 4 channels, got 2");
  EXPECT_INVALID(nn::Conv2d(3, 4, -1),
                 "[Conv2d] a wrong size: expected kernel height >= 1, got -1");
  EXPECT_INVALID(nn::Conv2d(3, 4, 3, {.stride = {1, 0}}),
                 "[Conv2d] a wrong size: expected stride width >= 1, got 0");
  EXPECT_INVALID(nn::Conv1d(3, 4, 0), "[Conv1d] a wrong size: expected kernel >= 1, got 0");
  EXPECT_INVALID(nn::ConvTranspose2d(3, 4, 3, {.padding = -1}),
                 "[ConvTranspose2d] a wrong size: expected padding height >= 0, got -1");
  EXPECT_INVALID(nn::LazyConv2d(4, 3, {.dilation = 0}), "expected dilation height >= 1, got 0");
  EXPECT_INVALID(nn::Conv1d(2, 2, 1, {.groups = 0}), "[Conv1d] wrong groups");
  // Without weights, too, which would show the difference.
  const Tensor x = zeros({2, 6, 8});
  EXPECT_ERROR(nn::InstanceNorm(3)(x), ErrorCode::kShapeMismatch,
               "[InstanceNorm] the input has another number of channels: expected [n, 3, ...], got "
               "[2, 6, 8]. Layer: InstanceNorm.");
  EXPECT_ERROR(nn::GroupNorm(2, 4, {.affine = false})(x), ErrorCode::kShapeMismatch,
               "[GroupNorm] the input has another number of channels: expected [n, 4, ...]");
  EXPECT_ERROR(nn::BatchNorm(3, {.affine = false, .track_running = false})(x),
               ErrorCode::kShapeMismatch,
               "[BatchNorm] the input has another number of channels: expected [n, 3, ...]");
  EXPECT_INVALID(nn::GroupNorm(4, 6),
                 "[GroupNorm] wrong groups: expected a divisor of 6 channels, got 4");
  EXPECT_INVALID(nn::BatchNorm(-2), "[BatchNorm] a wrong size: expected channels >= 0, got -2");
}

}  // namespace
}  // namespace patchbay::test
