// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fuse/expression_text.h"

#include <array>
#include <cstddef>
#include <map>
#include <vector>

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

  /// Writes the node, and gives names to long parts that occur several times.
  std::string write_with_names(const ExpressionNode& root) {
    constexpr std::array kNames{"x", "y", "z", "u", "v", "w"};
    std::vector<const ExpressionNode*> parts{&root};
    while (parts.size() <= kNames.size()) {
      const ExpressionNode* const part = longest_repeated(parts);
      if (part == nullptr) break;
      parts.push_back(part);
      part_names_.emplace(whole(*part), "");
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
      part_names_[whole(*parts[i])] = kNames[parts.size() - 1 - i];
    }
    std::string text = define(root);
    for (std::size_t i = parts.size(); i-- > 1;) {  // the parts of parts first
      text += (i + 1 == parts.size() ? " with " : ", ") + part_names_.at(whole(*parts[i])) + " = " +
              define(*parts[i]);
    }
    return text;
  }

 private:
  struct Text {
    std::string text;
    Binding binding = kAtom;
  };

  /// The text without names for parts.
  std::string whole(const ExpressionNode& node) const {
    return Writer(names_).write(node, kChoice);
  }

  std::string define(const ExpressionNode& part) {
    const auto own = part_names_.extract(whole(part));  // not by its own name
    std::string text = write(part, kChoice);
    if (own) part_names_.emplace(own.key(), own.mapped());
    return text;
  }

  /// Null if there is none.
  const ExpressionNode* longest_repeated(const std::vector<const ExpressionNode*>& parts) const {
    constexpr std::size_t kLong = 24;
    std::map<std::string, int> counts;
    std::string longest;
    const ExpressionNode* found = nullptr;
    const auto visit = [&](const auto& again, const ExpressionNode& node) -> void {
      for (std::size_t i = 0; i < node.num_operands; ++i) {
        const ExpressionNode& operand = *node.operands[i];
        const std::string text = whole(operand);
        if (part_names_.contains(text)) continue;
        if (operand.kind == Kind::kOperator && ++counts[text] > 1 && text.size() >= kLong &&
            text.size() > longest.size()) {
          longest = text;
          found = &operand;
        }
        again(again, operand);
      }
    };
    for (const ExpressionNode* const part : parts) visit(visit, *part);
    return found;
  }

  Text parts_of(const ExpressionNode& node) const {
    if (!part_names_.empty() && node.kind == Kind::kOperator) {
      const auto named = part_names_.find(whole(node));
      if (named != part_names_.end()) return {named->second};
    }
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
  std::map<std::string, std::string> part_names_;  // by their whole texts
};

}  // namespace

std::string to_text(const Expression& expression, std::span<const std::string_view> names) {
  return Writer(names).write_with_names(*expression.node());
}

}  // namespace patchbay::tensor
