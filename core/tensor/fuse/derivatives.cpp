// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fuse/derivatives.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "patchbay/plugin/kernels/elementwise.h"

#include "core/tensor/fuse/expression.h"

namespace patchbay::tensor {
namespace {

/// The type T of the formulas: an expression, or a number that becomes a literal.
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
PATCHBAY_SYMBOL_OPERATOR(|, logical_or)
#undef PATCHBAY_SYMBOL_OPERATOR
Symbol operator-(const Symbol& a) { return apply(op::neg, a); }
Symbol select(const Symbol& condition, const Symbol& a, const Symbol& b) {
  return apply(op::where, condition, a, b);
}
#define PATCHBAY_SELECT(condition, x, y) select(condition, x, y)

using Formula = Expression (*)(const DerivativeTerms& terms);
using Formulas = std::array<Formula, 3>;  // by operand; null: no gradient
using T = Symbol;

// The table is also C, and uses C casts. No formula uses all of its parameters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#define PATCHBAY_FORMULA(first, second, third, expression)                             \
  [](const DerivativeTerms& terms) -> Expression {                                     \
    [[maybe_unused]] const Symbol first(terms.operands[0]), second(terms.operands[1]), \
        third(terms.operands[2]), out(terms.out), grad(terms.grad);                    \
    return static_cast<Symbol>(expression);                                            \
  }
#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient) \
  case op::name.id:                                              \
    return {PATCHBAY_FORMULA(a, b, c, gradient)};
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  case op::name.id:                                                             \
    return {PATCHBAY_FORMULA(a, b, c, gradient_a), PATCHBAY_FORMULA(a, b, c, gradient_b)};
#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  case op::name.id:                                                       \
    return {nullptr, PATCHBAY_FORMULA(condition, a, b, gradient_a),       \
            PATCHBAY_FORMULA(condition, a, b, gradient_b)};
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  case op::name.id: return {PATCHBAY_FORMULA(a, low, high, gradient)};

Formulas formulas_of(const Operator& op) {
  switch (op.id) {
    PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)
    PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)
    PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)
    PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)
    default: return {};  // a comparison, or logic
  }
}
#pragma GCC diagnostic pop

}  // namespace

Expression derivative(const Operator& op, std::size_t i, const DerivativeTerms& terms) {
  const Formula formula = formulas_of(op)[i];
  return formula != nullptr ? formula(terms) : Expression(nullptr);
}

namespace {

bool is_exact(const Operator& op) {
  return op.result == Result::kBoolean || op.id == op::where.id || op.id == op::neg.id;
}

bool find_better_in_f32(const Operator& op) {
  const DerivativeTerms terms{{input(0, 0), input(0, 1), input(0, 2)}, input(0, 3), input(0, 4)};
  for (std::size_t i = 0; i < terms.operands.size(); ++i) {
    const Expression gradient = derivative(op, i, terms);
    if (gradient.node() == nullptr) continue;
    const std::vector<NodePtr> nodes = nodes_of({&gradient, 1});
    std::size_t num_operations = 0, num_rounded = 0;
    for (const NodePtr& node : nodes) {
      if (node->kind != ExpressionNode::Kind::kOperator) continue;
      ++num_operations;
      if (!is_exact(*node->op)) ++num_rounded;
    }
    if (num_rounded > 1 || num_operations > 2) return true;
  }
  return false;
}

}  // namespace

bool is_better_in_f32(const Operator& op) {
  static const auto& found = *new auto([] {
    std::array<bool, kOperators.size()> each{};
    for (const Operator& one : kOperators) each[one.id] = find_better_in_f32(one);
    return each;
  }());
  return found[op.id];
}

std::string_view operand_name(const Operator& op, std::size_t i) {
  return op.signature->parameters[i + 1].name;  // the first is the result
}

std::string derivative_text(const Operator& op) {
  const DerivativeTerms terms{{input(0, 0), input(0, 1), input(0, 2)}, input(0, 3), input(0, 4)};
  std::array<std::string_view, 5> names{"", "", "", "out", "grad"};
  // Operators without such formulas may have more operands.
  const std::size_t num_operands =
      std::min(terms.operands.size(), op.signature->parameters.size() - 1);
  for (std::size_t i = 0; i < num_operands; ++i) names[i] = operand_name(op, i);
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < num_operands; ++i) {
    const Expression gradient = derivative(op, i, terms);
    if (gradient.node() == nullptr) continue;
    if (++count > 1) text += "; ";
    text += std::string(names[i]) + ": " + to_text(gradient, names);
  }
  return count == 1 ? text.substr(text.find(": ") + 2) : text;
}

// Differentiates fused expressions.

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
