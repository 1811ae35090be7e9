// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The derivatives of fused expressions: the gradient columns of the elementwise table with
// expressions for T.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "patchbay/plugin/kernels/elementwise.h"

#include "core/tensor/expression.h"

namespace patchbay::tensor {
namespace {

/// An expression, or a number that becomes a literal. The table's formulas read like numbers.
class Symbol {
 public:
  Symbol(Expression expression) : expression_(std::move(expression)) {}  // NOLINT
  Symbol(double value) : expression_(literal(value)) {}                  // NOLINT
  operator const Expression&() const { return expression_; }             // NOLINT

 private:
  Expression expression_;
};

#define PATCHBAY_SYMBOL_UNARY(name, dtypes, floats, integers, gradient) \
  [[maybe_unused]] Symbol name(const Symbol& a) { return apply(op::name, a); }
#define PATCHBAY_SYMBOL_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  [[maybe_unused]] Symbol name(const Symbol& a, const Symbol& b) { return apply(op::name, a, b); }
PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_SYMBOL_UNARY)
PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_SYMBOL_BINARY)
#undef PATCHBAY_SYMBOL_UNARY
#undef PATCHBAY_SYMBOL_BINARY

#define PATCHBAY_SYMBOL_OPERATOR(sign, name)                                \
  [[maybe_unused]] Symbol operator sign(const Symbol& a, const Symbol& b) { \
    return apply(op::name, a, b);                                           \
  }
PATCHBAY_SYMBOL_OPERATOR(+, add)
PATCHBAY_SYMBOL_OPERATOR(-, sub)
PATCHBAY_SYMBOL_OPERATOR(*, mul)
PATCHBAY_SYMBOL_OPERATOR(/, div)
PATCHBAY_SYMBOL_OPERATOR(==, eq)
PATCHBAY_SYMBOL_OPERATOR(!=, ne)
PATCHBAY_SYMBOL_OPERATOR(<, lt)
PATCHBAY_SYMBOL_OPERATOR(<=, le)
PATCHBAY_SYMBOL_OPERATOR(>, gt)
PATCHBAY_SYMBOL_OPERATOR(>=, ge)
#undef PATCHBAY_SYMBOL_OPERATOR
Symbol operator-(const Symbol& a) { return apply(op::neg, a); }

#define PATCHBAY_SELECT(condition, x, y) Symbol(where(Expression(condition), x, y))
Expression where(const Expression& condition, const Symbol& a, const Symbol& b) {
  return patchbay::where(condition, static_cast<const Expression&>(a),
                         static_cast<const Expression&>(b));
}

/// The gradient of one operand.
using Formula = Symbol (*)(const Symbol& a, const Symbol& b, const Symbol& out, const Symbol& grad);
struct Rule {
  std::string_view op;
  Formula of[2];
};
using T = Symbol;

// The table is C as well, and casts like it. The lambdas do not use all that the formulas may.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define PATCHBAY_FORMULA(expression)                                     \
  []([[maybe_unused]] const Symbol& a, [[maybe_unused]] const Symbol& b, \
     [[maybe_unused]] const Symbol& out, const Symbol& grad) -> Symbol { return expression; }
#define PATCHBAY_RULE_UNARY(name, dtypes, floats, integers, gradient) \
  {#name, {PATCHBAY_FORMULA(gradient), nullptr}},
#define PATCHBAY_RULE_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  {#name, {PATCHBAY_FORMULA(gradient_a), PATCHBAY_FORMULA(gradient_b)}},
constexpr Rule kRules[] = {PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_RULE_UNARY)
                               PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_RULE_BINARY)};
#undef PATCHBAY_RULE_UNARY
#undef PATCHBAY_RULE_BINARY
#pragma GCC diagnostic pop

/// Walks the graph backwards and sums what flows into each node.
class Backward {
 public:
  Backward(const std::vector<NodePtr>& nodes, std::span<const Expression> inputs) {
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
      case ExpressionNode::Kind::kLiteral: return;
      case ExpressionNode::Kind::kCast:
      case ExpressionNode::Kind::kLike:
        return receive(node->operands[0].get(), like(gradient, operand(0)));
      case ExpressionNode::Kind::kSelect:
        receive(node->operands[1].get(), patchbay::where(operand(0), gradient, 0));
        return receive(node->operands[2].get(), patchbay::where(operand(0), 0, gradient));
      case ExpressionNode::Kind::kOperator: return pass_operator(node, gradient);
    }
  }

 private:
  void pass_operator(const NodePtr& node, const Expression& gradient) {
    const auto* const rule =
        std::find_if(std::begin(kRules), std::end(kRules),
                     [&](const Rule& known) { return known.op == node->op->name; });
    if (rule == std::end(kRules)) return;  // a comparison, or logic
    const Expression a(node->operands[0]), b(node->operands[node->num_operands - 1U]);
    for (std::size_t i = 0; i < node->num_operands; ++i) {
      if (!depends_.contains(node->operands[i].get())) continue;
      receive(node->operands[i].get(), rule->of[i](a, b, Expression(node), gradient));
    }
  }

  std::unordered_map<const ExpressionNode*, Expression> flows_;
  std::unordered_set<const ExpressionNode*> depends_;  // on what is asked for
};

}  // namespace

std::vector<Expression> gradients(std::span<const Expression> outputs,
                                  std::span<const Expression> incoming,
                                  std::span<const Expression> inputs) {
  const std::vector<NodePtr> nodes = nodes_of(outputs);
  Backward backward(nodes, inputs);
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
