// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The traces of fused functions: graphs of operators without dtypes, which the first call fixes;
// and their text.
#ifndef PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_H_
#define PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
    kLowest,    // the smallest value of the dtype
    kHighest,   // the largest
    kOperator,  // of the elementwise table
    kCast,
    kLike,  // operand 0 as the gradient of operand 1: cast to its dtype, 0 unless both are floats
    kWide   // operand 0, a 16-bit float as f32
  };
  Kind kind = Kind::kLiteral;
  DType dtype = DType::f32;  // for a cast
  std::uint8_t num_operands = 0;
  std::uint16_t depth = 0;  // of the operators below; bounded, so recursion is safe
  std::uint32_t input = 0;
  std::uint64_t id = 0;        // larger than the operands' ids
  std::uint64_t function = 0;  // for an input: the function that it belongs to
  const Operator* op = nullptr;
  Scalar literal = 0;
  std::array<NodePtr, 3> operands;
};

/// A literal takes the dtype of the other operands.
Expression literal(const Scalar& value);
/// A parameter of the function with that number.
Expression input(std::uint64_t function, std::uint32_t number);
Expression apply(const Operator& op, const Expression& a);
Expression apply(const Operator& op, const Expression& a, const Expression& b);
Expression apply(const Operator& op, const Expression& a, const Expression& b, const Expression& c);
Expression like(const Expression& a, const Expression& model);
Expression wide(const Expression& a);

/// `operands` has as many as the operator takes.
Expression apply(const Operator& op, std::span<const Expression> operands);
/// Whether operand i is a tensor of bools, independent of the others' dtype.
inline bool is_condition(const Operator& op, std::size_t i) { return op.arguments[1 + i] == 'c'; }

/// All nodes of the expressions, operands first.
std::vector<NodePtr> nodes_of(std::span<const Expression> expressions);

/// A node that need not be computed, because `value` equals it.
struct Known {
  const ExpressionNode* node = nullptr;  // null: none
  Expression value{nullptr};
};

/// The gradients of `inputs` for those of `outputs`, by the elementwise table's formulas. Null if
/// none flows.
std::vector<Expression> gradients(std::span<const Expression> outputs,
                                  std::span<const Expression> incoming,
                                  std::span<const Expression> inputs, const Known& known);

/// "a > 0 ? grad : 0.5 * exp(a)". `names` are the inputs' names, by number. Long parts that occur
/// several times get names: "x / (1 + x) with x = exp(minimum(maximum(a, -40), 40))".
std::string to_text(const Expression& expression, std::span<const std::string_view> names);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_H_
