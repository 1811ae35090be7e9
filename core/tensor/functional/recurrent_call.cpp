// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/functional/recurrent_call.h"

#include <string>

#include <fmt/format.h>

#include "patchbay/autograd.h"
#include "patchbay/concat.h"
#include "patchbay/ops.h"

#include "core/tensor/base/grad_state.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/products/gemm.h"

namespace patchbay::tensor {

namespace {

void check_input(const RecurrentKind& kind, const NamedOperand& input) {
  check_dtype_allowed(kind.name, kFloats, input);
  const Shape& shape = input.tensor.shape;
  if (shape.rank() != (kind.is_cell ? 2 : 3)) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] input has the wrong shape: expected {}, got {} ({}). Reshape it.", kind.name,
          kind.is_cell ? "[batch, in]" : "[steps, batch, in]", to_string(shape), describe(input));
  }
  if (!kind.is_cell && shape[0] == 0) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] no steps: expected one or more, got input of shape {} ({}). Skip empty "
          "sequences.",
          kind.name, to_string(shape), describe(input));
  }
}

/// The number of hidden units, from the first layer's hidden weight.
std::int64_t check_layers(const RecurrentKind& kind, const NamedOperand& input,
                          std::span<const RecurrentWeights> layers) {
  if (layers.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the list of layers is empty ({}). Pass the weights of at least one layer.",
          kind.name, describe(input));
  }
  const NamedOperand first{"hidden_weight",
                           operand_of(kind.name, layers[0].hidden_weight, "hidden_weight")};
  const Shape& shape = first.tensor.shape;
  const std::int64_t n = shape.rank() == 2 ? shape[1] : 0;
  if (shape.rank() != 2 || shape[0] != kind.num_gates * n) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] hidden_weight has the wrong shape: expected [{} n, n], got {} ({}; {}). Pass "
          "another one.",
          kind.name, kind.num_gates, to_string(shape), describe(input), describe(first));
  }
  const std::int64_t rows = kind.num_gates * n;
  std::int64_t features = input.tensor.shape[input.tensor.shape.rank() - 1];
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto check = [&](const char* what, const Tensor& a, const Shape& expected) {
      const std::string name =
          layers.size() == 1 ? std::string(what) : fmt::format("{} of layer {}", what, i);
      check_operand(kind.name, input, name.c_str(), a, expected);
    };
    check("input_weight", layers[i].input_weight, {rows, features});
    check("hidden_weight", layers[i].hidden_weight, {rows, n});
    if (layers[i].input_bias.defined()) check("input_bias", layers[i].input_bias, {rows});
    if (layers[i].hidden_bias.defined()) check("hidden_bias", layers[i].hidden_bias, {rows});
    features = n;
  }
  return n;
}

Tensor state_of(const RecurrentKind& kind, const NamedOperand& input, const char* name,
                const Tensor& state, const Shape& shape, const Shape& whole) {
  if (!state.defined()) {
    const DType dtype = is_small(input.tensor.dtype) ? DType::f32 : input.tensor.dtype;
    return handle_of(input.tensor).new_zeros(whole, dtype);
  }
  check_operand(kind.name, input, name, state, shape);
  return computed(state).reshape(whole);
}

}  // namespace

RecurrentCall make_recurrent_call(const RecurrentKind& kind, const Tensor& input,
                                  std::span<const RecurrentWeights> layers,
                                  const LstmState& state) {
  const NamedOperand given{"input", operand_of(kind.name, input, "input")};
  check_input(kind, given);
  const std::int64_t n = check_layers(kind, given, layers);
  const std::int64_t batch = input.size(-2), count = static_cast<std::int64_t>(layers.size());
  const Shape whole{count, batch, n}, shape = kind.is_cell ? Shape{batch, n} : whole;
  const bool is_lstm = kind.num_gates == 4;
  if (is_lstm && state.hidden.defined() != state.cell.defined()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] half of a state: expected hidden and cell, or neither, got only {} ({}). "
          "Give both.",
          kind.name, state.hidden.defined() ? "hidden" : "cell", describe(given));
  }
  const Tensor hidden = state_of(kind, given, "hidden", state.hidden, shape, whole);
  const Tensor cell = is_lstm ? state_of(kind, given, "cell", state.cell, shape, whole) : Tensor();
  const Tensor x = computed(input);
  return {kind.is_cell ? x.unsqueeze(0) : x, hidden, cell, input.dtype()};
}

Tensor joined_states(const std::vector<Tensor>& states) {
  return states.size() == 1 ? states[0].unsqueeze(0) : stack(states);
}

void refuse_second_derivative(const char* operation) {
  if (!is_grad_enabled()) return;
  raise(ErrorCode::kUnsupported,
        "[{0}] gradients of {0} can't be recorded (create_graph). Write the steps with linear, "
        "sigmoid and tanh where second derivatives are wanted.",
        operation);
}

Tensor hidden_weight_gradient(const Tensor& slopes, const Tensor& hidden, const Tensor& first) {
  const std::int64_t steps = slopes.size(0);
  Tensor result = matmul(slopes[0].t(), first);
  if (steps == 1) return result;
  const Tensor later = as_rows(slopes.slice(0, 1, steps));
  matmul_out(result, later.t(), as_rows(hidden.slice(0, 0, steps - 1)), 1, 1);
  return result;
}

}  // namespace patchbay::tensor
