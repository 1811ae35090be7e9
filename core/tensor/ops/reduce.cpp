// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reductions over some or all dimensions, and their gradients.
#include "core/tensor/ops/reduce.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "patchbay/concat.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/dispatch/reduction.h"
#include "core/tensor/views/sum.h"

namespace patchbay {

namespace tensor {

namespace {

// ----------------------------------------------------------------------------- gradients ---

/// -1, 0 or 1, without a gradient, also on devices whose plugin has no sign.1.
Tensor signs_of(const Tensor& a) {
  const Recording recording(false);
  return gt(a, 0).cast(a.dtype()) - lt(a, 0).cast(a.dtype());
}

/// The derivative of a sum's terms; that of `sum` is 1.
struct Slope {
  const Operator& op;
  Tensor (*of)(const Tensor& a);
};
constexpr Slope kSlopes[] = {
    {op::sum_squares, [](const Tensor& a) { return 2 * a; }},
    {op::sum_abs, signs_of},
};

constexpr const Slope* slope_of(const Operator& op) {
  for (const Slope& slope : kSlopes) {
    if (slope.op.id == op.id) return &slope;
  }
  return nullptr;
}
static_assert(std::all_of(kOperators.begin(), kOperators.end(),
                          [](const Operator& op) {
                            return op.signature->family != std::string_view("reduction") ||
                                   op.derivative == nullptr || !is_sum(op) || op.id == op::sum.id ||
                                   slope_of(op) != nullptr;
                          }),
              "a sum has a derivative in the table, and none in kSlopes");

/// The gradient shared by the elements that are the extreme, and where they are. A NaN is the
/// extreme wherever there is one.
Tensor share(const Tensor& grad, const Tensor& values, const Tensor& extreme, const Shape& kept) {
  Tensor weights;
  {
    const Recording recording(false);
    // Elements are counted in a type that holds their number.
    const DType counted = is_small(values.dtype()) ? DType::f32 : values.dtype();
    const Tensor is_extreme = logical_or(eq(values, extreme), ne(values, values)).cast(counted);
    weights = (is_extreme / sum_to(is_extreme, kept)).cast(values.dtype());
  }
  return grad * weights;
}

/// `kept`: the result's shape with extent 1 where it was reduced, so that it broadcasts to a's.
void record_extreme(const Operator& op, const char* operation, const Tensor& result,
                    const Tensor& a, const Shape& kept) {
  const bool of_magnitudes = op.id == op::max_abs.id;
  record(operation, result, a,
         [=, values = Saved("a", a), out = Saved::result(result)](const Tensor& grad,
                                                                  const Node& node) {
           const Tensor given = values.get(node), extreme = out.get(node).detach().reshape(kept);
           const Tensor kept_grad = grad.reshape(kept);
           if (!of_magnitudes) return share(kept_grad, given.detach(), extreme, kept);
           return share(kept_grad, abs(given.detach()), extreme, kept) * signs_of(given);
         });
}

/// The product of all elements but one, for each. With one zero only it has such a product; with
/// more, none has. 16-bit floats are computed in f32.
Tensor products_of_others(const Tensor& a, const Axes& axes) {
  if (is_small(a.dtype())) return products_of_others(a.cast(DType::f32), axes).cast(a.dtype());
  const Tensor is_zero = eq(a, 0), zeros = sum(is_zero, axes, /*keep=*/true);
  const Tensor product = prod(where(is_zero, 1, a), axes, /*keep=*/true);
  return where(is_zero, where(eq(zeros, 1), product, 0), where(eq(zeros, 0), product / a, 0));
}

void record_product(const Tensor& result, const Tensor& a, AxisMask mask, const Shape& kept) {
  Axes axes;
  for (int i = 0; i < a.rank(); ++i) {
    if (is_reduced(mask, i)) axes.dims.push_back(i);
  }
  record("prod", result, a,
         [axes, kept, values = Saved("a", a)](const Tensor& grad, const Node& node) {
           if (is_recording()) {
             raise(ErrorCode::kUnsupported,
                   "[prod] gradients of prod can't be recorded (create_graph). Multiply slices "
                   "where second derivatives are wanted.");
           }
           return grad.reshape(kept) * products_of_others(values.get(node), axes);
         });
}

void record_reduction(const Operator& op, const char* operation, const Tensor& result,
                      const Tensor& a, AxisMask mask) {
  if (op.derivative == nullptr) return;
  const Shape kept = reduced_shape(*a.impl(), mask, /*keep=*/true);
  if (const Slope* const slope = slope_of(op)) {
    record(operation, result, a,
           [kept, slope, values = Saved("a", a)](const Tensor& grad, const Node& node) {
             return slope->of(values.get(node)) * grad.reshape(kept);
           });
  } else if (is_product(op)) {
    record_product(result, a, mask, kept);
  } else {
    record_extreme(op, operation, result, a, kept);
  }
}

}  // namespace

namespace {

/// The product along a dimension, by halves.
Tensor complex_product_along(Tensor a, int dim) {
  if (a.size(dim) == 0) {
    Shape one = a.shape();
    one[dim] = 1;
    return a.new_ones(one);
  }
  while (a.size(dim) > 1) {
    const std::int64_t half = a.size(dim) / 2;
    const Tensor rest = a.slice(dim, 2 * half);
    a = a.slice(dim, 0, half) * a.slice(dim, half, 2 * half);
    if (rest.size(dim) == 0) continue;
    if (half == 1) return a * rest;
    a = concat({a, rest}, dim);
  }
  return a;
}

Tensor complex_product(const Tensor& a, AxisMask mask, bool keep) {
  Tensor product = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (is_reduced(mask, i)) product = complex_product_along(product, i);
  }
  for (int i = a.rank(); !keep && i-- > 0;) {
    if (is_reduced(mask, i)) product = product.squeeze(i);
  }
  return product.is_same(a) ? a.clone() : product;
}

}  // namespace

Tensor reduce(const Operator& op, const char* operation, const Tensor& a, const Axes& axes,
              bool keep) {
  if (op.id == op::sum.id) return sum_of(operation, a, axes, keep);
  const TensorImpl& source = impl_of(operation, a, "a");
  const AxisMask mask = resolve_axes(operation, source, axes);
  if (op.id == op::prod.id && is_complex(source.dtype)) return complex_product(a, mask, keep);
  check_reducible(op, operation, source, mask, axes);
  // For a single index, the tensor is flattened to one dimension.
  const bool flattens = finds_index(op) && axes.dims.empty();
  Tensor result = reduce_checked(op, operation, flattens ? a.contiguous() : a, mask, keep);
  if (needs_grad(source)) [[unlikely]]
    record_reduction(op, operation, result, a, mask);
  return result;
}

namespace {

/// By single operations: of nothing, and where the plugin has no kernel.
Tensor composed_moment(const char* operation, const Tensor& a, const Axes& axes, bool keep,
                       const Moment& what) {
  const Operator& op = what.order == 1 ? op::sum : op::sum_squares;
  const Tensor result = reduce(op, operation, a, axes, keep);
  if (what.divisor != 1) div_out(result, result, what.divisor);
  if (what.has_root) sqrt_out(result, result);
  return result;
}

/// The kernel of moment.1; null if the plugin has none.
runtime::KernelState* moment_kernel(const TensorImpl& a, const Moment& what) {
  const std::array<std::uint64_t, 2> words{static_cast<std::uint64_t>(what.order),
                                           what.has_root ? 1U : 0U};
  return prepared_if_any(*a.device().kernels, op::moment, a.dtype, words);
}

void launch_moment(const char* operation, runtime::KernelState& kernel, const TensorImpl& out,
                   const TensorImpl& a, const Iteration& walk, double divisor) {
  Launch launch;
  launch.tensor(out, kept_extents(walk), walk.strides(0), PATCHBAY_WRITE);
  launch.tensor(a, walk.extents(), walk.strides(1), PATCHBAY_READ);
  launch.scalar(Scalar(divisor).bits(a.dtype, operation), a.dtype);
  launch.run(operation, kernel);
}

}  // namespace

Tensor moment(const char* operation, const Tensor& a, const Axes& axes, bool keep,
              const Moment& what) {
  const Recording recording(false);
  const TensorImpl& source = impl_of(operation, a, "a");
  runtime::KernelState* const kernel = source.is_empty() ? nullptr : moment_kernel(source, what);
  if (kernel == nullptr) return composed_moment(operation, a, axes, keep, what);
  const AxisMask mask = resolve_axes(operation, source, axes);
  Tensor result = make_empty(operation, reduced_shape(source, mask, keep), source.dtype, source);
  const TensorImpl& out = *result.impl();
  launch_moment(operation, *kernel, out, source, walk_of(out, source, mask, keep), what.divisor);
  return result;
}

void moment_into(const char* operation, const Tensor& out, const Tensor& a, const Moment& what) {
  const TensorImpl &source = *a.impl(), &target = *out.impl();
  runtime::KernelState* const kernel = source.is_empty() ? nullptr : moment_kernel(source, what);
  if (kernel == nullptr) {
    out.copy_from(moment(operation, a, {}, /*keep=*/false, what).reshape(out.shape()));
    return;
  }
  Shape one;
  for (int i = 0; i < source.shape.rank(); ++i) one.push_back(1);
  const Tensor kept = out.reshape(one);
  const AxisMask mask = resolve_axes(operation, source, {});
  launch_moment(operation, *kernel, *kept.impl(), source,
                walk_of(*kept.impl(), source, mask, /*keep=*/true), what.divisor);
  target.buffer().count_version();
}

Shape kept_shape(const char* operation, const Tensor& a, const Axes& axes) {
  const TensorImpl& source = impl_of(operation, a, "a");
  return reduced_shape(source, resolve_axes(operation, source, axes), /*keep=*/true);
}

std::int64_t num_reduced(const char* operation, const Tensor& a, const Axes& axes) {
  const TensorImpl& source = impl_of(operation, a, "a");
  return num_reduced(source, resolve_axes(operation, source, axes));
}

}  // namespace tensor

#define PATCHBAY_DEFINE_REDUCTION(name)                            \
  Tensor name(const Tensor& a, const Axes& axes, bool keep) {      \
    return tensor::reduce(tensor::op::name, #name, a, axes, keep); \
  }

PATCHBAY_DEFINE_REDUCTION(min)
PATCHBAY_DEFINE_REDUCTION(max)
PATCHBAY_DEFINE_REDUCTION(argmin)
PATCHBAY_DEFINE_REDUCTION(argmax)
PATCHBAY_DEFINE_REDUCTION(sum_squares)
PATCHBAY_DEFINE_REDUCTION(prod)

}  // namespace patchbay
