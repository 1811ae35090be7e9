// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements chosen by an index tensor. Calls queue like those of ops.h, and gradients flow to all
// operands except indices.
//
// An index is i64 or i32, on the device of the other operands, with values from 0 to the extent
// - 1. An index out of range never reads or writes outside the tensor. On the default stream of a
// device that completes inline (the CPU) it throws kInvalidArgument before any work, with the
// index, its position and the extent; on other streams of such a device the launch fails with that
// error. On devices that queue, a lookup gives NaN (0 for integers and bools), and an addition is
// left out. In validation mode the call throws there too; it waits for the index and fetches it.
#ifndef PATCHBAY_INDEXING_H_
#define PATCHBAY_INDEXING_H_

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/ops.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// result[.., i, ..] = a[.., index[.., i, ..], ..], with i and the index in dimension `dim`. The
/// result has the shape of `index`, whose rank is that of `a` and whose extents, except in `dim`,
/// are not larger. Dtypes: any. Errors: kDeviceMismatch, kDtypeMismatch, kShapeMismatch,
/// kInvalidArgument as above.
[[nodiscard]] PATCHBAY_API Tensor gather(const Tensor& a, Dim dim, const Tensor& index);
PATCHBAY_API const Tensor& gather_out(const Tensor& out, const Tensor& a, Dim dim,
                                      const Tensor& index);
/// The slices of `a` along `dim` that an index of rank 1 names. Dtypes: any. Errors: as gather.
[[nodiscard]] PATCHBAY_API Tensor index_select(const Tensor& a, Dim dim, const Tensor& index);
PATCHBAY_API const Tensor& index_select_out(const Tensor& out, const Tensor& a, Dim dim,
                                            const Tensor& index);

// Adding. Dtypes: numbers, complex. Additions to one element follow the order of index, and each
// sum is rounded: results repeat their bits, on the CPU for any number of threads.
/// a, with source[.., i, ..] added to element [.., index[.., i, ..], ..]. `source` has the shape of
/// `index`, which is as for gather. Errors: as gather.
[[nodiscard]] PATCHBAY_API Tensor scatter_add(const Tensor& a, Dim dim, const Tensor& index,
                                              const Tensor& source);
/// If `out` is `a`, adds in place.
PATCHBAY_API const Tensor& scatter_add_out(const Tensor& out, const Tensor& a, Dim dim,
                                           const Tensor& index, const Tensor& source);
/// a, with the slices of `source` along `dim` added to those that an index of rank 1 names.
[[nodiscard]] PATCHBAY_API Tensor index_add(const Tensor& a, Dim dim, const Tensor& index,
                                            const Tensor& source);
PATCHBAY_API const Tensor& index_add_out(const Tensor& out, const Tensor& a, Dim dim,
                                         const Tensor& index, const Tensor& source);

/// The rows of `weight` [n, width] that the index names: [the index's shape, width]. Errors: as
/// index_select; they give the row-major position in the index.
[[nodiscard]] PATCHBAY_API Tensor embedding(const Tensor& weight, const Tensor& index);

/// 1 at the index and 0 elsewhere along a new last dimension of `num_classes`, in i64. Errors:
/// kInvalidArgument for fewer classes than 1; kShapeMismatch for an index of the highest rank; an
/// index that is no class as scatter_add.
[[nodiscard]] PATCHBAY_API Tensor one_hot(const Tensor& index, Index num_classes);

/// `value` where the mask (bool) is true, else a. They broadcast. Errors: as where.
[[nodiscard]] inline Tensor masked_fill(const Tensor& a, const Tensor& mask, const Scalar& value) {
  return where(mask, value, a);
}

}  // namespace patchbay

#endif  // PATCHBAY_INDEXING_H_
