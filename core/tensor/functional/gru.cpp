// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// GRU layers, forward and back through time.
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

struct GruSteps {
  Tensor gates;     // [steps, batch, 3 n]: r z n behind their activations
  Tensor products;  // [steps, batch, 3 n]: the hidden states' parts, before them
  Tensor states;    // [steps, batch, n]
};

/// `projected`: [steps, batch, 3 n], with the input's bias. `bias` may be undefined.
GruSteps gru_steps(const Tensor& projected, const Tensor& weight, const Tensor& bias,
                   const Tensor& hidden) {
  static const FusedFunction& advance = *new FusedFunction(
      7,
      [](Expressions in) {
        const Expression r = sigmoid(in[0] + in[3]), z = sigmoid(in[1] + in[4]);
        const Expression n = tanh(in[2] + r * in[5]);
        return std::vector{r, z, n, (1 - z) * n + z * in[6]};
      },
      "gru");
  const std::int64_t steps = projected.size(0), batch = projected.size(1), n = hidden.size(1);
  GruSteps kept{projected.new_empty(projected.shape()), projected.new_empty(projected.shape()),
                projected.new_empty({steps, batch, n})};
  if (bias.defined()) kept.products.copy_from(bias.expand(projected.shape()));
  Tensor h = hidden;
  for (std::int64_t t = 0; t < steps; ++t) {
    matmul_out(kept.products[t], h, weight.t(), 1, bias.defined() ? 1 : 0);
    const auto [xr, xz, xn] = gates_of<3>(projected, t);
    const auto [hr, hz, hn] = gates_of<3>(kept.products, t);
    const auto [r, z, candidate] = gates_of<3>(kept.gates, t);
    const Tensor next = kept.states[t];
    const std::array<Tensor, 4> outputs{r, z, candidate, next};
    const std::array<TensorOrScalar, 7> arguments{xr, xz, xn, hr, hz, hn, h};
    advance.call_out(outputs, arguments);
    h = next;
  }
  return kept;
}

struct GruBackward {
  const char* operation;  // static
  Saved weight, hidden, states;
  Tensor gates, products;

  std::vector<Tensor> operator()(const Tensor& grad, const tensor::Node& node) const {
    tensor::refuse_second_derivative(operation);
    static const FusedFunction& retreat = *new FusedFunction(
        7,
        [](Expressions in) {
          const Expression &r = in[0], &z = in[1], &n = in[2], &hn = in[3], &before = in[4];
          const Expression out = in[5] + in[6];
          const Expression dn = out * (1 - z) * (1 - square(n));
          const Expression dr = dn * hn * (r * (1 - r));
          const Expression dz = out * (before - n) * (z * (1 - z));
          return std::vector{dr, dz, dn, dr, dz, dn * r, out * z};
        },
        "gru");
    const Tensor w = weight.get(node), first = hidden.get(node);
    const Tensor all = states.get(node).detach();
    // Of the input's part and of the hidden states' part.
    const Tensor slopes = gates.new_empty(gates.shape()), inner = gates.new_empty(gates.shape());
    const Tensor back = grad.new_zeros(first.shape());
    for (std::int64_t t = gates.size(0); t-- > 0;) {
      const auto [r, z, n] = gates_of<3>(gates, t);
      const auto [dr, dz, dn] = gates_of<3>(slopes, t);
      const auto [er, ez, en] = gates_of<3>(inner, t);
      const Tensor hn = gates_of<3>(products, t)[2], before = t > 0 ? all[t - 1] : first;
      const std::array<Tensor, 7> outputs{dr, dz, dn, er, ez, en, back};
      const std::array<TensorOrScalar, 7> arguments{r, z, n, hn, before, grad[t], back};
      retreat.call_out(outputs, arguments);
      matmul_out(back, inner[t], w, 1, 1);
    }
    std::vector<Tensor> grads{slopes, {}, {}, back};
    if (node.inputs[1]) grads[1] = tensor::hidden_weight_gradient(inner, all, first);
    if (node.inputs[2]) grads[2] = sum(inner, {0, 1});
    return grads;
  }
};

/// The hidden states of all steps, [steps, batch, n].
Tensor gru_layer(const char* operation, const Tensor& projected, const Tensor& weight,
                 const Tensor& bias, const Tensor& hidden) {
  GruSteps steps;
  {
    const tensor::Recording recording(false);
    steps = gru_steps(projected, weight, bias, hidden);
  }
  const bool bias_needs = bias.defined() && tensor::needs_grad(bias);
  if (tensor::needs_grad(projected) || tensor::needs_grad(weight) || tensor::needs_grad(hidden) ||
      bias_needs) {
    tensor::record(operation, steps.states, {&projected, &weight, &bias, &hidden},
                   GruBackward{operation, Saved("hidden_weight", weight), Saved("hidden", hidden),
                               Saved::result(steps.states), steps.gates, steps.products});
  }
  return steps.states;
}

GruResult run_gru(const tensor::RecurrentKind& kind, const Tensor& input,
                  std::span<const RecurrentWeights> layers, const Tensor& state) {
  const tensor::RecurrentCall call = tensor::make_recurrent_call(kind, input, layers, {state, {}});
  Tensor x = call.input;
  std::vector<Tensor> hidden;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Tensor projected =
        linear(x, computed(layers[i].input_weight), taken(layers[i].input_bias));
    x = gru_layer(kind.name, projected, computed(layers[i].hidden_weight),
                  taken(layers[i].hidden_bias), call.hidden[i]);
    hidden.push_back(x[x.size(0) - 1]);
  }
  return {x.cast(call.dtype), tensor::joined_states(hidden).cast(call.dtype)};
}

}  // namespace

Tensor gru_cell(const Tensor& input, const Tensor& hidden, const RecurrentWeights& weights) {
  return run_gru({"gru_cell", 3, true}, input, {&weights, 1}, hidden).state[0];
}

GruResult gru(const Tensor& input, const std::vector<RecurrentWeights>& layers,
              const Tensor& state) {
  return run_gru({"gru", 3, false}, input, layers, state);
}

}  // namespace patchbay
