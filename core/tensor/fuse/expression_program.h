// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A fused function for certain dtypes, as a program of the format patchbay-expr/1.
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

/// What an argument of a call is.
struct InputType {
  enum class Kind : std::uint8_t {
    kTensor,
    kElement,  // of a 0-d tensor that the host reads: a scalar of its dtype
    kNumber,   // takes the dtype of what it meets
    kAbsent    // not read; its dtype counts
  };
  Kind kind = Kind::kTensor;
  DType dtype = DType::f32;  // but of a number
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
  std::vector<std::optional<std::uint32_t>> copies;  // the input that an output is, as it stands
};

/// Describes an argument of the call, for messages: "a: f32 [3] on cpu:0".
using Describe = std::function<std::string(std::uint32_t input)>;

/// Errors, which name `name`: kDtypeMismatch; kInvalidArgument for a literal that its dtype can't
/// hold, or that meets nothing with a dtype.
ExpressionProgram make_program(const std::string& name, std::span<const Expression> outputs,
                               std::span<const InputType> inputs, const Describe& describe);

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUSE_EXPRESSION_PROGRAM_H_
