// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What functions of neural networks check and convert.
#ifndef PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_
#define PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_

#include <cstdint>
#include <string_view>

#include "patchbay/convolution.h"
#include "patchbay/functional.h"
#include "patchbay/tensor.h"

#include "core/tensor/dispatch/operands.h"

namespace patchbay::tensor {

/// The elements in the dtype in which losses are computed: f32 for 16-bit floats.
inline Tensor computed(const Tensor& a) { return is_small(a.dtype()) ? a.cast(DType::f32) : a; }

/// Checks an operand that goes with `input`: its device, its dtype, and its shape.
void check_operand(const char* operation, const NamedOperand& input, const char* name,
                   const Tensor& operand, const Shape& expected);
/// Checks device and shape of an operand that goes with `input`, and not its dtype.
void check_operand_shape(const char* operation, const NamedOperand& input,
                         const NamedOperand& operand, const Shape& expected);

/// What helps an operand of a wrong shape: "Reshape it." if it has as many elements as `expected`.
std::string_view help_for(const Shape& got, const Shape& expected);

/// Errors: kInvalidArgument unless the number is finite and not negative.
void check_not_negative(const char* operation, const char* name, double value);

/// Errors unless both are on one device, of one shape and of one dtype, a float.
void check_pair(const char* operation, const Tensor& input, const Tensor& target);

/// The losses, their mean or their sum, in the given dtype.
Tensor reduced(const char* operation, const Tensor& losses, LossReduction reduction, DType dtype);

/// How the images of a call were written: with a batch, without one, or as signals.
class ImageForm {
 public:
  /// Checks x, whose images have `axes` dimensions, 1 or 2. Errors: kInvalidArgument,
  /// kShapeMismatch, kDtypeMismatch.
  ImageForm(const char* operation, const Tensor& x, int axes, DTypes dtypes = kFloats);

  const char* operation() const { return operation_; }
  int axes() const { return axes_; }
  NamedOperand x() const { return {"x", *x_.impl()}; }
  /// x as [n, c, h, w], contiguous.
  Tensor images() const;
  /// [n, o, h', w'] in the form of x.
  Tensor result(const Tensor& images) const;
  /// "[n, c, h, w]" or "[n, c, l]"
  std::string_view shape_text() const { return axes_ == 2 ? "[n, c, h, w]" : "[n, c, l]"; }

 private:
  const char* operation_;
  const Tensor x_;
  const int axes_;
};

/// Errors: kInvalidArgument unless least <= value <= 2^31 - 1; the message calls the value `name`.
void check_option(const ImageForm& form, std::string_view name, std::int64_t value,
                  std::int64_t least);
void check_option(const ImageForm& form, std::string_view name, Pair value, std::int64_t least);

/// The number of windows along an axis; 0 if the kernel is larger than the padded extent.
inline std::int64_t num_windows(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                                std::int64_t padding, std::int64_t dilation) {
  const std::int64_t room = extent + 2 * padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_FUNCTIONAL_OPERANDS_H_
