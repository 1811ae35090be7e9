// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/elementwise/unfused.h"

#include <array>
#include <iterator>

#include "patchbay/ops.h"
#include "patchbay/plugin/kernels/elementwise.h"

#include "core/base/error.h"

namespace patchbay::tensor {

namespace {

using Kind = ExpressionNode::Kind;

/// Skips casts: a single operation computes in one dtype.
const ExpressionNode& without_casts(const ExpressionNode& node) {
  const bool casts =
      node.kind == Kind::kCast || node.kind == Kind::kLike || node.kind == Kind::kWide;
  return casts ? without_casts(*node.operands[0]) : node;
}

using Operands = std::array<const TensorOrScalar*, 3>;

template <class Operation>
Tensor binary(Operation operation, const TensorOrScalar& a, const TensorOrScalar& b) {
  if (!a.is_tensor()) return operation(a.scalar(), b.tensor());
  return b.is_tensor() ? operation(a.tensor(), b.tensor()) : operation(a.tensor(), b.scalar());
}

/// Computes one operator. At least one operand is a tensor; for `where`, one of the last two.
using Apply = Tensor (*)(const Operands& of);

/// By the operator's id. Null for an operator of which no derivative is made.
constexpr auto kApply = [] {
  std::array<Apply, std::size(kOperators)> table{};
#define PATCHBAY_UNARY(name, ...) \
  table[op::name.id] = [](const Operands& of) { return patchbay::name(of[0]->tensor()); };
#define PATCHBAY_BINARY(name, ...)                                                        \
  table[op::name.id] = [](const Operands& of) {                                           \
    return binary([](auto& x, auto& y) { return patchbay::name(x, y); }, *of[0], *of[1]); \
  };
  PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)
  PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)
  PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_BINARY)
  PATCHBAY_BINARY(logical_or)
  table[op::where.id] = [](const Operands& of) {
    const Tensor& condition = of[0]->tensor();
    return binary([&](auto& x, auto& y) { return where(condition, x, y); }, *of[1], *of[2]);
  };
  return table;
}();

Tensor apply_operator(const Operator& op, const Operands& operands) {
  if (kApply[op.id] == nullptr) {
    base::raise(ErrorCode::kInternal, "[backward] no derivative is made of {}.", op.name);
  }
  return kApply[op.id](operands);
}

class Computation {
 public:
  Computation(std::span<const TensorOrScalar> arguments, const Tensor& grad)
      : arguments_(arguments), grad_(grad) {}

  Tensor run(const ExpressionNode& operation) const {
    std::array<TensorOrScalar, 3> made{0, 0, 0};
    Operands operands{&made[0], &made[1], &made[2]};
    for (std::size_t i = 0; i < operation.num_operands; ++i) {
      const ExpressionNode& node = without_casts(*operation.operands[i]);
      if (node.kind == Kind::kInput) operands[i] = &arguments_[node.input];
      if (node.kind == Kind::kLiteral) made[i] = node.literal;
      if (node.kind == Kind::kOperator) made[i] = run(node);
    }
    const std::size_t first = is_condition(*operation.op, 0) ? 1 : 0;
    const auto is_tensor = [&](std::size_t i) { return operands[i]->is_tensor(); };
    if (!is_tensor(first) && !is_tensor(first + 1)) {  // two numbers: one becomes a tensor
      made[first] = grad_.new_full({}, operands[first]->scalar());
      operands[first] = &made[first];
    }
    return apply_operator(*operation.op, operands);
  }

 private:
  const std::span<const TensorOrScalar> arguments_;
  const Tensor& grad_;
};

}  // namespace

Tensor compute_unfused(const Expression& gradient, std::span<const TensorOrScalar> arguments,
                       const Tensor& grad) {
  return Computation(arguments, grad).run(without_casts(*gradient.node()));
}

bool is_one_operation(const Expression& gradient) {
  const ExpressionNode& node = without_casts(*gradient.node());
  if (node.kind != Kind::kOperator) return false;
  for (std::size_t i = 0; i < node.num_operands; ++i) {
    if (without_casts(*node.operands[i]).kind == Kind::kOperator) return false;
  }
  return true;
}

}  // namespace patchbay::tensor
