// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fuse/expression.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

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
      runtime::raise(ErrorCode::kInvalidArgument,
                     "[fuse] an operand is undefined: expected an expression of the function's "
                     "parameters. Use only these and what is made of them.");
    }
    node.depth = std::max(node.depth, static_cast<std::uint16_t>(node.operands[i]->depth + 1));
  }
  if (node.depth > kMaxDepth) {
    runtime::raise(ErrorCode::kInvalidArgument,
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
