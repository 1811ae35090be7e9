// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/functional/operands.h"

#include <cmath>

#include "core/tensor/dispatch/record.h"

namespace patchbay::tensor {

void check_operand(const char* operation, const NamedOperand& input, const char* name,
                   const Tensor& operand, const Shape& expected) {
  const NamedOperand got{name, operand_of(operation, operand, name)};
  check_same_device(operation, input, got);
  check_same_dtype(operation, input, got);
  check_operand_shape(operation, input, got, expected);
}

void check_operand_shape(const char* operation, const NamedOperand& input,
                         const NamedOperand& operand, const Shape& expected) {
  if (operand.tensor.shape == expected) return;
  raise(ErrorCode::kShapeMismatch, "[{}] {} has the wrong shape: expected {}, got {} ({}; {}). {}",
        operation, operand.name, to_string(expected), to_string(operand.tensor.shape),
        describe(input), describe(operand), help_for(operand.tensor.shape, expected));
}

std::string_view help_for(const Shape& got, const Shape& expected) {
  return num_elements(got) == num_elements(expected) ? "Reshape it." : "Pass another one.";
}

void check_not_negative(const char* operation, const char* name, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] bad {}: expected a number of 0 or more, got {}. Choose another.", operation, name,
        value);
}

}  // namespace patchbay::tensor
