// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What layers compute, the values and shapes of their parameters, and their messages.
#include <cmath>

#include <patchbay/nn/activation.h>
#include <patchbay/nn/attention.h>
#include <patchbay/nn/containers.h>
#include <patchbay/nn/convolution.h>
#include <patchbay/nn/normalization.h>
#include <patchbay/nn/optimizer.h>
#include <patchbay/nn/recurrent.h>

#include "nn/nets.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class LayerTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(LayerTest);

TEST_P(LayerTest, LinearIsAProductAndASum) {
  nn::Linear layer(2, 3, {.tensor = device_});
  EXPECT_EQ(layer.weight->shape(), (Shape{3, 2}));
  EXPECT_EQ(layer.bias->shape(), (Shape{3}));
  const float limit = 1 / std::sqrt(2.0F);
  for (const float value : layer.weight->to_vector<float>()) EXPECT_LE(std::abs(value), limit);
  layer.weight.set(from_host(Floats{1, 2, 3, 4, 5, 6}, {3, 2}, device_));
  layer.bias.set(from_host(Floats{10, 20, -100}, {3}, device_));
  const Tensor x = from_host(Floats{1, 1}, {1, 2}, device_);
  EXPECT_EQ(layer(x).to_vector<float>(), (Floats{13, 27, -89}));
  nn::Linear relu(2, 3, {.activation = Activation::kRelu, .tensor = device_});
  relu.weight.set(layer.weight->detach());
  relu.bias.set(layer.bias->detach());
  EXPECT_EQ(relu(x).to_vector<float>(), (Floats{13, 27, 0}));
  nn::Linear plain(2, 3, {.bias = false, .tensor = {device_, DType::f32}});
  EXPECT_EQ(names_of(plain.named_parameters()), Names{"weight"});
  plain.weight.set(layer.weight->detach());
  EXPECT_EQ(plain(x).to_vector<float>(), (Floats{3, 7, 11}));
  EXPECT_EQ(plain.details(), "2, 3, no bias");
  EXPECT_EQ(nn::Linear(0, 2, {.tensor = device_})(zeros({1, 0}, device_)).shape(), (Shape{1, 2}));
  EXPECT_INVALID(nn::Linear(-1, 2), "[Linear] a wrong size: expected in >= 0, got -1");
}

TEST_P(LayerTest, AnUndefinedInputNamesTheLayer) {
  const auto expect = [](nn::AnyModule layer, const std::string& name, const std::string& operand) {
    EXPECT_INVALID((*layer)(Tensor()), "[" + name + "] " + operand +
                                           " is undefined. Create it first, for example " +
                                           operand + " = zeros(shape). Layer: " + name + ".");
  };
  const TensorOptions here = device_;
  expect(nn::LazyLinear(2, {.tensor = here}), "LazyLinear", "input");
  expect(nn::LazyConv1d(2, 1, {.tensor = here}), "LazyConv1d", "input");
  expect(nn::LazyBatchNorm({.tensor = here}), "LazyBatchNorm", "input");
  expect(nn::BatchNorm(2, {.tensor = here}), "BatchNorm", "input");
  expect(nn::GroupNorm(1, 2, {.tensor = here}), "GroupNorm", "input");
  expect(nn::Flatten(), "Flatten", "input");
  expect(nn::GLU(), "GLU", "input");
  expect(nn::PReLU(2, {.tensor = here}), "PReLU", "input");
  expect(nn::LSTM(2, 2, {.tensor = here}), "LSTM", "input");
  expect(nn::GRU(2, 2, {.batch_first = true, .tensor = here}), "GRU", "input");
  expect(nn::MultiheadAttention(2, 1, {.tensor = here}), "MultiheadAttention", "query");
  expect(nn::TransformerEncoderLayer(2, 1, {.tensor = here}), "TransformerEncoderLayer", "input");
  nn::MultiheadAttention attention(2, 1, {.tensor = here});
  const Tensor x = ones({1, 2}, device_);
  EXPECT_INVALID(attention(x, x, Tensor()),
                 "[MultiheadAttention] value is undefined. Create it first, for example value = "
                 "zeros(shape).");
}

/// A parameter scales the input, with a derivative of its own.
class Scale : public nn::Module {
 public:
  explicit Scale(const Device& device) : factor(full({1}, 3, device)) {}
  Tensor forward(const Tensor& x) override {
    static const CustomFunction scale(
        "scale",
        [](FunctionContext& context, const std::vector<Tensor>& in) {
          context.save_for_backward(in);
          return std::vector{in[0] * in[1]};
        },
        [](const FunctionContext& context, const std::vector<Tensor>& grads) {
          const std::vector<Tensor>& in = context.saved_tensors();
          return std::vector{grads[0] * in[1], sum(grads[0] * in[0], 0, true)};
        });
    return scale({x, factor})[0];
  }
  void members(nn::Members& each) override { each("factor", factor); }

