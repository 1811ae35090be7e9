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

namespace {

constexpr std::int64_t kMostOption = 0x7fffffff;

}  // namespace

ImageForm::ImageForm(const char* operation, const Tensor& x, int axes, DTypes dtypes)
    : operation_(operation), x_(x), axes_(axes) {
  static_cast<void>(operand_of(operation, x, "x"));
  check_dtype_allowed(operation, dtypes, this->x());
  if (x.rank() == axes + 1 || x.rank() == axes + 2) return;
  raise(ErrorCode::kShapeMismatch,
        "[{}] x has the wrong shape: expected {}, or the same without n, got {} ({}). Reshape it.",
        operation, shape_text(), to_string(x.shape()), describe(this->x()));
}

Tensor ImageForm::images() const {
  Tensor images = x_.rank() == axes_ + 1 ? x_.unsqueeze(0) : x_;
  if (axes_ == 1) images = images.unsqueeze(2);
  return images.contiguous();
}

Tensor ImageForm::result(const Tensor& images) const {
  Tensor result = axes_ == 1 ? images.squeeze(2) : images;
  return x_.rank() == axes_ + 1 ? result.squeeze(0) : result;
}

void check_option(const ImageForm& form, std::string_view name, std::int64_t value,
                  std::int64_t least) {
  if (value >= least && value <= kMostOption) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} is out of range: expected {} to {}, got {} ({}). Pass another number.",
        form.operation(), name, least, kMostOption, value, describe(form.x()));
}

void check_option(const ImageForm& form, std::string_view name, Pair value, std::int64_t least) {
  check_option(form, name, value.h, least);
  check_option(form, name, value.w, least);
}

}  // namespace patchbay::tensor
