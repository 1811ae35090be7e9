// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Pooling of images and of signals: docs/convolution.md. Queued. Shapes: x [n, c, h, w] or [c, h,
// w]; in one dimension [n, c, l] or [c, l]. Dtypes: floats; f16 and bf16 are computed in f32 and
// rounded. An x that is not contiguous is copied on its device. Gradients can be differentiated
// again.
//
// Errors: kInvalidArgument for an undefined x and for options out of range; kShapeMismatch for
// another rank, and for windows larger than the padded x; kDtypeMismatch, kOutOfMemory;
// kUnsupported if the device has no such kernel.
#ifndef PATCHBAY_POOLING_H_
#define PATCHBAY_POOLING_H_

#include <optional>

#include "patchbay/convolution.h"
#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/tensor.h"

namespace patchbay {

struct MaxPool2dOptions {
  std::optional<Pair> stride = {};  // the kernel, if absent
  Pair padding = 0;                 // at most half of the kernel; never the maximum
  Pair dilation = 1;
  bool ceil = false;  // rounds the extents of the result up
};
/// The largest element of each window; NaN if it has one. The gradient goes to the first such
/// element. Extents: (h + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down or,
/// with `ceil`, up; a window that would start beyond the image and its left padding is left out.
[[nodiscard]] PATCHBAY_API Tensor max_pool2d(const Tensor& x, Pair kernel,
                                             const MaxPool2dOptions& options = {});
/// The place y w + x of that element in its image (i64).
[[nodiscard]] PATCHBAY_API Tensor max_pool2d_index(const Tensor& x, Pair kernel,
                                                   const MaxPool2dOptions& options = {});

struct AvgPool2dOptions {
  std::optional<Pair> stride = {};  // the kernel, if absent
  Pair padding = 0;                 // at most half of the kernel
  bool ceil = false;                // rounds the extents of the result up
  bool counts_padding = true;       // zeros of the padding count as elements
};
/// The mean of each window. Extents: those of max_pool2d with dilation 1.
[[nodiscard]] PATCHBAY_API Tensor avg_pool2d(const Tensor& x, Pair kernel,
                                             const AvgPool2dOptions& options = {});

/// The largest element of each of size.h times size.w windows that cover the image: window y is
/// from y h / size.h, rounded down, to (y + 1) h / size.h, rounded up.
[[nodiscard]] PATCHBAY_API Tensor adaptive_max_pool2d(const Tensor& x, Pair size);
/// The mean of each of size.h times size.w windows, which are those of adaptive_max_pool2d.
[[nodiscard]] PATCHBAY_API Tensor adaptive_avg_pool2d(const Tensor& x, Pair size);

struct MaxPool1dOptions {
  std::optional<Index> stride = {};
  Index padding = 0, dilation = 1;
  bool ceil = false;
};
struct AvgPool1dOptions {
  std::optional<Index> stride = {};
  Index padding = 0;
  bool ceil = false;
  bool counts_padding = true;
};
/// max_pool2d along one dimension.
[[nodiscard]] PATCHBAY_API Tensor max_pool1d(const Tensor& x, Index kernel,
                                             const MaxPool1dOptions& options = {});
/// avg_pool2d along one dimension.
[[nodiscard]] PATCHBAY_API Tensor avg_pool1d(const Tensor& x, Index kernel,
                                             const AvgPool1dOptions& options = {});
/// adaptive_max_pool2d along one dimension.
[[nodiscard]] PATCHBAY_API Tensor adaptive_max_pool1d(const Tensor& x, Index size);
/// adaptive_avg_pool2d along one dimension.
[[nodiscard]] PATCHBAY_API Tensor adaptive_avg_pool1d(const Tensor& x, Index size);

}  // namespace patchbay

#endif  // PATCHBAY_POOLING_H_
