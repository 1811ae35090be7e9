// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/functional/images.h"

#include "core/tensor/dispatch/record.h"

namespace patchbay::tensor {

namespace {

constexpr std::int64_t kMostOption = 0x7fffffff;

}  // namespace

ImageForm::ImageForm(const char* operation, const Tensor& x, int axes)
    : operation_(operation), x_(x), axes_(axes) {
  static_cast<void>(operand_of(operation, x, "x"));
  check_dtype_allowed(operation, kFloats, this->x());
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
