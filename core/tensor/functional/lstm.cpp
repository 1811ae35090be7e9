// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// LSTM layers, forward and back through time.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/recurrent_call.h"

namespace patchbay {
namespace {

using tensor::computed;
using tensor::gates_of;
using tensor::Saved;
using tensor::taken;

using Expressions = std::span<const Expression>;

/// What one layer's steps keep. `states` has the hidden state after each step, then the last cell.
struct LstmSteps {
  Tensor gates;   // [steps, batch, 4 n]: i f g o behind their activations
  Tensor cells;   // [steps, batch, n]
  Tensor states;  // [steps + 1, batch, n]
};

/// `projected`: [steps, batch, 4 n], with the biases; it becomes the gates.
LstmSteps lstm_steps(const Tensor& projected, const Tensor& weight, const Tensor& hidden,
                     const Tensor& cell) {
  static const FusedFunction& advance = *new FusedFunction(
      5,
      [](Expressions in) {
        const Expression i = sigmoid(in[0]), f = sigmoid(in[1]), g = tanh(in[2]),
                         o = sigmoid(in[3]);
        const Expression c = f * in[4] + i * g;
        return std::vector{i, f, g, o, c, o * tanh(c)};
      },
      "lstm");
  const std::int64_t steps = projected.size(0), batch = projected.size(1), n = hidden.size(1);
  LstmSteps kept{projected.detach(), projected.new_empty({steps, batch, n}),
                 projected.new_empty({steps + 1, batch, n})};
  Tensor h = hidden, c = cell;
  for (std::int64_t t = 0; t < steps; ++t) {
    matmul_out(kept.gates[t], h, weight.t(), 1, 1);
    const auto [i, f, g, o] = gates_of<4>(kept.gates, t);
    const Tensor next_c = kept.cells[t], next_h = kept.states[t];
    const std::array<Tensor, 6> outputs{i, f, g, o, next_c, next_h};
    const std::array<TensorOrScalar, 5> arguments{i, f, g, o, c};
    advance.call_out(outputs, arguments);
    h = next_h;
    c = next_c;
  }
  kept.states[steps].copy_from(c);
  return kept;
}

struct LstmBackward {
  const char* operation;  // static
  Saved weight, hidden, cell, states;
  Tensor gates, cells;

  std::vector<Tensor> operator()(const Tensor& grad, const tensor::Node& node) const {
    tensor::refuse_second_derivative(operation);
    static const FusedFunction& retreat = *new FusedFunction(
        9,
        [](Expressions in) {
          const Expression &i = in[0], &f = in[1], &g = in[2], &o = in[3], &before = in[5];
          const Expression out = in[6] + in[7], ct = tanh(in[4]);
          const Expression along = in[8] + out * o * (1 - square(ct));
          return std::vector{along * g * (i * (1 - i)), along * before * (f * (1 - f)),
                             along * i * (1 - square(g)), out * ct * (o * (1 - o)), along * f};
        },
        "lstm");
    const Tensor w = weight.get(node), first = hidden.get(node);
    const std::int64_t steps = gates.size(0);
    const Tensor slopes = gates.new_empty(gates.shape());
    Tensor back_c = grad[steps].clone(), back_h = grad.new_zeros(first.shape());
    for (std::int64_t t = steps; t-- > 0;) {
      const auto [i, f, g, o] = gates_of<4>(gates, t);
      const auto [di, df, dg, d_o] = gates_of<4>(slopes, t);
      const Tensor before = t > 0 ? cells[t - 1] : cell.get(node);
      const std::array<Tensor, 5> outputs{di, df, dg, d_o, back_c};
      const std::array<TensorOrScalar, 9> arguments{i,      f,       g,      o,     cells[t],
                                                    before, grad[t], back_h, back_c};
      retreat.call_out(outputs, arguments);
      matmul_out(back_h, slopes[t], w);
    }
    std::vector<Tensor> grads{slopes, {}, back_h, back_c};
    if (node.inputs[1]) {
      grads[1] = tensor::hidden_weight_gradient(slopes, states.get(node).detach(), first);
    }
    return grads;
  }
};

/// The hidden states of all steps, then the last cell: [steps + 1, batch, n]. `projected` is a new
/// result that its record does not keep.
Tensor lstm_layer(const char* operation, const Tensor& projected, const Tensor& weight,
                  const Tensor& hidden, const Tensor& cell) {
  LstmSteps steps;
  {
    const tensor::Recording recording(false);
    steps = lstm_steps(projected, weight, hidden, cell);
  }
  tensor::accept_writes(projected);
  if (tensor::needs_grad(projected) || tensor::needs_grad(weight) || tensor::needs_grad(hidden) ||
      tensor::needs_grad(cell)) {
    tensor::record(
        operation, steps.states, {&projected, &weight, &hidden, &cell},
        LstmBackward{operation, Saved("hidden_weight", weight), Saved("hidden", hidden),
                     Saved("cell", cell), Saved::result(steps.states), steps.gates, steps.cells});
  }
  return steps.states;
}

/// The biases are added to the products of all steps.
Tensor both_biases(const RecurrentWeights& weights) {
  const Tensor a = taken(weights.input_bias), b = taken(weights.hidden_bias);
  return a.defined() && b.defined() ? a + b : a.defined() ? a : b;
}

LstmResult run_lstm(const tensor::RecurrentKind& kind, const Tensor& input,
                    std::span<const RecurrentWeights> layers, const LstmState& state) {
  const tensor::RecurrentCall call = tensor::make_recurrent_call(kind, input, layers, state);
  const std::int64_t steps = call.input.size(0);
  Tensor x = call.input;
  std::vector<Tensor> hidden, cells;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Tensor projected = linear(x, computed(layers[i].input_weight), both_biases(layers[i]));
    const Tensor states = lstm_layer(kind.name, projected, computed(layers[i].hidden_weight),
                                     call.hidden[i], call.cell[i]);
    x = states.slice(0, 0, steps);
    hidden.push_back(states[steps - 1]);
    cells.push_back(states[steps]);
  }
  return {x.cast(call.dtype),
          {tensor::joined_states(hidden).cast(call.dtype),
           tensor::joined_states(cells).cast(call.dtype)}};
}

}  // namespace

LstmState LstmState::detach() const {
  return {hidden.defined() ? hidden.detach() : hidden, cell.defined() ? cell.detach() : cell};
}

LstmState lstm_cell(const Tensor& input, const LstmState& state, const RecurrentWeights& weights) {
  const LstmResult result = run_lstm({"lstm_cell", 4, true}, input, {&weights, 1}, state);
  return {result.state.hidden[0], result.state.cell[0]};
}

LstmResult lstm(const Tensor& input, const std::vector<RecurrentWeights>& layers,
                const LstmState& state) {
  return run_lstm({"lstm", 4, false}, input, layers, state);
}

}  // namespace patchbay
