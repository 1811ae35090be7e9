// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_EXAMPLES_NEAREST_NEIGHBOUR_NEAREST_NEIGHBOUR_H_
#define PATCHBAY_EXAMPLES_NEAREST_NEIGHBOUR_NEAREST_NEIGHBOUR_H_

#include <cstdint>

#include <patchbay/patchbay.h>

namespace examples {

/// Finds the nearest of n images, by squared distance, for each of a batch of images; all on the
/// device of the images. Exact, so every device finds the same ones:
///   |x - y|^2 = |x|^2 - 2 x.y + |y|^2, and |x|^2 is the same for all y;
///   with pixels p - 128 each partial sum of x.y and of |y|^2 is at most 784 * 128^2 < 2^24 in
///   size, hence a whole number that f32 holds; doubling is exact; the last sum, which may be
///   larger, is done in i32; of equal distances the lowest index wins.
class NearestNeighbour {
 public:
  /// `images` [n, pixels] u8; at most `max_batch` images are looked up at once.
  NearestNeighbour(const patchbay::Tensor& images, std::int64_t max_batch);

  /// `images` [m, pixels] u8, m <= max_batch -> [m] i64, indices of the nearest.
  patchbay::Tensor find(const patchbay::Tensor& images) const;

 private:
  patchbay::Tensor images_;     // [n, pixels] f32, pixel - 128
  patchbay::Tensor norms_;      // [n] i32, squared
  patchbay::Tensor products_;   // [max_batch, n] f32, reused by each batch
  patchbay::Tensor distances_;  // [max_batch, n] i32
};

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_NEAREST_NEIGHBOUR_NEAREST_NEIGHBOUR_H_
