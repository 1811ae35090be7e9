// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions. conv2d and its adjoints are each linear in both operands, and the gradients of each
// are the other two.
#include "patchbay/convolution.h"

#include <array>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/concat.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/views/sum.h"

namespace patchbay {

namespace tensor {
namespace {

/// The attributes of the operators.
struct Steps {
  const char* operation;
  Pair stride, padding, dilation;
  std::int64_t groups;
};

/// The extents of images, or of kernels.
struct Extents {
  std::int64_t h, w;
};
Extents extents_of(const Tensor& tensor) { return {tensor.size(2), tensor.size(3)}; }

// ----------------------------------------------------------------------------- launches ---

Tensor launched(const Operator& op, const Steps& steps, const Shape& shape, const Tensor& a,
                const Tensor& b) {
  const TensorImpl &first = *a.impl(), &second = *b.impl();
  Tensor result = make_empty(steps.operation, shape, first.dtype, first);
  if (result.impl()->is_empty()) return result;
  const std::array<std::uint64_t, 7> attributes = {
      static_cast<std::uint64_t>(steps.stride.h),   static_cast<std::uint64_t>(steps.stride.w),
      static_cast<std::uint64_t>(steps.padding.h),  static_cast<std::uint64_t>(steps.padding.w),
      static_cast<std::uint64_t>(steps.dilation.h), static_cast<std::uint64_t>(steps.dilation.w),
      static_cast<std::uint64_t>(steps.groups)};
  runtime::KernelState& kernel =
      prepared(*first.device().kernels, op, first.dtype, first.dtype, 0, attributes);
  Launch launch;
  launch.tensor(*result.impl(), shape, result.impl()->strides, PATCHBAY_WRITE);
  launch.tensor(first, first.shape, first.strides, PATCHBAY_READ);
  launch.tensor(second, second.shape, second.strides, PATCHBAY_READ);
  launch.run(steps.operation, kernel);
  return result;
}

Tensor input_of(const Tensor& grad, const Tensor& weight, const Steps& steps, Extents images);
Tensor weight_of(const Tensor& a, const Tensor& grad, const Steps& steps, Extents kernel);

/// Records an operation that is linear in a and in b. `for_a` makes the gradient of a from the
/// result's and b, `for_b` that of b from a and the result's.
template <class ForA, class ForB>
void record_bilinear(const Steps& steps, const Tensor& result, const Tensor& a, const Tensor& b,
                     const ForA& for_a, const ForB& for_b) {
  if (!needs_grad(a) && !needs_grad(b)) return;
  const Saved saved_a = needs_grad(b) ? Saved("a", a) : Saved();
  const Saved saved_b = needs_grad(a) ? Saved("b", b) : Saved();
  record(steps.operation, result, {&a, &b},
         [=](const Tensor& grad, const Node& node) -> std::vector<Tensor> {
           const Tensor whole = grad.contiguous();
           std::vector<Tensor> grads(2);
           if (node.inputs[0]) grads[0] = for_a(whole, saved_b.get(node));
           if (node.inputs[1]) grads[1] = for_b(saved_a.get(node), whole);
           return grads;
         });
}

Tensor windows_of(const Tensor& a, const Tensor& weight, const Steps& steps) {
  const auto along = [](std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                        std::int64_t padding, std::int64_t dilation) {
    return num_windows(extent, kernel, stride, padding, dilation);
  };
  const Shape shape{
      a.size(0), weight.size(0),
      along(a.size(2), weight.size(2), steps.stride.h, steps.padding.h, steps.dilation.h),
      along(a.size(3), weight.size(3), steps.stride.w, steps.padding.w, steps.dilation.w)};
  Tensor result = launched(op::conv2d, steps, shape, a, weight);
  record_bilinear(
      steps, result, a, weight,
      [steps, images = extents_of(a)](const Tensor& grad, const Tensor& factor) {
        return input_of(grad, factor, steps, images);
      },
      [steps, kernel = extents_of(weight)](const Tensor& input, const Tensor& grad) {
        return weight_of(input, grad, steps, kernel);
      });
  return result;
}

Tensor input_of(const Tensor& grad, const Tensor& weight, const Steps& steps, Extents images) {
  const Shape shape{grad.size(0), weight.size(1) * steps.groups, images.h, images.w};
  Tensor result = launched(op::conv2d_input, steps, shape, grad, weight);
  record_bilinear(
      steps, result, grad, weight,
      [steps](const Tensor& outer, const Tensor& factor) {
        return windows_of(outer, factor, steps);
      },
      [steps, kernel = extents_of(weight)](const Tensor& windows, const Tensor& outer) {
        return weight_of(outer, windows, steps, kernel);
      });
  return result;
}

Tensor weight_of(const Tensor& a, const Tensor& grad, const Steps& steps, Extents kernel) {
  const Shape shape{grad.size(1), a.size(1) / steps.groups, kernel.h, kernel.w};
  Tensor result = launched(op::conv2d_weight, steps, shape, a, grad);
  record_bilinear(
      steps, result, a, grad,
      [steps, images = extents_of(a)](const Tensor& outer, const Tensor& windows) {
        return input_of(windows, outer, steps, images);
      },
      [steps](const Tensor& input, const Tensor& outer) {
        return windows_of(input, outer, steps);
      });
  return result;
}

/// multiply(a, b), which is linear in both; of complex numbers by four products of their parts.
template <class Multiply>
Tensor of_parts(const Tensor& a, const Tensor& b, const Multiply& multiply) {
  if (!is_complex(a.dtype())) return multiply(a, b);
  const Tensor re = real(a).contiguous(), im = imag(a).contiguous();
  const Tensor b_re = real(b).contiguous(), b_im = imag(b).contiguous();
  return complex(sub(multiply(re, b_re), multiply(im, b_im)),
                 add(multiply(re, b_im), multiply(im, b_re)));
}

/// Adds the bias, in place, to a result that nothing else has seen and that its record does not
/// keep.
Tensor with_bias(const char* operation, const Tensor& result, const Tensor& bias) {
  if (!bias.defined()) return result;
  const Shape along{1, bias.size(0), 1, 1};
  {
    const Recording recording(false);
    add_out(result, result, bias.reshape(along));
  }
  accept_writes(result);
  if (!needs_grad(result) && !needs_grad(bias)) return result;
  Tensor sums = result.detach();
  record(operation, sums, {&result, &bias}, [along](const Tensor& grad, const Node& node) {
    const Tensor slopes = node.inputs[1] ? sum_to(grad, along).reshape({along[1]}) : Tensor();
    return std::vector<Tensor>{grad, slopes};
  });
  return sums;
}

// ------------------------------------------------------------------------------- checks ---

/// The weight as [o, c, kh, kw], contiguous. Errors: kInvalidArgument, kShapeMismatch,
/// kDtypeMismatch, kDeviceMismatch.
Tensor checked_weight(const ImageForm& form, const Tensor& weight) {
  const char* const operation = form.operation();
  const NamedOperand named{"weight", operand_of(operation, weight, "weight")};
  check_same_device(operation, form.x(), named);
  check_same_dtype(operation, form.x(), named);
  if (weight.rank() != form.axes() + 2) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] weight has the wrong shape: expected rank {}, got {} ({}; {}). Reshape it.",
          operation, form.axes() + 2, to_string(weight.shape()), describe(form.x()),
          describe(named));
  }
  for (int d = 2; d < weight.rank(); ++d) {
    if (weight.size(d) != 0) continue;
    raise(ErrorCode::kShapeMismatch,
          "[{}] the weight's kernel is empty: expected extents of 1 or more, got {} ({}; {}). Pass "
          "another weight.",
          operation, to_string(weight.shape()), describe(form.x()), describe(named));
  }
  return (form.axes() == 1 ? weight.unsqueeze(2) : weight).contiguous();
}

