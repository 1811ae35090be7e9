// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/functional/normalization_kernels.h"

#include <initializer_list>
#include <vector>

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"

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

}  // namespace patchbay::tensor
