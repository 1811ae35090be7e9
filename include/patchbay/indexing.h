// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements chosen by index. Calls queue as those of ops.h do, and gradients flow to all operands
// but indices.
//
// Indices are i64 or i32, on the device of the other operands, from 0 to the extent less 1. One
// that is out of range is never read or written at. On the default stream of a device that
// completes inline (the CPU) it is kInvalidArgument at the call, which says which index, where, and
// how many there are, before anything is looked up or added; on its other streams the launch fails
// with that. Devices that queue can't say: what is looked up there is NaN (0 of integers and
// bools), what is to be added there is left out. In validation mode it is an error at the call on
// these too, which waits for the index and fetches it.
#ifndef PATCHBAY_INDEXING_H_
#define PATCHBAY_INDEXING_H_

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/ops.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// result[.., i, ..] = a[.., index[.., i, ..], ..], i and the index in dimension `dim`: of the
/// shape of `index`, which has the rank of `a` and, but in `dim`, no larger extents. Any dtype.
/// Errors: kDeviceMismatch, kDtypeMismatch, kShapeMismatch, kInvalidArgument as above.
[[nodiscard]] PATCHBAY_API Tensor gather(const Tensor& a, Dim dim, const Tensor& index);
PATCHBAY_API const Tensor& gather_out(const Tensor& out, const Tensor& a, Dim dim,
                                      const Tensor& index);
/// The slices of `a` along `dim` that `index`, of rank 1, names. Any dtype. Errors as gather.
[[nodiscard]] PATCHBAY_API Tensor index_select(const Tensor& a, Dim dim, const Tensor& index);
PATCHBAY_API const Tensor& index_select_out(const Tensor& out, const Tensor& a, Dim dim,
                                            const Tensor& index);

// Adding: all dtypes but bool. What goes to one element is added in the order of the index, each
// sum rounded: results repeat their bits, on the CPU for any number of threads.
/// a, with source[.., i, ..] added to its element [.., index[.., i, ..], ..]. `source` has the
/// shape of `index`, which is as gather's. Errors as gather.
[[nodiscard]] PATCHBAY_API Tensor scatter_add(const Tensor& a, Dim dim, const Tensor& index,
                                              const Tensor& source);
/// `out` may be `a`, whose elements are then added to in place.
PATCHBAY_API const Tensor& scatter_add_out(const Tensor& out, const Tensor& a, Dim dim,
                                           const Tensor& index, const Tensor& source);
/// a, with the slices of `source` along `dim` added to those that `index`, of rank 1, names.
[[nodiscard]] PATCHBAY_API Tensor index_add(const Tensor& a, Dim dim, const Tensor& index,
                                            const Tensor& source);
PATCHBAY_API const Tensor& index_add_out(const Tensor& out, const Tensor& a, Dim dim,
                                         const Tensor& index, const Tensor& source);

/// The rows of `weight` [n, width] that the indices name: [the index's shape, width]. A position in
/// an error counts the indices row-major. Errors as index_select.
[[nodiscard]] PATCHBAY_API Tensor embedding(const Tensor& weight, const Tensor& index);

/// a, but `value` where the mask (bool) is true; they broadcast. Errors as where.
[[nodiscard]] inline Tensor masked_fill(const Tensor& a, const Tensor& mask, const Scalar& value) {
  return where(mask, value, a);
}

}  // namespace patchbay

#endif  // PATCHBAY_INDEXING_H_
