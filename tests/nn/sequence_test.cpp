// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Recurrent layers and attention against the functions that they are made from.
#include <cmath>

#include <patchbay/nn/attention.h>
#include <patchbay/nn/containers.h>
#include <patchbay/nn/recurrent.h>

#include "nn/nets.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class SequenceLayerTest : public DeviceTest {
 protected:
  Tensor values(const Shape& shape, std::uint64_t seed = 7) const {
    return randn(shape, device_, Generator(seed));
  }
  static void expect_near(const Tensor& got, const Tensor& expected, double bound = 1e-5) {
    ASSERT_EQ(got.shape(), expected.shape());
    const Floats a = got.to_vector<float>(), b = expected.to_vector<float>();
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], bound) << "element " << i;
  }
};
PATCHBAY_ON_EACH_DEVICE(SequenceLayerTest);

TEST_P(SequenceLayerTest, LstmHasPyTorchsNamesAndShapes) {
  nn::LSTM layer(3, 4, {.num_layers = 2, .tensor = device_});
  EXPECT_EQ(names_of(layer.named_parameters()),
            (Names{"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "weight_ih_l1",
                   "weight_hh_l1", "bias_ih_l1", "bias_hh_l1"}));
  EXPECT_EQ(layer.parameter("weight_ih_l0")->shape(), (Shape{16, 3}));
  EXPECT_EQ(layer.parameter("weight_ih_l1")->shape(), (Shape{16, 4}));
  EXPECT_EQ(layer.details(), "3, 4, 2 layers");
  for (const float value : layer.layers[0].input_weight->to_vector<float>()) {
    EXPECT_LE(std::abs(value), 0.5F);
  }
  const Tensor x = values({5, 2, 3});
  const std::vector<RecurrentWeights> weights = {
      {layer.layers[0].input_weight, layer.layers[0].hidden_weight, layer.layers[0].input_bias,
       layer.layers[0].hidden_bias},
      {layer.layers[1].input_weight, layer.layers[1].hidden_weight, layer.layers[1].input_bias,
       layer.layers[1].hidden_bias}};
  const LstmState state = {values({2, 2, 4}, 1), values({2, 2, 4}, 2)};
  const LstmResult got = layer(x, state), expected = lstm(x, weights, state);
  expect_near(got.output, expected.output, 0);
  expect_near(got.state.cell, expected.state.cell, 0);
  expect_near(layer(x), lstm(x, weights).output, 0);
  nn::LSTM one(3, 4, {.hidden_bias = false, .tensor = device_});
  EXPECT_EQ(one.num_parameters(), 16 * 3 + 16 * 4 + 16);
  nn::LSTM none(3, 4, {.bias = false, .tensor = device_});
  EXPECT_EQ(none.num_parameters(), 16 * 3 + 16 * 4);
  EXPECT_EQ(none(x).shape(), (Shape{5, 2, 4}));
}

/// Each direction is a layer of its own.
TEST_P(SequenceLayerTest, GoesInBothDirections) {
  nn::LSTM layer(3, 4, {.num_layers = 2, .bidirectional = true, .tensor = device_});
  EXPECT_EQ(layer.details(), "3, 4, 2 layers, bidirectional");
  EXPECT_EQ(names_of(layer.named_parameters())[4], "weight_ih_l0_reverse");
  EXPECT_EQ(names_of(layer.named_parameters())[15], "bias_hh_l1_reverse");
  EXPECT_EQ(layer.parameter("weight_ih_l1")->shape(), (Shape{16, 8}));
  const LstmState state = {values({4, 2, 4}, 1), values({4, 2, 4}, 2)};
  const auto flipped = [&](const Tensor& x) {
    std::vector<Tensor> steps;
    for (std::int64_t t = x.size(0); t-- > 0;) steps.push_back(x[t]);
    return stack(steps);
  };
  const auto run = [&](const Tensor& x, std::size_t i) {
    const auto& own = layer.layers[i];
    const auto part = [&](const Tensor& a) { return a.slice(0, i, i + 1); };
    return lstm(x, {{own.input_weight, own.hidden_weight, own.input_bias, own.hidden_bias}},
                {part(state.hidden), part(state.cell)});
  };
  const Tensor x = values({5, 2, 3});
  Tensor expected = x;
  for (const std::size_t i : {0U, 2U}) {
    const Tensor below = expected;
    expected = concat({run(below, i).output, flipped(run(flipped(below), i + 1).output)}, -1);
  }
  const LstmResult got = layer(x, state);
  expect_near(got.output, expected);
  EXPECT_EQ(got.state.hidden.shape(), (Shape{4, 2, 4}));
  expect_near(got.state.cell[1], run(flipped(x), 1).state.cell[0]);
  sum(got.output).backward();
  EXPECT_TRUE(layer.layers[3].hidden_weight->grad().defined());
  EXPECT_ERROR(
      layer(x, {values({2, 2, 4}), values({2, 2, 4})}), ErrorCode::kShapeMismatch,
      "[LSTM] a wrong state: expected [4, batch, 4], for each layer and direction, got [2, 2, 4].");
  nn::GRU units(3, 4, {.batch_first = true, .bidirectional = true, .tensor = device_});
  const GruResult both = units(values({2, 5, 3}), Tensor());
  EXPECT_EQ(both.output.shape(), (Shape{2, 5, 8}));
  EXPECT_EQ(both.state.shape(), (Shape{2, 2, 4}));
  expect_near(both.output.select(1, 4).slice(-1, 0, 4), both.state[0], 0);
  expect_near(both.output.select(1, 0).slice(-1, 4, 8), both.state[1], 0);
}

