// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/recurrent.h"

#include "patchbay/concat.h"
#include "patchbay/functional.h"
#include "patchbay/nn/linear.h"

#include "core/base/error.h"
#include "core/nn/layers/sizes.h"

namespace patchbay::nn {

using layers::checked_size;
using layers::create_uniform;
using layers::tensor_of;
using runtime::raise;

Recurrent::Recurrent(const char* name, std::int64_t gates, Index in, Index hidden,
                     const RecurrentOptions& options)
    : in_(checked_size(name, "in", in)),
      hidden_(checked_size(name, "hidden", hidden)),
      options_(options) {
  if (options.num_layers < 1) {
    raise(ErrorCode::kInvalidArgument, "[{}] no layers: expected at least 1, got {}", name,
          static_cast<std::int64_t>(options.num_layers));
  }
  Dropout::checked(options.dropout);
  const auto create = [&](const Shape& shape) {
    Parameter parameter(options.tensor);
    create_uniform(parameter, shape, hidden_);
    return parameter;
  };
  const std::int64_t rows = gates * hidden_;
  for (std::int64_t i = 0; i < options.num_layers; ++i) {
    Layer& layer = this->layers.emplace_back();
    layer.input_weight = create({rows, i == 0 ? in_ : hidden_});
    layer.hidden_weight = create({rows, hidden_});
    if (options.bias) layer.input_bias = create({rows});
    if (options.bias && options.hidden_bias) layer.hidden_bias = create({rows});
  }
}

void Recurrent::members(Members& each) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto add = [&](const char* name, Parameter& parameter) {
      if (parameter.defined()) each(fmt::format("{}_l{}", name, i), parameter);
    };
    add("weight_ih", layers[i].input_weight);
    add("weight_hh", layers[i].hidden_weight);
    add("bias_ih", layers[i].input_bias);
    add("bias_hh", layers[i].hidden_bias);
  }
}

std::string Recurrent::details() const {
  std::string text = fmt::format("{}, {}", in_, hidden_);
  if (layers.size() > 1) text += fmt::format(", {} layers", layers.size());
  return text;
}

std::vector<RecurrentWeights> Recurrent::weights() const {
  std::vector<RecurrentWeights> result;
  for (const Layer& layer : layers) {
    result.push_back({layer.input_weight, layer.hidden_weight, tensor_of(layer.input_bias),
                      tensor_of(layer.hidden_bias)});
  }
  return result;
}

Tensor Recurrent::steps_first(const Tensor& x) const {
  return options_.batch_first && x.rank() == 3 ? x.transpose(0, 1) : x;
}

bool Recurrent::runs_by_layer() const {
  return is_training() && options_.dropout > 0 && layers.size() > 1;
}

Tensor Recurrent::drop(const Tensor& x) const { return patchbay::dropout(x, options_.dropout); }

// ---------------------------------------------------------------------------------- LSTM ---

Tensor LSTM::forward(const Tensor& input) { return run(input, {}).output; }

LstmResult LSTM::operator()(const Tensor& input, const LstmState& state) {
  LstmResult result;
  call(input, [&] { result = run(input, state); });
  return result;
}

LstmResult LSTM::run(const Tensor& input, const LstmState& state) {
  LstmResult result;
  const std::vector<RecurrentWeights> all = weights();
  if (!runs_by_layer()) {
    result = lstm(steps_first(input), all, state);
  } else {
    result.output = steps_first(input);
    std::vector<Tensor> hidden, cell;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) result.output = drop(result.output);
      LstmState own;
      if (state.hidden.defined()) {
        own.hidden = state.hidden.slice(0, i, i + 1);
        own.cell = state.cell.slice(0, i, i + 1);
      }
      LstmResult one = lstm(result.output, {all[i]}, own);
      result.output = one.output;
      hidden.push_back(one.state.hidden);
      cell.push_back(one.state.cell);
    }
    result.state = {concat(hidden, 0), concat(cell, 0)};
  }
  result.output = steps_first(result.output);
  return result;
}

// ----------------------------------------------------------------------------------- GRU ---

Tensor GRU::forward(const Tensor& input) { return run(input, {}).output; }

GruResult GRU::operator()(const Tensor& input, const Tensor& state) {
  GruResult result;
  call(input, [&] { result = run(input, state); });
  return result;
}

GruResult GRU::run(const Tensor& input, const Tensor& state) {
  GruResult result;
  const std::vector<RecurrentWeights> all = weights();
  if (!runs_by_layer()) {
    result = gru(steps_first(input), all, state);
  } else {
    result.output = steps_first(input);
    std::vector<Tensor> states;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) result.output = drop(result.output);
      GruResult one =
          gru(result.output, {all[i]}, state.defined() ? state.slice(0, i, i + 1) : Tensor());
      result.output = one.output;
      states.push_back(one.state);
    }
    result.state = concat(states, 0);
  }
  result.output = steps_first(result.output);
  return result;
}

}  // namespace patchbay::nn
