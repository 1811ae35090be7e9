// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fuse/expression.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <unordered_set>
#include <vector>

#include "patchbay/plugin/kernels/elementwise.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/clamp_bounds.h"

namespace patchbay {

namespace tensor {
namespace {

constexpr std::uint16_t kMaxDepth = 1000;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

Expression finish(ExpressionNode node) {
  node.id = next_id();
  for (std::size_t i = 0; i < node.num_operands; ++i) {
    if (node.operands[i] == nullptr) {
      base::raise(ErrorCode::kInvalidArgument,
                  "[fuse] an operand is undefined: expected an expression of the function's "
                  "parameters. Use only these and what is made of them.");
    }
    node.depth = std::max(node.depth, static_cast<std::uint16_t>(node.operands[i]->depth + 1));
  }
  if (node.depth > kMaxDepth) {
    base::raise(ErrorCode::kInvalidArgument,
                "[fuse] the expression is too deep: expected at most {} operations one after "
                "the other. Split it.",
                kMaxDepth);
  }
  return Expression(std::make_shared<const ExpressionNode>(std::move(node)));
}

template <class... Operands>
Expression make(ExpressionNode::Kind kind, const Operator* op, DType dtype,
                const Operands&... operands) {
  ExpressionNode node;
  node.kind = kind;
  node.op = op;
  node.dtype = dtype;
  node.num_operands = sizeof...(operands);
  node.operands = {operands.node()...};
  return finish(std::move(node));
}

using Kind = ExpressionNode::Kind;

Expression bound(const std::optional<Scalar>& value, Kind otherwise) {
  return value ? literal(*value) : make(otherwise, nullptr, DType::f32);
}

}  // namespace

Expression literal(const Scalar& value) {
  ExpressionNode node;
  node.literal = value;
  return finish(std::move(node));
}

Expression input(std::uint64_t function, std::uint32_t number) {
  ExpressionNode node;
  node.kind = Kind::kInput;
  node.function = function;
  node.input = number;
  return finish(std::move(node));
}

Expression apply(const Operator& op, const Expression& a) {
  return make(Kind::kOperator, &op, DType::f32, a);
}
Expression apply(const Operator& op, const Expression& a, const Expression& b) {
  return make(Kind::kOperator, &op, DType::f32, a, b);
}
Expression apply(const Operator& op, const Expression& a, const Expression& b,
                 const Expression& c) {
  return make(Kind::kOperator, &op, DType::f32, a, b, c);
}
Expression apply(const Operator& op, std::span<const Expression> operands) {
  if (operands.size() == 1) return apply(op, operands[0]);
  if (operands.size() == 2) return apply(op, operands[0], operands[1]);
  return apply(op, operands[0], operands[1], operands[2]);
}
Expression like(const Expression& a, const Expression& model) {
  return make(Kind::kLike, nullptr, DType::f32, a, model);
}
Expression wide(const Expression& a) { return make(Kind::kWide, nullptr, DType::f32, a); }

std::vector<NodePtr> nodes_of(std::span<const Expression> expressions) {
  std::vector<NodePtr> open, found;
  std::unordered_set<const ExpressionNode*> seen;
  const auto visit = [&](const NodePtr& node) {
    if (seen.insert(node.get()).second) open.push_back(node);
  };
  for (const Expression& expression : expressions) visit(expression.node());
  while (!open.empty()) {
    const NodePtr node = open.back();
    open.pop_back();
    for (std::size_t i = 0; i < node->num_operands; ++i) visit(node->operands[i]);
    found.push_back(node);
  }
  std::sort(found.begin(), found.end(),
            [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
  return found;
}

}  // namespace tensor

Expression Expression::cast(DType dtype) const {
  return tensor::make(tensor::Kind::kCast, nullptr, dtype, *this);
}

#define PATCHBAY_DEFINE_2(name, ...)                               \
  Expression name(const Expression& a, const Expression& b) {      \
    return tensor::apply(tensor::op::name, a, b);                  \
  }                                                                \
  Expression name(const Expression& a, const Scalar& b) {          \
    return tensor::apply(tensor::op::name, a, tensor::literal(b)); \
  }                                                                \
  Expression name(const Scalar& a, const Expression& b) {          \
    return tensor::apply(tensor::op::name, tensor::literal(a), b); \
  }
#define PATCHBAY_DEFINE_1(name, ...) \
  Expression name(const Expression& a) { return tensor::apply(tensor::op::name, a); }

#define PATCHBAY_DEFINE_LOGIC(name, count, expression) PATCHBAY_DEFINE_##count(name, expression)

PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_DEFINE_1)
PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_DEFINE_2)
PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_DEFINE_2)
PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_DEFINE_1)
PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_DEFINE_LOGIC)

Expression where(const Expression& condition, const Expression& a, const Expression& b) {
  return tensor::apply(tensor::op::where, condition, a, b);
}
Expression where(const Expression& condition, const Expression& a, const Scalar& b) {
  return where(condition, a, tensor::literal(b));
}
Expression where(const Expression& condition, const Scalar& a, const Expression& b) {
  return where(condition, tensor::literal(a), b);
}
Expression where(const Expression& condition, const Scalar& a, const Scalar& b) {
  const bool in_floats = a.is_floating() || b.is_floating();
  // If b is chosen, the other term is -0, and -0 + b is b with its sign.
  return where(condition, a, neg(condition.cast(in_floats ? DType::f32 : DType::i64)) + b);
}

Expression clamp(const Expression& a, const std::optional<Scalar>& low,
                 const std::optional<Scalar>& high) {
  tensor::check_bounds(nullptr, low, high);
  return tensor::apply(tensor::op::clamp, a, tensor::bound(low, tensor::Kind::kLowest),
                       tensor::bound(high, tensor::Kind::kHighest));
}

}  // namespace patchbay

namespace patchbay::tensor {
namespace {

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
