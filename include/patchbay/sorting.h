// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Sorting along a dimension. Calls queue like those of ops.h. Dtypes: any. NaN ranks above all
// numbers, -0 equals 0, and equal elements stay in the order of their indices. Gradients flow to
// the elements that were chosen, and can be differentiated again.
//
// Errors: kInvalidArgument for an undefined tensor, a dimension that does not exist, and a k out of
// range; kOutOfMemory; kUnsupported if the device has no such kernel.
#ifndef PATCHBAY_SORTING_H_
#define PATCHBAY_SORTING_H_

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// Elements, and the places (i64) along the dimension from which they come.
struct Sorted {
  Tensor values, indices;
};

/// All elements along `dim`, the smallest first; with `descending` the largest first.
[[nodiscard]] PATCHBAY_API Sorted sort(const Tensor& a, Dim dim = -1, bool descending = false);
/// The indices that sort gives.
[[nodiscard]] PATCHBAY_API Tensor argsort(const Tensor& a, Dim dim = -1, bool descending = false);
/// The first k of the elements that sort gives in descending order or, without `largest`, in
/// ascending order. k is 0 to the extent of the dimension.
[[nodiscard]] PATCHBAY_API Sorted topk(const Tensor& a, Index k, Dim dim = -1, bool largest = true);

}  // namespace patchbay

#endif  // PATCHBAY_SORTING_H_
