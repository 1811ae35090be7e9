// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Sums along a dimension, each of one element more.
#include <array>
#include <cstdint>

#include "patchbay/complex.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {
namespace tensor {
namespace {

void launch_cumsum(const TensorImpl& out, const TensorImpl& a, int dim, bool reverse) {
  if (a.is_empty()) return;
  const std::array<std::uint64_t, 2> attributes = {static_cast<std::uint64_t>(dim),
                                                   reverse ? 1u : 0u};
  runtime::KernelState& kernel =
      prepared(*a.device().kernels, op::cumsum, a.dtype, a.dtype, 0, attributes);
  Launch launch;
  launch.tensor(out, with_axis(out.shape), with_axis(out.strides), PATCHBAY_WRITE);
  launch.tensor(a, with_axis(a.shape), with_axis(a.strides), PATCHBAY_READ);
  launch.run(op::cumsum.name, kernel);
}

/// Sums of 16-bit floats are kept in f32 and rounded at the end.
Tensor sums_along(const Tensor& a, int dim, bool reverse) {
  if (is_small(a.dtype())) {
    return sums_along(a.cast(DType::f32), dim, reverse).cast(a.dtype());
  }
  const TensorImpl& source = *a.impl();
  Tensor result = make_empty(op::cumsum.name, source.shape, source.dtype, source);
  launch_cumsum(*result.impl(), source, dim, reverse);
  if (needs_grad(source)) {
    record(op::cumsum.name, result, a, [dim, reverse](const Tensor& grad, const Node&) {
      return sums_along(grad, dim, !reverse);
    });
  }
  return result;
}

}  // namespace
}  // namespace tensor

Tensor cumsum(const Tensor& a, Dim dim, bool reverse) {
  using namespace tensor;
  const NamedOperand named{"a", impl_of("cumsum", a)};
  if (is_complex(named.tensor.dtype)) {
    const int along = resolve_axis("cumsum", named, dim);
    return a.rank() == 0 ? a.clone() : view_as_complex(cumsum(view_as_real(a), along, reverse));
  }
  check_dtype_allowed("cumsum", op::cumsum.dtypes | kSmallFloats, named);
  return sums_along(a, resolve_axis("cumsum", named, dim), reverse);
}

}  // namespace patchbay
