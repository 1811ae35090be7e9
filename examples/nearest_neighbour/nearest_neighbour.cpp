// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "nearest_neighbour.h"

namespace examples {

using patchbay::DType;
using patchbay::Tensor;

namespace {

Tensor centred(const Tensor& pixels) {
  Tensor values = pixels.cast(DType::f32);
  values -= 128;
  return values;
}

}  // namespace

NearestNeighbour::NearestNeighbour(const Tensor& images, std::int64_t max_batch)
    : images_(centred(images)),
      norms_(sum_squares(images_, 1).cast(DType::i32)),
      products_(images_.new_empty({max_batch, images.size(0)})),
      distances_(images_.new_empty({max_batch, images.size(0)}, DType::i32)) {}

Tensor NearestNeighbour::find(const Tensor& images) const {
  const std::int64_t count = images.size(0);
  const Tensor products = products_.slice(0, 0, count);
  const Tensor distances = distances_.slice(0, 0, count);
  matmul_out(products, centred(images), images_.t(), -2);
  {
    const patchbay::CopyTag tag("f32 to i32");
    distances.copy_from(products);
  }
  distances += norms_;
  return argmin(distances, 1);
}

}  // namespace examples
