// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Joining, splitting and padding tensors of any dtype. Extents may be 0. Calls queue like those of
// ops.h, and gradients flow through them.
#ifndef PATCHBAY_CONCAT_H_
#define PATCHBAY_CONCAT_H_

#include <concepts>
#include <cstdint>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// The tensors one after the other along `dim`, in new storage. They have one device, one dtype,
/// and equal extents except in `dim`. Errors: kDeviceMismatch, kDtypeMismatch, kShapeMismatch,
/// which name the first tensor that does not fit as tensors[i]; kInvalidArgument for an empty list.
[[nodiscard]] PATCHBAY_API Tensor concat(const std::vector<Tensor>& tensors, Dim dim = 0);
/// `out` must not overlap any of them.
PATCHBAY_API const Tensor& concat_out(const Tensor& out, const std::vector<Tensor>& tensors,
                                      Dim dim = 0);
/// The tensors along a new dimension `dim`, in new storage. All shapes are equal. Errors: as
/// concat.
[[nodiscard]] PATCHBAY_API Tensor stack(const std::vector<Tensor>& tensors, Dim dim = 0);

// Views: the same storage, no copy. The vectors are const, so that `split(a, 2)[0] = b` does not
// compile: it would only replace a handle. Write `split(a, 2)[0].copy_from(b)`.
/// Pieces of extent `size` along `dim`; the last one has the rest. There is at least one piece.
/// Errors: kInvalidArgument for size < 1.
[[nodiscard]] PATCHBAY_API const std::vector<Tensor> split(const Tensor& tensor, std::int64_t size,
                                                           Dim dim = 0);
/// Pieces of the given extents. Errors: kInvalidArgument unless they add up to the extent of `dim`.
[[nodiscard]] PATCHBAY_API const std::vector<Tensor> split(const Tensor& tensor,
                                                           const std::vector<std::int64_t>& sizes,
                                                           Dim dim = 0);
/// At most `count` pieces of equal extent, rounded up; the last may be smaller.
/// Errors: kInvalidArgument for count < 1.
[[nodiscard]] PATCHBAY_API const std::vector<Tensor> chunk(const Tensor& tensor, std::int64_t count,
                                                           Dim dim = 0);
/// A bool is neither an extent nor a count.
template <std::same_as<bool> Size>
const std::vector<Tensor> split(const Tensor& tensor, Size size, Dim dim = 0) = delete;
template <std::same_as<bool> Count>
const std::vector<Tensor> chunk(const Tensor& tensor, Count count, Dim dim = 0) = delete;

/// The number of elements to add before and after those of one dimension.
struct Padding {
  std::int64_t before = 0, after = 0;
};
/// `a` with elements of `value` around it, in new storage; one Padding for each dimension. Errors:
/// kInvalidArgument for another number of Paddings, negative ones, or a value that the dtype can't
/// hold; kOverflow.
[[nodiscard]] PATCHBAY_API Tensor pad(const Tensor& a, const std::vector<Padding>& padding,
                                      const Scalar& value = 0);

}  // namespace patchbay

#endif  // PATCHBAY_CONCAT_H_
