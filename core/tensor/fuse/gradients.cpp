// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Differentiates fused expressions.
#include <unordered_map>
#include <unordered_set>

#include "core/tensor/fuse/derivatives.h"

namespace patchbay::tensor {
namespace {

/// Walks the graph backwards and sums the gradients of each node.
class Backward {
 public:
  Backward(const std::vector<NodePtr>& nodes, std::span<const Expression> inputs,
           const Known& known)
      : known_(known) {
    for (const Expression& input : inputs) depends_.insert(input.node().get());
    for (const NodePtr& node : nodes) {
      for (std::size_t i = 0; i < node->num_operands; ++i) {
        if (depends_.contains(node->operands[i].get())) depends_.insert(node.get());
      }
    }
  }

  void receive(const ExpressionNode* node, const Expression& gradient) {
    if (!depends_.contains(node)) return;
    const auto [at, is_first] = flows_.try_emplace(node, gradient);
    if (!is_first) at->second = at->second + gradient;
  }
  Expression flow_into(const ExpressionNode* node) const {
    const auto found = flows_.find(node);
    return found == flows_.end() ? Expression(nullptr) : found->second;
  }

  void pass(const NodePtr& node) {
    const Expression gradient = flow_into(node.get());
    if (gradient.node() == nullptr) return;
    const auto operand = [&](std::size_t i) { return Expression(node->operands[i]); };
    switch (node->kind) {
      case ExpressionNode::Kind::kInput:
      case ExpressionNode::Kind::kLiteral:
      case ExpressionNode::Kind::kLowest:
      case ExpressionNode::Kind::kHighest: return;
      case ExpressionNode::Kind::kCast:
        if (!is_floating(node->dtype)) return;
        [[fallthrough]];
      case ExpressionNode::Kind::kLike:
      case ExpressionNode::Kind::kWide:
        return receive(node->operands[0].get(), like(gradient, operand(0)));
      case ExpressionNode::Kind::kOperator: return pass_operator(node, gradient);
    }
  }

 private:
  void pass_operator(const NodePtr& node, const Expression& gradient) {
    // Numbers take the result's dtype: formulas may compare two of them. A condition keeps its own.
    // As for a single operation, 16-bit floats are computed in f32 and rounded once.
    const bool widens = is_better_in_f32(*node->op);
    const auto widened = [&](const Expression& value) { return widens ? wide(value) : value; };
    const auto operand = [&](std::size_t i) -> Expression {
      if (i >= node->num_operands) return Expression(nullptr);
      const Expression given(node->operands[i]);
      return is_condition(*node->op, i) ? given : widened(like(given, Expression(node)));
    };
    const Expression out = node.get() == known_.node ? known_.value : Expression(node);
    const DerivativeTerms terms{
        {operand(0), operand(1), operand(2)}, widened(out), widened(gradient)};
    for (std::size_t i = 0; i < node->num_operands; ++i) {
      if (!depends_.contains(node->operands[i].get())) continue;
      const Expression flow = derivative(*node->op, i, terms);
      if (flow.node() == nullptr) continue;
      receive(node->operands[i].get(), widens ? like(flow, Expression(node)) : flow);
    }
  }

  const Known& known_;
  std::unordered_map<const ExpressionNode*, Expression> flows_;
  std::unordered_set<const ExpressionNode*> depends_;  // nodes that depend on the inputs
};

}  // namespace

std::vector<Expression> gradients(std::span<const Expression> outputs,
                                  std::span<const Expression> incoming,
                                  std::span<const Expression> inputs, const Known& known) {
  const std::vector<NodePtr> nodes = nodes_of(outputs);
  Backward backward(nodes, inputs, known);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    backward.receive(outputs[i].node().get(), incoming[i]);
  }
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) backward.pass(*node);
  std::vector<Expression> result;
  for (const Expression& input : inputs) {
    result.push_back(backward.flow_into(input.node().get()));
  }
  return result;
}

}  // namespace patchbay::tensor
