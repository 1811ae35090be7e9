// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions and their transposes: docs/convolution.md. Queued. Dtypes: floats and
// complex; f16 and bf16 are computed in f32 and rounded. All operands have one dtype and one
// device; those that are not contiguous are copied on their device. Gradients flow to x, weight and
// bias and can be differentiated again.
//
// Errors: kInvalidArgument for an undefined x or weight and for options out of range;
// kShapeMismatch, with the shapes expected; kDtypeMismatch, kDeviceMismatch, kOutOfMemory;
// kUnsupported if the device has no such kernel.
#ifndef PATCHBAY_CONVOLUTION_H_
#define PATCHBAY_CONVOLUTION_H_

#include <cstdint>

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// A number for the height and one for the width of images: `2` is both, `{2, 1}` each.
struct Pair {
  template <AnyInteger N>
  constexpr Pair(N both) : h(both), w(both) {}  // NOLINT(google-explicit-constructor)
  constexpr Pair(Index height, Index width) : h(height), w(width) {}

  std::int64_t h, w;
};

struct Conv2dOptions {
  Pair stride = 1;
  Pair padding = 0;  // zeros on each side
  Pair dilation = 1;
  Index groups = 1;
};
/// out[n, o, y, x'] = bias[o] + sum over c, i, j of weight[o, c, i, j] x[n, g + c, y stride + i
/// dilation - padding, x' stride + j dilation - padding], where g is the first channel of the group
/// of o (Dumoulin and Visin, A guide to convolution arithmetic for deep learning, 2016). Shapes: x
/// [n, c, h, w] or [c, h, w], weight [o, c / groups, kh, kw], bias [o] or undefined, out [n, o, h',
/// w'] or [o, h', w'] with h' = (h + 2 padding - dilation (kh - 1) - 1) / stride + 1, rounded down.
[[nodiscard]] PATCHBAY_API Tensor conv2d(const Tensor& x, const Tensor& weight,
                                         const Tensor& bias = {},
                                         const Conv2dOptions& options = {});

struct Conv1dOptions {
  Index stride = 1, padding = 0, dilation = 1, groups = 1;
};
/// conv2d along one dimension. Shapes: x [n, c, l] or [c, l], weight [o, c / groups, k].
[[nodiscard]] PATCHBAY_API Tensor conv1d(const Tensor& x, const Tensor& weight,
                                         const Tensor& bias = {},
                                         const Conv1dOptions& options = {});

struct ConvTranspose2dOptions {
  Pair stride = 1;
  Pair padding = 0;         // cuts the result on each side
  Pair output_padding = 0;  // lengthens it at the end; below stride or dilation
  Index groups = 1;
  Pair dilation = 1;
};
/// The adjoint of conv2d with the same weight, which maps the result's shape back. Shapes: x [n, c,
/// h, w] or [c, h, w], weight [c, o / groups, kh, kw], bias [o] or undefined, out [n, o, h', w'] or
/// [o, h', w'] with h' = (h - 1) stride - 2 padding + dilation (kh - 1) + output_padding + 1.
[[nodiscard]] PATCHBAY_API Tensor conv_transpose2d(const Tensor& x, const Tensor& weight,
                                                   const Tensor& bias = {},
                                                   const ConvTranspose2dOptions& options = {});

struct ConvTranspose1dOptions {
  Index stride = 1, padding = 0, output_padding = 0, groups = 1, dilation = 1;
};
/// The adjoint of conv1d. Shapes: x [n, c, l] or [c, l], weight [c, o / groups, k].
[[nodiscard]] PATCHBAY_API Tensor conv_transpose1d(const Tensor& x, const Tensor& weight,
                                                   const Tensor& bias = {},
                                                   const ConvTranspose1dOptions& options = {});

}  // namespace patchbay

#endif  // PATCHBAY_CONVOLUTION_H_
