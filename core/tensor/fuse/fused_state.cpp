// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fuse/fused_state.h"

#include <array>
#include <atomic>
#include <utility>

#include "core/base/error.h"
#include "core/tensor/fuse/derivatives.h"

namespace patchbay::tensor {

using base::raise;

namespace {

void check_traced(const FusedState& state) {
  if (state.outputs.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the function gives nothing: expected one expression or more.", state.name);
  }
  if (state.num_inputs > kMaxFusedInputs) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the function has too many parameters: expected at most {}, got {}. Split it.",
          state.name, kMaxFusedInputs, state.num_inputs);
  }
  for (const Expression& output : state.outputs) {
    if (output.node() != nullptr) continue;
    raise(ErrorCode::kInvalidArgument, "[{}] an output is an undefined expression.", state.name);
  }
  for (const NodePtr& node : nodes_of(state.outputs)) {
    if (node->kind != ExpressionNode::Kind::kInput || node->function == state.function) continue;
    raise(ErrorCode::kInvalidArgument,
          "[{}] the function uses an expression of another function: expected its own parameters "
          "alone. Pass what it needs as a parameter.",
          state.name);
  }
}

/// The function's parameters. Creates those that the function does not use.
std::vector<Expression> parameters_of(const FusedState& state) {
  std::vector<Expression> parameters(state.num_inputs, Expression(nullptr));
  for (const NodePtr& node : nodes_of(state.outputs)) {
    if (node->kind == ExpressionNode::Kind::kInput) parameters[node->input] = Expression(node);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].node() != nullptr) continue;
    parameters[i] = input(state.function, static_cast<std::uint32_t>(i));
  }
  return parameters;
}

}  // namespace

std::uint64_t next_function() {
  constinit static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::string_view input_name(const FusedState& state, std::size_t i) {
  return state.op != nullptr ? operand_name(*state.op, i) : input_name(i);
}

std::string_view input_name(std::size_t i) {
  static constexpr std::array<std::string_view, kMaxFusedInputs> kNames{
      "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",  "l",  "m",  "n",  "o",  "p",
      "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "aa", "ab", "ac", "ad", "ae", "af"};
  return kNames[i];
}

std::shared_ptr<FusedState> make_state(std::string name, std::uint64_t function,
                                       std::size_t num_inputs, std::vector<Expression> outputs,
                                       const Operator* op, Known known, bool is_gradient) {
  auto state = std::shared_ptr<FusedState>(new FusedState{std::move(name),
                                                          function,
                                                          num_inputs,
                                                          std::move(outputs),
                                                          op,
                                                          std::move(known),
                                                          is_gradient,
                                                          {},
                                                          {},
                                                          {}});
  check_traced(*state);
  return state;
}

std::vector<Flow> flows_of(const FusedState& state, std::span<const std::size_t> outputs,
                           std::span<const std::size_t> inputs) {
  const std::vector<Expression> parameters = parameters_of(state);
  std::vector<Expression> from, incoming, to;
  for (const std::size_t o : outputs) {
    const std::size_t number = state.num_inputs + incoming.size();
    incoming.push_back(input(state.function, static_cast<std::uint32_t>(number)));
    from.push_back(state.outputs[o]);
  }
  for (const std::size_t i : inputs) to.push_back(parameters[i]);
  std::vector<Expression> found = gradients(from, incoming, to, state.known);
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (found[i].node() != nullptr) found[i] = like(found[i], to[i]);
    flows.push_back({inputs[i], std::move(found[i])});
  }
  return flows;
}

std::shared_ptr<FusedState> gradient_state(const FusedState& state, std::size_t num_outputs,
                                           std::span<const Flow> flows) {
  const std::vector<Expression> parameters = parameters_of(state);
  std::vector<Expression> results;
  for (const Flow& flow : flows) {
    const bool any = flow.gradient.node() != nullptr;
    results.push_back(any ? flow.gradient : like(literal(0), parameters[flow.input]));
  }
  const std::size_t num_known = state.known.node != nullptr ? 1 : 0;
  return make_state(state.name + " gradients", state.function,
                    state.num_inputs + num_outputs + num_known, std::move(results), nullptr, {},
                    /*is_gradient=*/true);
}

}  // namespace patchbay::tensor