/// `filters` is the number of the result's channels.
void check_bias(const ImageForm& form, const Tensor& bias, std::int64_t filters) {
  if (!bias.defined()) return;
  const NamedOperand named{"bias", *bias.impl()};
  check_same_device(form.operation(), form.x(), named);
  check_same_dtype(form.operation(), form.x(), named);
  if (bias.shape() == Shape{filters}) return;
  raise(ErrorCode::kShapeMismatch,
        "[{}] bias has the wrong shape: expected [{}], an element for each channel of the result, "
        "got {} ({}; {}). {}",
        form.operation(), filters, to_string(bias.shape()), describe(form.x()), describe(named),
        help_for(bias.shape(), {filters}));
}

/// `channels`: those of x that the weight is for; `order`: the weight's first dimensions.
void check_channels(const ImageForm& form, const Tensor& images, const Tensor& weight,
                    std::int64_t channels, std::int64_t groups, const char* order) {
  if (weight.size(0) % groups != 0) {
    raise(
        ErrorCode::kShapeMismatch,
        "[{}] the weight does not fit its groups: expected a first dimension that {} divides, got "
        "{} ({}; {}). Pass another number of groups.",
        form.operation(), groups, weight.size(0), describe(form.x()),
        describe({"weight", *weight.impl()}));
  }
  if (images.size(1) == channels) return;
  raise(ErrorCode::kShapeMismatch,
        "[{}] the weight does not fit x: expected x of shape {} with {} channels, got {} ({}; {}). "
        "Pass a weight [{}, {}], or another number of groups.",
        form.operation(), form.shape_text(), channels, images.size(1), describe(form.x()),
        describe({"weight", *weight.impl()}), order, form.axes() == 2 ? "h, w" : "l");
}

void check_steps(const ImageForm& form, const Steps& steps) {
  check_option(form, "stride", steps.stride, 1);
  check_option(form, "padding", steps.padding, 0);
  check_option(form, "dilation", steps.dilation, 1);
  check_option(form, "groups", steps.groups, 1);
}