TEST_P(SequenceLayerTest, BatchesMayComeFirst) {
  nn::GRU layer(3, 4, {.batch_first = true, .tensor = device_});
  const Tensor x = values({2, 5, 3});
  const std::vector<RecurrentWeights> weights = {
      {layer.layers[0].input_weight, layer.layers[0].hidden_weight, layer.layers[0].input_bias,
       layer.layers[0].hidden_bias}};
  const GruResult expected = gru(x.transpose(0, 1), weights);
  expect_near(layer(x), expected.output.transpose(0, 1), 0);
  expect_near(layer(x, Tensor()).state, expected.state, 0);
  EXPECT_ERROR(layer(x, values({1, 5, 4})), ErrorCode::kShapeMismatch,
               "[GRU] a wrong state: expected [1, 2, 4], for each layer and direction, got [1, 5, "
               "4] with an input of shape [2, 5, 3]. Layer: GRU.");
}

/// With a dropout of 1, all that the second layer gets is zeros.
TEST_P(SequenceLayerTest, DropoutIsBetweenLayersInTraining) {
  const nn::RecurrentOptions options = {.num_layers = 1, .tensor = device_};
  for (const bool trains : {true, false}) {
    nn::LSTM layer(3, 4, {.num_layers = 2, .dropout = 1, .tensor = device_});
    layer.train(trains);
    nn::LSTM second(4, 4, options);
    second.layers[0] = layer.layers[1];
    nn::LSTM first(3, 4, options);
    first.layers[0] = layer.layers[0];
    const Tensor x = values({5, 2, 3});
    const LstmState state = {values({2, 2, 4}, 1), values({2, 2, 4}, 2)};
    const auto part = [&](std::int64_t i) {
      return LstmState{state.hidden.slice(0, i, i + 1), state.cell.slice(0, i, i + 1)};
    };
    const LstmResult below = first(x, part(0));
    const LstmResult above = second(trains ? zeros({5, 2, 4}, device_) : below.output, part(1));
    const LstmResult got = layer(x, state);
    expect_near(got.output, above.output, 1e-6);
    expect_near(got.state.hidden[0], below.state.hidden[0], 1e-6);
    expect_near(got.state.cell[1], above.state.cell[0], 1e-6);
    nn::GRU units(3, 4, {.num_layers = 2, .dropout = 1, .tensor = device_});
    units.train(trains);
    const GruResult both = units(x, state.hidden);
    EXPECT_EQ(both.output.shape(), (Shape{5, 2, 4}));
    EXPECT_EQ(both.state.shape(), (Shape{2, 2, 4}));
  }
}

TEST_P(SequenceLayerTest, AttentionIsThatOfItsHeads) {
  nn::MultiheadAttention layer(6, 2, {.tensor = device_});
  EXPECT_EQ(names_of(layer.named_parameters()),
            (Names{"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"}));
  EXPECT_EQ(layer.out_proj.bias->to_vector<float>(), Floats(6, 0));
  layer.in_proj_bias.set(values({18}, 3));
  const Tensor query = values({2, 4, 6}), key = values({2, 5, 6}, 8), value = values({2, 5, 6}, 9);
  const auto expected = [&](const Tensor& a, const Tensor& b, const Tensor& c, bool is_causal) {
    const auto project = [&](const Tensor& x, int i) {
      return linear(x, layer.in_proj_weight->slice(0, 6 * i, 6 * i + 6),
                    layer.in_proj_bias->slice(0, 6 * i, 6 * i + 6));
    };
    const Tensor q = project(a, 0), k = project(b, 1), v = project(c, 2);
    std::vector<Tensor> heads;
    for (int h = 0; h < 2; ++h) {
      const auto head = [&](const Tensor& x) { return x.slice(-1, 3 * h, 3 * h + 3); };
      Tensor scores = matmul(head(q), head(k).transpose(-1, -2)) / std::sqrt(3.0);
      if (is_causal) {
        const Tensor ones_of = ones({a.size(1), b.size(1)}, device_);
        scores = where(gt(tril(ones_of), 0), scores, -1e30);
      }
      heads.push_back(matmul(softmax(scores, -1), head(v)));
    }
    return layer.out_proj(concat(heads, -1));
  };
  expect_near(layer(query, key, value), expected(query, key, value, false));
  expect_near(layer(query), expected(query, query, query, false));
  expect_near(layer(query, query, query, {.is_causal = true}), expected(query, query, query, true));
  EXPECT_ERROR(layer(values({2, 4, 5})), ErrorCode::kShapeMismatch,
               "[MultiheadAttention] a wrong query: expected [..., queries, 6], got [2, 4, 5].");
  EXPECT_ERROR(layer(query, values({2, 4, 5}), value), ErrorCode::kShapeMismatch,
               "[MultiheadAttention] a wrong key: expected [..., keys, 6], got [2, 4, 5] (query: " +
                   to_string(query.shape()) + "). Layer: MultiheadAttention.");
  EXPECT_ERROR(layer(query, key, value.to(test_device("fake:1"))), ErrorCode::kDeviceMismatch,
               "[MultiheadAttention] query and value are on different devices (" + device_.name() +
                   " and fake:1). Copy value first: value.to(query.device()). Layer:");
  EXPECT_INVALID(nn::MultiheadAttention(6, 4),
                 "[MultiheadAttention] wrong heads: expected a divisor of size 6, got 4");
  EXPECT_INVALID(nn::MultiheadAttention(-4, 2),
                 "[MultiheadAttention] a wrong size: expected size >= 0, got -4");
  EXPECT_INVALID(nn::LSTM(2, 2, {.dropout = 2}), "[LSTM] no probability: expected 0 to 1, got 2");
}

