// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused, so that every plugin computes them with the same bits.
#include "core/tensor/transforms/chirp.h"

#include <array>

#include "patchbay/complex.h"
#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/make.h"
#include "core/tensor/transforms/transform.h"

namespace patchbay::tensor {
namespace {

// The sine and the cosine of 0 to pi / 4, by Taylor's series in x^2. The first terms that are left
// out are below 2^-54.
Expression sine(const Expression& x) {
  const Expression s = x * x;
  Expression sum = s * (-1 / 1307674368000.0) + 1 / 6227020800.0;
  for (const double term : {-1 / 39916800.0, 1 / 362880.0, -1 / 5040.0, 1 / 120.0, -1 / 6.0}) {
    sum = sum * s + term;
  }
  return x + x * s * sum;
}
Expression cosine(const Expression& x) {
  const Expression s = x * x;
  Expression sum = s * (1 / 20922789888000.0) + -1 / 87178291200.0;
  for (const double term : {1 / 479001600.0, -1 / 3628800.0, 1 / 40320.0, -1 / 720.0, 1 / 24.0}) {
    sum = sum * s + term;
  }
  return 1 - (s * 0.5 - s * s * sum);
}

/// cos and sin of 2 pi k / n for integers 0 <= k < n, by octants: the angle's remainder is exact.
std::array<Expression, 2> turned(const Expression& k, const Expression& n, DType computed,
                                 DType result) {
  const Expression eighths = k * 8, octant = eighths / n, rest = eighths - octant * n;
  const Expression is_odd = eq(octant - octant / 2 * 2, 1);
  const Expression part = where(is_odd, n - rest, rest);
  const Expression x = part.cast(computed) / n.cast(computed) * 0.78539816339744830962;
  const Expression s = sine(x), c = cosine(x);
  // Between pi / 4 and 3 pi / 4, and between 5 pi / 4 and 7 pi / 4, they change places.
  const Expression quarter = (octant + 1) / 2;
  const Expression swaps = eq(quarter - quarter / 2 * 2, 1);
  const Expression cos = where(swaps, s, c), sin = where(swaps, c, s);
  const Expression is_left = logical_and(ge(octant, 2), lt(octant, 6));
  const Expression is_below = ge(octant, 4);
  return {where(is_left, -cos, cos).cast(result), where(is_below, -sin, sin).cast(result)};
}

/// Of the squares of integers below 2^31, over twice their number.
auto make_chirp(DType computed, DType result) {
  return fuse(
      [=](const Expression& k, const Expression& twice) {
        const Expression square = k * k;
        return turned(square - square / twice * twice, twice, computed, result);
      },
      "fft");
}

}  // namespace

Tensor chirp_of(std::int64_t n, const Tensor& x, bool is_forward) {
  static const auto& narrow = *new auto(make_chirp(DType::f32, DType::f32));
  static const auto& rounded = *new auto(make_chirp(DType::f64, DType::f32));
  static const auto& wide = *new auto(make_chirp(DType::f64, DType::f64));
  const Tensor chirp = x.new_empty({n}), k = counted(n, x);
  const Tensor re = make_part(*chirp.impl(), 0), im = make_part(*chirp.impl(), 1);
  const bool is_wide = x.dtype() == DType::c128, has_f64 = x.device().properties().f64;
  const auto& function = is_wide ? wide : has_f64 ? rounded : narrow;
  function.out({re, im}, k, k.new_full({}, 2 * n));
  if (is_forward) neg_out(im, im);
  return chirp;
}

}  // namespace patchbay::tensor
