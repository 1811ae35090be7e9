// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/functional/normalization_statistics.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "patchbay/fuse.h"

#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/ops/reduce.h"

namespace patchbay::tensor {
namespace {

/// The normal numbers of the dtype.
struct Range {
  explicit Range(DType dtype)
      : least(dtype == DType::f64 ? std::numeric_limits<double>::min()
                                  : std::numeric_limits<float>::min()),
        most(dtype == DType::f64 ? std::numeric_limits<double>::max()
                                 : std::numeric_limits<float>::max()) {}
  double least, most;
};

/// The reciprocal of the root of a^2 + b^2, none of which may be in the range of the dtype.
Expression reciprocal_of_both(const Expression& a, const Expression& b) {
  const Expression larger = maximum(a, b), x = a / larger, y = b / larger;
  return rsqrt(x * x + y * y) / larger;
}

/// The variance as kernels give it, and the factor, from the deviation.
std::array<Tensor, 2> variance_and_factor(const Tensor& deviation, double epsilon) {
  static const auto& both = *new auto(fuse(
      [](const Expression& d, const Expression& e, const Expression& root, const Expression& least,
         const Expression& most) {
        const Expression v = d * d, is_beyond = logical_or(gt(v, most), lt(v + e, least));
        return std::array{where(is_beyond, -d, v),
                          where(is_beyond, reciprocal_of_both(d, root), rsqrt(v + e))};
      },
      "normalize"));
  const Range range(deviation.dtype());
  return both(deviation, epsilon, std::sqrt(epsilon), range.least, range.most);
}

/// What brings deviations near 1 if their squares would leave the range of the dtype, else 1.
Tensor scale_of(const Tensor& deviation, double epsilon, double count) {
  static const auto& scale = *new auto(fuse(
      [](const Expression& d, const Expression& e, const Expression& root, const Expression& least,
         const Expression& digits, const Expression& most) {
        const Expression v = d * d, reciprocal = 1 / maximum(maximum(d, root), least);
        return where(gt(v, most), reciprocal,
                     where(eq(d, 0), 1, where(lt(v + e, digits), reciprocal, 1)));
      },
      "normalize"));
  const Range range(deviation.dtype());
  // The sum may not leave the range either, nor may small squares lose digits.
  const double digits = deviation.dtype() == DType::f64 ? 0x1p-960 : 0x1p-100;
  return scale(deviation, epsilon, std::sqrt(epsilon), range.least, digits, range.most / count);
}

/// 1 / sqrt(squares + epsilon scale^2) scale
Tensor scaled_factor(const Tensor& squares, double epsilon, const Tensor& scale) {
  static const auto& factor =
      *new auto(fuse([](const Expression& v, const Expression& e,
                        const Expression& s) { return rsqrt(v + e * s * s) * s; },
                     "normalize"));
  return factor(squares, epsilon, scale);
}

}  // namespace

Tensor factor_of(const TensorOrScalar& variance, double epsilon) {
  static const auto& factor = *new auto(fuse(
      [](const Expression& v, const Expression& e, const Expression& root) {
        return where(lt(v, 0), reciprocal_of_both(-v, root), rsqrt(v + e));
      },
      "normalize"));
  return factor(variance, epsilon, std::sqrt(epsilon));
}

Statistics statistics_of(const Method& method, const Tensor& x) {
  Statistics result;
  result.deviations = x;
  if (method.is_centered) {
    const Tensor means = mean(x, method.axes, /*keep=*/true);
    result.mean = means;
    result.deviations = x - means;
  }
  const auto count = static_cast<double>(num_reduced(method.name, x, method.axes));
  const Tensor deviation = moment(method.name, result.deviations.detach(), method.axes,
                                  /*keep=*/true, {.order = 2, .has_root = true, .divisor = count});
  if (!is_recording()) {
    std::array<Tensor, 2> both = variance_and_factor(deviation, method.epsilon);
    result.variance = std::move(both[0]);
    result.factor = std::move(both[1]);
    return result;
  }
  const Tensor scale = scale_of(deviation, method.epsilon, count);
  const Tensor squares = sum_squares(result.deviations * scale, method.axes, /*keep=*/true);
  result.factor = scaled_factor(squares / count, method.epsilon, scale);
  return result;
}

void move_towards(const Tensor& running, const Tensor& batch, double momentum, double factor,
                  bool is_variance) {
  static const auto& blend =
      *new auto(fuse([](const Expression& a, const Expression& b, const Expression& kept,
                        const Expression& share) { return kept * a + share * b; },
                     "normalize"));
  static const auto& blend_variance = *new auto(
      fuse([](const Expression& a, const Expression& b, const Expression& kept,
              const Expression& share) { return kept * a + share * where(lt(b, 0), b * b, b); },
           "normalize"));
  running.copy_from((is_variance ? blend_variance : blend)(
      computed(running), batch.reshape(running.shape()), 1 - momentum, momentum * factor));
}

}  // namespace patchbay::tensor