/// With a dropout of 1 nothing is attended to.
TEST_P(SequenceLayerTest, AttentionDropsInTraining) {
  nn::MultiheadAttention layer(6, 2, {.dropout = 1, .tensor = device_});
  const Tensor x = values({2, 4, 6});
  EXPECT_EQ(layer(x).to_vector<float>(), Floats(48, 0));
  nn::MultiheadAttention same = layer;
  same.eval();
  EXPECT_NE(same(x).to_vector<float>(), Floats(48, 0));
  EXPECT_INVALID(nn::MultiheadAttention(6, 2, {.dropout = -1}),
                 "[MultiheadAttention] no probability: expected 0 to 1, got -1");
}

TEST_P(SequenceLayerTest, ATransformerLayerIsItsParts) {
  for (const bool norm_first : {false, true}) {
    nn::TransformerEncoderLayer layer(4, 2,
                                      {.feed_forward = 8,
                                       .activation = Activation::kGelu,
                                       .norm_first = norm_first,
                                       .tensor = device_});
    const Tensor x = values({2, 3, 4});
    EXPECT_NE(layer(x).to_vector<float>(), layer(x).to_vector<float>()) << "dropout";
    layer.eval();
    const auto feed = [&](const Tensor& a) {
      return linear(gelu(linear(a, layer.linear1.weight, layer.linear1.bias)), layer.linear2.weight,
                    layer.linear2.bias);
    };
    Tensor expected;
    if (norm_first) {
      expected = x + layer.self_attn(layer.norm1(x));
      expected = expected + feed(layer.norm2(expected));
    } else {
      expected = layer.norm1(x + layer.self_attn(x));
      expected = layer.norm2(expected + feed(expected));
    }
    expect_near(layer(x), expected);
    sum(layer(x)).backward();
    for (const auto& each : layer.named_parameters()) {
      EXPECT_TRUE(each.parameter->grad().defined()) << each.name;
    }
  }
  EXPECT_INVALID(nn::TransformerEncoderLayer(4, 2, {.dropout = 2}),
                 "[TransformerEncoderLayer] no probability: expected 0 to 1, got 2");
  EXPECT_INVALID(nn::TransformerEncoderLayer(-4, 2),
                 "[TransformerEncoderLayer] a wrong size: expected size >= 0, got -4");
  EXPECT_INVALID(nn::TransformerEncoderLayer(4, 2, {.feed_forward = -1}),
                 "[TransformerEncoderLayer] a wrong size: expected feed_forward >= 0, got -1");
}

TEST_P(SequenceLayerTest, ErrorsNameTheLayer) {
  if (device_.name() == "cpu:0") GTEST_SKIP() << "the same device";
  nn::LSTM layer(3, 4, {.tensor = device_});
  EXPECT_ERROR(layer(ones({5, 2, 3}, test_device("cpu:0")), LstmState()),
               ErrorCode::kDeviceMismatch,
               "[LSTM] input and parameter are on different devices (input: f32 [5, 2, 3] on "
               "cpu:0; weight_ih_l0: f32 ");
  EXPECT_ERROR(
      layer(ones({5, 2, 4}, device_), LstmState()), ErrorCode::kShapeMismatch,
      "[LSTM] the input has another size: expected [steps, n, 3], got [5, 2, 4]. Layer: LSTM.");
  EXPECT_ERROR(nn::GRU(3, 4, {.batch_first = true, .tensor = device_})(ones({5, 2, 4}, device_)),
               ErrorCode::kShapeMismatch,
               "[GRU] the input has another size: expected [n, steps, 3], got [5, 2, 4]");
  EXPECT_INVALID(nn::GRU(3, 4, {.num_layers = 0}),
                 "[GRU] a wrong number of layers: expected 1 to 65536, got 0");
  EXPECT_INVALID(nn::LSTM(3, 4, {.num_layers = INT64_MAX}),
                 "[LSTM] a wrong number of layers: expected 1 to 65536, got 9223372036854775807. "
                 "Choose another one.");
}

}  // namespace
}  // namespace patchbay::test
