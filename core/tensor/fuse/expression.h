// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What fused functions are traced to: a graph of operators without dtypes, which come with the
// first call.
#ifndef PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_H_
#define PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "patchbay/fuse.h"

#include "core/tensor/dispatch/operators.h"

namespace patchbay::tensor {

using NodePtr = std::shared_ptr<const ExpressionNode>;

/// Immutable.
struct ExpressionNode {
  enum class Kind : std::uint8_t {
    kInput,
    kLiteral,
    kLowest,    // the literal that no number of the dtype is below
    kHighest,   // or above
    kOperator,  // of the elementwise table
    kCast,
    kLike  // operand 0 as the gradient of operand 1: cast to its dtype, 0 unless both are floats
  };
  Kind kind = Kind::kLiteral;
  DType dtype = DType::f32;  // of a cast
  std::uint8_t num_operands = 0;
  std::uint16_t depth = 0;  // of the operators below; bounded, so that recursion is safe
  std::uint32_t input = 0;
  std::uint64_t id = 0;        // larger than those of the operands
  std::uint64_t function = 0;  // of an input: whose parameter it is
  const Operator* op = nullptr;
  Scalar literal = 0;
  std::array<NodePtr, 3> operands;
};

/// A literal takes the dtype of what it meets.
Expression literal(const Scalar& value);
/// A parameter of the function of that number.
Expression input(std::uint64_t function, std::uint32_t number);
Expression apply(const Operator& op, const Expression& a);
Expression apply(const Operator& op, const Expression& a, const Expression& b);
Expression apply(const Operator& op, const Expression& a, const Expression& b, const Expression& c);
Expression like(const Expression& a, const Expression& model);

/// As many as the operator has.
Expression apply(const Operator& op, std::span<const Expression> operands);
/// Whether operand i is a tensor of bools, whatever the others are.
inline bool is_condition(const Operator& op, std::size_t i) { return op.arguments[1 + i] == 'c'; }

/// All that the expressions are made of, operands first.
std::vector<NodePtr> nodes_of(std::span<const Expression> expressions);

/// A node whose value need not be computed, since `value` has it.
struct Known {
  const ExpressionNode* node = nullptr;  // null: none
  Expression value{nullptr};
};

/// The gradients of `inputs`, given those of `outputs`: by the elementwise table's formulas. Null
/// where nothing flows.
std::vector<Expression> gradients(std::span<const Expression> outputs,
                                  std::span<const Expression> incoming,
                                  std::span<const Expression> inputs, const Known& known);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_H_
