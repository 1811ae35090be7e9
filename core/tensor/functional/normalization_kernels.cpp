// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/functional/normalization_kernels.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "patchbay/fuse.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/ops/reduce.h"

namespace patchbay::tensor {
namespace {

/// A launch on contiguous tensors, each seen in the kernel's shape.
class RowLaunch {
 public:
  explicit RowLaunch(const Method& method) : method_(method) {}

  RowLaunch& add(const Tensor& tensor, const Shape& shape, std::uint8_t access) {
    launch_.tensor(*tensor.impl(), shape, contiguous_strides(shape), access);
    ++num_arguments_;
    return *this;
  }
  RowLaunch& number(double value, DType dtype) {
    launch_.scalar(Scalar(value).bits(dtype, method_.name), dtype);
    ++num_arguments_;
    return *this;
  }
  /// A weight, or the number that stands for none.
  RowLaunch& weight(const Tensor& given, double otherwise, DType dtype) {
    if (given.defined()) return add(given, method_.extents.weights(), PATCHBAY_READ);
    scalars_ |= 1U << (num_arguments_ - 1);
    return number(otherwise, dtype);
  }
  void run(const Operator& op, const Tensor& like, std::initializer_list<bool> attributes) const {
    const std::vector<std::uint64_t> words(attributes.begin(), attributes.end());
    const TensorImpl& impl = *like.impl();
    launch_.run(method_.name,
                prepared(*impl.device().kernels, op, impl.dtype, impl.dtype, scalars_, words));
  }

 private:
  const Method& method_;
  Launch launch_;
  unsigned scalars_ = 0, num_arguments_ = 0;
};

Tensor contiguous_or_none(const Tensor& a) { return a.defined() ? a.contiguous() : a; }

/// The shape of x, with 1 where statistics are made.
Shape kept_shape(const Method& method, const Tensor& x) {
  Shape shape = x.shape();
  for (const int dim : method.axes.dims) shape[dim] = 1;
  return shape;
}

}  // namespace

Tensor launch_forward(const Method& method, const Tensor& input, const Tensor& weight,
                      const Tensor& bias, Statistics& statistics) {
  const Tensor x = input.contiguous(), factors = contiguous_or_none(weight),
               offsets = contiguous_or_none(bias);
  const TensorImpl& impl = *x.impl();
  const auto made = [&](const Shape& shape) {
    return make_empty(method.name, shape, impl.dtype, impl);
  };
  Tensor result = made(x.shape());
  const Tensor means = made(kept_shape(method, x));
  statistics.variance = made(means.shape());
  RowLaunch(method)
      .add(result, method.extents.whole(), PATCHBAY_WRITE)
      .add(means, method.statistics(), PATCHBAY_WRITE)
      .add(statistics.variance, method.statistics(), PATCHBAY_WRITE)
      .add(x, method.extents.whole(), PATCHBAY_READ)
      .weight(factors, 1, impl.dtype)
      .weight(offsets, 0, impl.dtype)
      .number(method.epsilon, impl.dtype)
      .run(op::normalize, x, {method.is_centered, method.is_batch});
  statistics.mean = means;
  return result;
}

std::array<Tensor, 2> launch_weights(const Method& method, const Tensor& grad, const Tensor& x,
                                     const Statistics& statistics) {
  const TensorImpl& impl = *x.impl();
  const auto made = [&] {
    return make_empty(method.name, method.extents.weights(), impl.dtype, impl);
  };
  std::array<Tensor, 2> results{made(), made()};
  RowLaunch(method)
      .add(results[0], method.extents.weights(), PATCHBAY_WRITE)
      .add(results[1], method.extents.weights(), PATCHBAY_WRITE)
      .add(grad, method.extents.whole(), PATCHBAY_READ)
      .add(x, method.extents.whole(), PATCHBAY_READ)
      .add(statistics.mean.tensor(), method.statistics(), PATCHBAY_READ)
      .add(statistics.variance, method.statistics(), PATCHBAY_READ)
      .number(method.epsilon, impl.dtype)
      .run(op::normalize_weight, x, {method.is_batch});
  return results;
}

Tensor launch_input(const Method& method, const Tensor& grad, const Tensor& x,
                    const Statistics& statistics, const Tensor& weight) {
  const TensorImpl& impl = *x.impl();
  Tensor result = make_empty(method.name, x.shape(), impl.dtype, impl);
  const Tensor factors = contiguous_or_none(weight);
  RowLaunch(method)
      .add(result, method.extents.whole(), PATCHBAY_WRITE)
      .add(grad, method.extents.whole(), PATCHBAY_READ)
      .add(x, method.extents.whole(), PATCHBAY_READ)
      .add(statistics.mean.tensor(), method.statistics(), PATCHBAY_READ)
      .add(statistics.variance, method.statistics(), PATCHBAY_READ)
      .weight(factors, 1, impl.dtype)
      .number(method.epsilon, impl.dtype)
      .run(op::normalize_input, x, {method.is_centered});
  return result;
}

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
