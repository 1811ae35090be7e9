// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/recurrent.h"

#include <string>
#include <utility>
#include <vector>

#include "patchbay/concat.h"
#include "patchbay/functional.h"
#include "patchbay/indexing.h"
#include "patchbay/nn/linear.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/nn/layers/sizes.h"

namespace patchbay::nn {

using base::raise;
using layers::checked_size;
using layers::create_uniform;
using layers::tensor_of;

namespace {

/// Above what any network has: a larger number is a mistake, and would take all memory.
constexpr std::int64_t kMostLayers = 1 << 16;

}  // namespace

Recurrent::Recurrent(const char* name, std::int64_t gates, Index in, Index hidden,
                     const RecurrentOptions& options)
    : in_(checked_size(name, "in", in)),
      hidden_(checked_size(name, "hidden", hidden)),
      options_(options) {
  if (options.num_layers < 1 || options.num_layers > kMostLayers) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] a wrong number of layers: expected 1 to {}, got {}. Choose another one.", name,
          kMostLayers, static_cast<std::int64_t>(options.num_layers));
  }
  Dropout::checked(options.dropout, name);
  const auto create = [&](const Shape& shape) {
    Parameter parameter(options.tensor);
    create_uniform(parameter, shape, hidden_);
    return parameter;
  };
  const std::int64_t rows = gates * hidden_;
  const auto directions = static_cast<std::int64_t>(num_directions());
  for (std::int64_t i = 0; i < options.num_layers * directions; ++i) {
    Layer& layer = this->layers.emplace_back();
    layer.input_weight = create({rows, i < directions ? in_ : directions * hidden_});
    layer.hidden_weight = create({rows, hidden_});
    if (options.bias) layer.input_bias = create({rows});
    if (options.bias && options.hidden_bias) layer.hidden_bias = create({rows});
  }
}

void Recurrent::members(Members& each) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const char* const direction = i % num_directions() == 1 ? "_reverse" : "";
    const auto add = [&](const char* name, Parameter& parameter) {
      if (!parameter.defined()) return;
      each(fmt::format("{}_l{}{}", name, i / num_directions(), direction), parameter);
    };
    add("weight_ih", layers[i].input_weight);
    add("weight_hh", layers[i].hidden_weight);
    add("bias_ih", layers[i].input_bias);
    add("bias_hh", layers[i].hidden_bias);
  }
}

std::string Recurrent::details() const {
  std::string text = fmt::format("{}, {}", in_, hidden_);
  const std::size_t count = layers.size() / num_directions();
  if (count > 1) text += fmt::format(", {} layers", count);
  if (options_.bidirectional) text += ", bidirectional";
  return text;
}

namespace {

RecurrentWeights weights_of(const Recurrent::Layer& layer) {
  return {layer.input_weight, layer.hidden_weight, tensor_of(layer.input_bias),
          tensor_of(layer.hidden_bias)};
}

/// The state of some of the layers.
LstmState part_of(const LstmState& state, std::size_t first, std::size_t count) {
  const auto part = [&](const Tensor& whole) {
    return whole.defined() ? whole.slice(0, first, first + count) : whole;
  };
  return {part(state.hidden), part(state.cell)};
}

LstmState joined(const std::vector<LstmState>& states) {
  std::vector<Tensor> hidden, cell;
  for (const LstmState& each : states) {
    hidden.push_back(each.hidden);
    if (each.cell.defined()) cell.push_back(each.cell);
  }
  return {concat(hidden, 0), cell.empty() ? Tensor() : concat(cell, 0)};
}

/// From the last step to the first.
Tensor reversed(const Tensor& steps) {
  const std::int64_t count = steps.size(0);
  const TensorOptions options{DType::i64, steps.device()};
  return index_select(steps, 0, count - 1 - arange(0, count, 1, options));
}

}  // namespace

Tensor Recurrent::steps_first(const Tensor& x) const {
  return options_.batch_first && x.rank() == 3 ? x.transpose(0, 1) : x;
}

