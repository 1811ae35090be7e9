// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The derivatives of fused expressions: the gradient columns of the elementwise table with
// expressions for T.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "patchbay/plugin/kernels/elementwise.h"

#include "core/tensor/fuse/expression.h"

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

/// What the formulas are of: operands by number, and the result.
struct Operands {
  Symbol at[3];
  Symbol out, grad;
};
/// The gradient of one operand.
using Formula = Symbol (*)(const Operands& operands);
struct Rule {
  std::string_view op;
  Formula of[3];  // null: none
};
using T = Symbol;

// The table is C as well, and casts like it. The lambdas do not use all that the formulas may.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define PATCHBAY_FORMULA(first, second, third, expression)             \
  [](const Operands& operands) -> Symbol {                             \
    [[maybe_unused]] const auto& [first, second, third] = operands.at; \
    [[maybe_unused]] const auto& out = operands.out;                   \
    [[maybe_unused]] const auto& grad = operands.grad;                 \
    return expression;                                                 \
  }
#define PATCHBAY_RULE_UNARY(name, dtypes, floats, integers, gradient) \
  {#name, {PATCHBAY_FORMULA(a, b, c, gradient), nullptr, nullptr}},
#define PATCHBAY_RULE_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  {#name, {PATCHBAY_FORMULA(a, b, c, gradient_a), PATCHBAY_FORMULA(a, b, c, gradient_b), nullptr}},
#define PATCHBAY_RULE_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  {#name,                                                                      \
   {nullptr, PATCHBAY_FORMULA(condition, a, b, gradient_a),                    \
    PATCHBAY_FORMULA(condition, a, b, gradient_b)}},
#define PATCHBAY_RULE_BOUNDED(name, dtypes, expression, gradient) \
  {#name, {PATCHBAY_FORMULA(a, low, high, gradient), nullptr, nullptr}},
constexpr Rule kRules[] = {PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_RULE_UNARY)    //
                           PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_RULE_BINARY)  //
                           PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_RULE_CHOICE)  //
                           PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_RULE_BOUNDED)};
#undef PATCHBAY_RULE_UNARY
#undef PATCHBAY_RULE_BINARY
#undef PATCHBAY_RULE_CHOICE
#undef PATCHBAY_RULE_BOUNDED
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
      case ExpressionNode::Kind::kLiteral:
      case ExpressionNode::Kind::kLowest:
      case ExpressionNode::Kind::kHighest: return;
      case ExpressionNode::Kind::kCast:
        if (!is_floating(node->dtype)) return;
        [[fallthrough]];
      case ExpressionNode::Kind::kLike:
        return receive(node->operands[0].get(), like(gradient, operand(0)));
      case ExpressionNode::Kind::kOperator: return pass_operator(node, gradient);
    }
  }

 private:
  void pass_operator(const NodePtr& node, const Expression& gradient) {
    const auto* const rule =
        std::find_if(std::begin(kRules), std::end(kRules),
                     [&](const Rule& known) { return known.op == node->op->name; });
    if (rule == std::end(kRules)) return;  // a comparison, or logic
    // Numbers take the result's dtype: formulas may compare two of them. A condition has its own.
    const auto operand = [&](std::size_t i) -> Expression {
      if (i >= node->num_operands) return Expression(nullptr);
      const Expression given(node->operands[i]);
      return node->op->arguments[1 + i] == 'c' ? given : like(given, Expression(node));
    };
    const Operands operands{{operand(0), operand(1), operand(2)}, Expression(node), gradient};
    for (std::size_t i = 0; i < node->num_operands; ++i) {
      if (rule->of[i] == nullptr || !depends_.contains(node->operands[i].get())) continue;
      receive(node->operands[i].get(), rule->of[i](operands));
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
