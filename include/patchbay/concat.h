// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors put together, taken apart and padded. Of any dtype; extents may be 0. Calls queue as
// those of ops.h do, and gradients flow through them.
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

/// One after the other along `dim`: new storage. The tensors are on one device, of one dtype, and
/// of one shape but for the extent of `dim`. Errors name the first that does not fit as tensors[i]:
/// kDeviceMismatch, kDtypeMismatch, kShapeMismatch; kInvalidArgument if there is none.
[[nodiscard]] PATCHBAY_API Tensor concat(const std::vector<Tensor>& tensors, Dim dim = 0);
/// `out` shares no element with any of them.
PATCHBAY_API const Tensor& concat_out(const Tensor& out, const std::vector<Tensor>& tensors,
                                      Dim dim = 0);
/// Along a new dimension `dim`; all shapes are equal. Errors as concat.
[[nodiscard]] PATCHBAY_API Tensor stack(const std::vector<Tensor>& tensors, Dim dim = 0);

// Views: no copy, the same storage. The vectors are const, so that `split(a, 2)[0] = b`, which
// would only replace a handle, does not compile; write `split(a, 2)[0].copy_from(b)`.
/// Pieces of extent `size` along `dim`, the last one of what is left; at least one piece.
/// Errors: kInvalidArgument for size < 1.
[[nodiscard]] PATCHBAY_API const std::vector<Tensor> split(const Tensor& tensor, std::int64_t size,
                                                           Dim dim = 0);
/// Pieces of these extents. Errors: kInvalidArgument unless they add up to the extent of `dim`.
[[nodiscard]] PATCHBAY_API const std::vector<Tensor> split(const Tensor& tensor,
                                                           const std::vector<std::int64_t>& sizes,
                                                           Dim dim = 0);
/// `count` pieces of one extent, rounded up: the last may be smaller, and there may be fewer.
/// Errors: kInvalidArgument for count < 1.
[[nodiscard]] PATCHBAY_API const std::vector<Tensor> chunk(const Tensor& tensor, std::int64_t count,
                                                           Dim dim = 0);
/// A bool is no extent and no count.
template <std::same_as<bool> Size>
const std::vector<Tensor> split(const Tensor& tensor, Size size, Dim dim = 0) = delete;
template <std::same_as<bool> Count>
const std::vector<Tensor> chunk(const Tensor& tensor, Count count, Dim dim = 0) = delete;

/// Elements to put before and after those of one dimension.
struct Padding {
  std::int64_t before = 0, after = 0;
};
/// With elements of `value` around it; one Padding for each dimension, from the first on. New
/// storage. Errors: kInvalidArgument for another number of them, negative ones, or a value that the
/// dtype does not have; kOverflow.
[[nodiscard]] PATCHBAY_API Tensor pad(const Tensor& a, const std::vector<Padding>& padding,
                                      const Scalar& value = 0);

}  // namespace patchbay

#endif  // PATCHBAY_CONCAT_H_
