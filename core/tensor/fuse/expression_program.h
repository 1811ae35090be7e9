// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Writes a fused function as a program of the format patchbay-expr/1 for certain dtypes.
#ifndef PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_PROGRAM_H_
#define PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_PROGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/fuse/expression.h"

namespace patchbay::tensor {

/// The type of a call's argument.
struct InputType {
  enum class Kind : std::uint8_t {
    kTensor,
    kElement,  // a 0-d tensor that the host reads: a scalar of its dtype
    kNumber,   // takes the dtype of the other operands
    kAbsent    // not read; only its dtype is used
  };
  Kind kind = Kind::kTensor;
  DType dtype = DType::f32;  // except for a number
  bool operator==(const InputType&) const = default;
};

struct ExpressionProgram {
  struct Scalar {
    std::uint32_t input;
    DType dtype;  // never bool
  };
  std::string text;
  std::vector<std::uint32_t> tensors;  // the inputs that it reads, in its order
  std::vector<Scalar> scalars;
  std::vector<DType> outputs;
  std::vector<std::optional<std::uint32_t>> copies;  // set if the output is that input, unchanged
};

/// Describes an argument of the call, for messages: "a: f32 [3] on cpu:0".
using Describe = std::function<std::string(std::uint32_t input)>;

/// Errors, which name `name`: kDtypeMismatch; kInvalidArgument for a literal that its dtype can't
/// hold, that has no operand with a dtype, or for more values.
ExpressionProgram make_program(const std::string& name, std::span<const Expression> outputs,
                               std::span<const InputType> inputs, const Describe& describe,
                               std::size_t most_values);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_PROGRAM_H_