  nn::Parameter factor;
};

TEST_P(LayerTest, MayCallACustomFunction) {
  nn::Sequential net(Scale{device_}, Scale{device_});
  const Tensor x = from_host(Floats{1, 2}, {2}, device_);
  sum(net(x)).backward();
  EXPECT_EQ(net.parameter("0.factor")->grad().to_vector<float>(), Floats{9});
  EXPECT_EQ(net.parameter("1.factor")->grad().to_vector<float>(), Floats{9});
  if (device_.name() == "cpu:0") return;
  EXPECT_ERROR(net(x.to("cpu:0")), ErrorCode::kDeviceMismatch,
               "[0 (Scale)] input and parameter are on different devices");
}

TEST_P(LayerTest, EmbeddingHasRowsAndPadding) {
  nn::Embedding table(5, 2, {.padding = 3, .tensor = device_});
  EXPECT_EQ(table.weight->shape(), (Shape{5, 2}));
  EXPECT_EQ(table.weight.value()[3].to_vector<float>(), (Floats{0, 0}));
  const Tensor x = from_host(std::vector<std::int64_t>{0, 3, 0}, {3}, device_);
  const Tensor rows = table(x);
  EXPECT_EQ(rows.shape(), (Shape{3, 2}));
  EXPECT_EQ(rows[2].to_vector<float>(), table.weight.value()[0].to_vector<float>());
  sum(rows).backward();
  EXPECT_EQ(table.weight->grad().to_vector<float>(), (Floats{2, 2, 0, 0, 0, 0, 0, 0, 0, 0}));
  nn::AdamW(table.parameters(), {.learning_rate = 0.5, .weight_decay = 0.5}).step();
  EXPECT_EQ(table.weight.value()[3].to_vector<float>(), (Floats{0, 0}));
  {
    const NoGrad no_grad;
    table.weight.value()[3].fill_(4);
  }
  nn::AdamW(table.parameters(), {.learning_rate = 0.5, .weight_decay = 0.5}).step();
  EXPECT_EQ(table.weight.value()[3].to_vector<float>(), (Floats{3, 3})) << "it decays";
  EXPECT_INVALID(nn::Embedding(5, 2, {.padding = 5}),
                 "[Embedding] padding out of range: expected an index below 5, got 5");
}

TEST_P(LayerTest, FlattenJoinsDimensions) {
  const Tensor x = zeros({2, 3, 4, 5}, device_);
  EXPECT_EQ(nn::Flatten()(x).shape(), (Shape{2, 60}));
  EXPECT_EQ(nn::Flatten(0, 1)(x).shape(), (Shape{6, 4, 5}));
  EXPECT_EQ(nn::Flatten(-2)(x).shape(), (Shape{2, 3, 20}));
  EXPECT_EQ(nn::Flatten(0)(ones({}, device_)).shape(), (Shape{1}));
  EXPECT_EQ(nn::Flatten(-1)(ones({}, device_)).shape(), (Shape{1}));
  EXPECT_ERROR(nn::Flatten(1, 4)(x), ErrorCode::kShapeMismatch,
               "[Flatten] no such dimensions: expected an input with dimensions 1 to 4, got shape "
               "[2, 3, 4, 5]. Layer: Flatten.");
}

TEST_P(LayerTest, ActivationsAreTheirFunctions) {
  const Tensor x = from_host(Floats{-2, 0, 1.5}, {1, 3}, device_);
  const auto expect = [&](nn::AnyModule layer, const Tensor& expected) {
    EXPECT_EQ((*layer)(x).to_vector<float>(), expected.to_vector<float>()) << layer->type_name();
  };
  expect(nn::ReLU(), relu(x));
  expect(nn::GELU(), gelu(x));
  expect(nn::SiLU(), silu(x));
  expect(nn::Sigmoid(), sigmoid(x));
  expect(nn::Tanh(), tanh(x));
  expect(nn::Softplus(), softplus(x));
  expect(nn::LeakyReLU(0.2), leaky_relu(x, 0.2));
  expect(nn::ELU(2), elu(x, 2));
  expect(nn::Softmax(), softmax(x, -1));
  expect(nn::LogSoftmax(1), log_softmax(x, 1));
  expect(nn::Identity(), x);
}

TEST_P(LayerTest, DropoutRefusesWhatIsNoProbability) {
  EXPECT_INVALID(nn::Dropout(1.5), "[Dropout] no probability: expected 0 to 1, got 1.5");
  EXPECT_EQ(nn::Dropout(1)(ones({4}, device_)).to_vector<float>(), Floats(4, 0));
}

}  // namespace
}  // namespace patchbay::test