/// Errors if the kernel is larger than the padded image. `given`: the weight as it was given.
void check_room(const ImageForm& form, const Tensor& images, const Tensor& weight,
                const Tensor& given, const Steps& steps) {
  const auto check = [&](std::int64_t extent, std::int64_t kernel, std::int64_t padding,
                         std::int64_t dilation) {
    const std::int64_t needed = dilation * (kernel - 1) + 1;
    if (extent + 2 * padding >= needed) return;
    raise(ErrorCode::kShapeMismatch,
          "[{}] the kernel is larger than x: expected an extent of at least {}, got {} with the "
          "padding ({}; {}). Pad x, or use a smaller kernel.",
          form.operation(), needed, extent + 2 * padding, describe(form.x()),
          describe({"weight", *given.impl()}));
  };
  check(images.size(2), weight.size(2), steps.padding.h, steps.dilation.h);
  check(images.size(3), weight.size(3), steps.padding.w, steps.dilation.w);
}

Tensor convolved(const char* operation, int axes, const Tensor& x, const Tensor& weight,
                 const Tensor& bias, const Conv2dOptions& options) {
  const ImageForm form(operation, x, axes, kFloats | kComplex);
  const Steps steps{operation, options.stride, options.padding, options.dilation, options.groups};
  check_steps(form, steps);
  const Tensor factors = checked_weight(form, weight), images = form.images();
  check_channels(form, images, weight, factors.size(1) * steps.groups, steps.groups,
                 "out, c / groups");
  check_bias(form, bias, factors.size(0));
  check_room(form, images, factors, weight, steps);
  const Tensor windows = of_parts(
      images, factors, [&](const Tensor& a, const Tensor& b) { return windows_of(a, b, steps); });
  return form.result(with_bias(steps.operation, windows, bias));
}

std::int64_t transposed_extent(const ImageForm& form, std::int64_t windows, std::int64_t kernel,
                               std::int64_t stride, std::int64_t padding, std::int64_t dilation,
                               std::int64_t output_padding) {
  if (output_padding >= stride && output_padding >= dilation) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] output_padding is too large: expected less than the stride, {}, or the dilation, "
          "{}, got {} ({}). Pass a smaller one.",
          form.operation(), stride, dilation, output_padding, describe(form.x()));
  }
  if (windows == 0) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] x has no elements: expected extents of at least 1, got {}", form.operation(),
          describe(form.x()));
  }
  const std::int64_t extent =
      (windows - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1;
  if (extent > 0) return extent;
  raise(ErrorCode::kShapeMismatch,
        "[{}] the result has no elements: expected an extent of at least 1, got {} ({}). Use less "
        "padding, or a larger x.",
        form.operation(), extent, describe(form.x()));
}

Tensor transposed(const char* operation, int axes, const Tensor& x, const Tensor& weight,
                  const Tensor& bias, const ConvTranspose2dOptions& options) {
  const ImageForm form(operation, x, axes, kFloats | kComplex);
  const Steps steps{operation, options.stride, options.padding, options.dilation, options.groups};
  check_steps(form, steps);
  check_option(form, "output_padding", options.output_padding, 0);
  const Tensor factors = checked_weight(form, weight), windows = form.images();
  check_channels(form, windows, weight, factors.size(0), steps.groups, "c, out / groups");
  check_bias(form, bias, factors.size(1) * steps.groups);
  const Extents extents{
      transposed_extent(form, windows.size(2), factors.size(2), steps.stride.h, steps.padding.h,
                        steps.dilation.h, options.output_padding.h),
      transposed_extent(form, windows.size(3), factors.size(3), steps.stride.w, steps.padding.w,
                        steps.dilation.w, options.output_padding.w)};
  // Padding of a whole stride and more, which only a larger dilation allows, is that of more
  // windows.
  const std::int64_t rows = options.output_padding.h / steps.stride.h,
                     columns = options.output_padding.w / steps.stride.w;
  const Tensor all =
      rows == 0 && columns == 0 ? windows : pad(windows, {{}, {}, {0, rows}, {0, columns}});
  const Tensor images = of_parts(all, factors, [&](const Tensor& a, const Tensor& b) {
    return input_of(a, b, steps, extents);
  });
  return form.result(with_bias(steps.operation, images, bias));
}

/// Options along one dimension, for images of one row.
Pair in_row(Index along, std::int64_t across) { return {across, along}; }

}  // namespace
}  // namespace tensor

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv2dOptions& options) {
  return tensor::convolved("conv2d", 2, x, weight, bias, options);
}

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv1dOptions& options) {
  return tensor::convolved("conv1d", 1, x, weight, bias,
                           {tensor::in_row(options.stride, 1), tensor::in_row(options.padding, 0),
                            tensor::in_row(options.dilation, 1), options.groups});
}

Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose2dOptions& options) {
  return tensor::transposed("conv_transpose2d", 2, x, weight, bias, options);
}

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose1dOptions& options) {
  return tensor::transposed("conv_transpose1d", 1, x, weight, bias,
                            {tensor::in_row(options.stride, 1), tensor::in_row(options.padding, 0),
                             tensor::in_row(options.output_padding, 0), options.groups,
                             tensor::in_row(options.dilation, 1)});
}

}  // namespace patchbay
