// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fuse/expression_text.h"

#include <array>

namespace patchbay::tensor {
namespace {

using Kind = ExpressionNode::Kind;

/// The precedence of an expression, as in C.
enum Binding { kChoice, kEither, kEquality, kOrder, kSum, kProduct, kSign, kAtom };

struct Infix {
  const Operator& op;
  const char* sign;
  Binding binding;
};
constexpr std::array kInfixes{Infix{op::add, " + ", kSum},
                              Infix{op::sub, " - ", kSum},
                              Infix{op::mul, " * ", kProduct},
                              Infix{op::div, " / ", kProduct},
                              Infix{op::eq, " == ", kEquality},
                              Infix{op::ne, " != ", kEquality},
                              Infix{op::lt, " < ", kOrder},
                              Infix{op::le, " <= ", kOrder},
                              Infix{op::logical_or, " or ", kEither},
                              Infix{op::gt, " > ", kOrder},
                              Infix{op::ge, " >= ", kOrder}};

class Writer {
 public:
  explicit Writer(std::span<const std::string_view> names) : names_(names) {}

  /// Writes the node, in parentheses if its precedence is below `least`.
  std::string write(const ExpressionNode& node, int least) const {
    const auto [text, binding] = parts_of(node);
    return binding < least ? '(' + text + ')' : text;
  }

 private:
  struct Text {
    std::string text;
    Binding binding = kAtom;
  };

  Text parts_of(const ExpressionNode& node) const {
    const auto operand = [&](std::size_t i, int least) { return write(*node.operands[i], least); };
    switch (node.kind) {
      case Kind::kInput: return {std::string(names_[node.input])};
      case Kind::kLiteral: return {node.literal.to_string()};
      case Kind::kLowest: return {"lowest"};
      case Kind::kHighest: return {"highest"};
      case Kind::kCast: return {std::string(patchbay::to_string(node.dtype)) + call(node)};
      case Kind::kLike:
      case Kind::kWide: return parts_of(*node.operands[0]);
      case Kind::kOperator: break;
    }
    if (node.op->id == op::neg.id) return {'-' + operand(0, kSign), kSign};
    if (node.op->id == op::where.id) {
      return {operand(0, kEither) + " ? " + operand(1, kEither) + " : " + operand(2, kChoice),
              kChoice};
    }
    for (const auto& [op, sign, binding] : kInfixes) {
      if (op.id == node.op->id) {
        return {operand(0, binding) + sign + operand(1, binding + 1), binding};
      }
    }
    return {node.op->name + call(node)};
  }

  std::string call(const ExpressionNode& node) const {
    std::string text = "(";
    for (std::size_t i = 0; i < node.num_operands; ++i) {
      if (i != 0) text += ", ";
      text += write(*node.operands[i], kChoice);
    }
    return text + ')';
  }

  const std::span<const std::string_view> names_;
};

}  // namespace

std::string to_text(const Expression& expression, std::span<const std::string_view> names) {
  return Writer(names).write(*expression.node(), kChoice);
}

}  // namespace patchbay::tensor