namespace {

/// Checks a state against the input as the caller gave it; layers may see it transposed.
void check_batch(const std::string& name, const LstmState& state, const Shape& expected,
                 const Tensor& input) {
  for (const Tensor* each : {&state.hidden, &state.cell}) {
    if (!each->defined() || each->shape() == expected) continue;
    raise(ErrorCode::kShapeMismatch,
          "[{}] a wrong state: expected {}, for each layer and direction, got {} with an input of "
          "shape {}",
          name, patchbay::to_string(expected), patchbay::to_string(each->shape()),
          patchbay::to_string(input.shape()));
  }
}

}  // namespace

/// A layer in all its directions.
LstmResult Recurrent::run_layer(const Tensor& input, std::size_t layer,
                                const LstmState& state) const {
  const std::size_t directions = num_directions(), first = layer * directions;
  LstmResult onwards = compute(input, {weights_of(layers[first])}, part_of(state, first, 1));
  if (directions == 1) return onwards;
  const LstmResult back =
      compute(reversed(input), {weights_of(layers[first + 1])}, part_of(state, first + 1, 1));
  return {concat({onwards.output, reversed(back.output)}, -1), joined({onwards.state, back.state})};
}

LstmResult Recurrent::run(const Tensor& input, const LstmState& state) const {
  layers::check_defined(*this, "input", input);
  LstmResult result;
  result.output = steps_first(input);
  if (input.rank() == 3 && input.size(-1) != in_) {
    raise(ErrorCode::kShapeMismatch, "[{}] the input has another size: expected [{}, {}], got {}",
          type_name(), options_.batch_first ? "n, steps" : "steps, n", in_,
          patchbay::to_string(input.shape()));
  }
  check_state(state);
  if (input.rank() == 3) {
    const std::int64_t batch = input.size(options_.batch_first ? 0 : 1);
    const auto count = static_cast<std::int64_t>(layers.size());
    check_batch(type_name(), state, {count, batch, hidden_}, input);
  }
  const bool drops = is_training() && options_.dropout > 0;
  const std::size_t count = layers.size() / num_directions();
  if (!options_.bidirectional && (!drops || count == 1)) {  // at once
    std::vector<RecurrentWeights> all;
    for (const Layer& layer : layers) all.push_back(weights_of(layer));
    result = compute(result.output, all, state);
  } else {
    std::vector<LstmState> states;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0 && drops) {
        // With the batch first, if it is, so that replicas that have parts of it draw their parts.
        const Tensor dropped = dropout(steps_first(result.output), options_.dropout);
        result.output = steps_first(dropped);
      }
      LstmResult one = run_layer(result.output, i, state);
      result.output = std::move(one.output);
      states.push_back(std::move(one.state));
    }
    result.state = joined(states);
  }
  result.output = steps_first(result.output);
  return result;
}

/// Layers take their parts of it.
void Recurrent::check_state(const LstmState& state) const {
  for (const Tensor* each : {&state.hidden, &state.cell}) {
    if (!each->defined()) continue;
    const auto expected = static_cast<std::int64_t>(layers.size());
    if (each->rank() == 3 && each->size(0) == expected) continue;
    raise(ErrorCode::kShapeMismatch,
          "[{}] a wrong state: expected [{}, batch, {}], for each layer and direction, got {}",
          type_name(), expected, hidden_, patchbay::to_string(each->shape()));
  }
}

// ---------------------------------------------------------------------------------- LSTM ---

Tensor LSTM::forward(const Tensor& input) { return run(input, {}).output; }

LstmResult LSTM::operator()(const Tensor& input, const LstmState& state) {
  LstmResult result;
  call(input, [&] { result = run(input, state); });
  return result;
}

LstmResult LSTM::compute(const Tensor& input, const std::vector<RecurrentWeights>& weights,
                         const LstmState& state) const {
  return lstm(input, weights, state);
}

// ----------------------------------------------------------------------------------- GRU ---

Tensor GRU::forward(const Tensor& input) { return run(input, {}).output; }

GruResult GRU::operator()(const Tensor& input, const Tensor& state) {
  LstmResult result;
  call(input, [&] { result = run(input, {.hidden = state, .cell = {}}); });
  return {result.output, result.state.hidden};
}

LstmResult GRU::compute(const Tensor& input, const std::vector<RecurrentWeights>& weights,
                        const LstmState& state) const {
  const GruResult result = gru(input, weights, state.hidden);
  return {result.output, {result.state, Tensor()}};
}

}  // namespace patchbay::nn
