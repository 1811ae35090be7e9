// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reductions over some or all dimensions, and their gradients.
#include "core/tensor/ops/reduce.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "core/tensor/base/iteration.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

namespace tensor {

namespace {

/// One bit for each dimension that is reduced.
using Mask = unsigned;

Mask resolve_axes(const char* operation, const TensorImpl& a, const Axes& axes) {
  if (axes.dims.empty()) return (1u << a.shape.rank()) - 1;
  Mask mask = 0;
  for (const int axis : axes.dims) {
    const Mask bit = 1u << resolve_axis(operation, {"a", a}, axis);
    if ((mask & bit) != 0) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] axis {} is named twice: expected each axis once, got [{}] (a: {}). Drop one.",
            operation, axis, fmt::join(axes.dims, ", "), describe(a));
    }
    mask |= bit;
  }
  return mask;
}

bool is_reduced(Mask mask, int dim) { return (mask >> dim & 1u) != 0; }

std::int64_t count_reduced(const TensorImpl& a, Mask mask) {
  std::int64_t count = 1;
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (is_reduced(mask, i)) count *= a.shape[i];
  }
  return count;
}

bool finds_index(const Operator& op) { return op.result == Result::kIndex; }

/// Sums are the operators whose error bound counts terms. A sum of no elements is 0, a product 1;
/// an extreme of none is an error.
constexpr bool is_sum(const Operator& op) { return op.signature->bound.of_terms; }
constexpr bool is_product(const Operator& op) { return op.id == op::prod.id; }

void check_reducible(const Operator& op, const char* operation, const TensorImpl& a, Mask mask,
                     const Axes& axes) {
  check_dtype_allowed(operation, op.dtypes, {"a", a});
  if (finds_index(op) && axes.dims.size() > 1) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] too many axes: expected one, or none for the index in the flattened tensor, got "
          "[{}] (a: {}). Reshape the tensor, so that they are one.",
          operation, fmt::join(axes.dims, ", "), describe(a));
  }
  if (!is_sum(op) && !is_product(op) && count_reduced(a, mask) == 0) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] nothing to reduce: expected at least one element along the axes, got shape {} "
          "(a: {}). Skip empty tensors.",
          operation, to_string(a.shape), describe(a));
  }
}

Shape result_shape(const TensorImpl& a, Mask mask, bool keep) {
  Shape shape;
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (!is_reduced(mask, i)) {
      shape.push_back(a.shape[i]);
    } else if (keep) {
      shape.push_back(1);
    }
  }
  return shape;
}

/// The result's strides, one for each dimension of the source: 0 where it is reduced. The walk then
/// merges dimensions only if all of them are kept or all are reduced.
Shape walk_strides(const TensorImpl& a, const TensorImpl& out, Mask mask, bool keep) {
  Shape strides;
  int kept = 0;
  for (int i = 0; i < a.shape.rank(); ++i) {
    strides.push_back(is_reduced(mask, i) ? 0 : out.strides[kept]);
    kept += keep || !is_reduced(mask, i) ? 1 : 0;
  }
  return strides;
}

/// The extents of the result in the dimensions of the walk.
Shape kept_extents(const Iteration& walk) {
  Shape extents = walk.extents();
  for (int i = 0; i < walk.rank(); ++i) {
    if (walk.strides(0)[i] == 0) extents[i] = 1;
  }
  return extents;
}

void launch_reduction(const Operator& op, const TensorImpl& out, const TensorImpl& a,
                      const Iteration& walk) {
  runtime::KernelState& kernel = prepared(*a.device().kernels, op, out.dtype, a.dtype);
  Launch launch;
  launch.tensor(out, kept_extents(walk), walk.strides(0), PATCHBAY_WRITE);
  launch.tensor(a, walk.extents(), walk.strides(1), PATCHBAY_READ);
  launch.run(op.name, kernel);
}

Iteration walk_of(const TensorImpl& out, const TensorImpl& a, Mask mask, bool keep) {
  Iteration walk(a.shape);
  walk.add(a.shape, walk_strides(a, out, mask, keep));
  walk.add(a);
  walk.collapse();
  return walk;
}

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

void record_product(const Tensor& result, const Tensor& a, Mask mask, const Shape& kept) {
  Axes axes;
  for (int i = 0; i < a.rank(); ++i) {
    if (is_reduced(mask, i)) axes.dims.push_back(i);
  }
  record("prod", result, a,
         [axes, kept, values = Saved("a", a)](const Tensor& grad, const Node& node) {
           if (is_recording()) {
             raise(ErrorCode::kUnsupported,
                   "[prod] gradients of prod can't be recorded: expected a backward without "
                   "create_graph, got one with it. Multiply slices where second derivatives are "
                   "wanted.");
           }
           return grad.reshape(kept) * products_of_others(values.get(node), axes);
         });
}

void record_reduction(const Operator& op, const char* operation, const Tensor& result,
                      const Tensor& a, Mask mask) {
  if (op.derivative == nullptr) return;
  const Shape kept = result_shape(*a.impl(), mask, /*keep=*/true);
  if (op.id == op::sum.id) {
    record(operation, result, a, [kept, shape = a.shape()](const Tensor& grad, const Node&) {
      return grad.view(kept).expand(shape);
    });
  } else if (const Slope* const slope = slope_of(op)) {
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

Tensor reduce(const Operator& op, const char* operation, const Tensor& a, const Axes& axes,
              bool keep) {
  const TensorImpl& source = impl_of(operation, a, "a");
  const Mask mask = resolve_axes(operation, source, axes);
  check_reducible(op, operation, source, mask, axes);
  // For a single index, the tensor is flattened to one dimension.
  const bool flattens = finds_index(op) && axes.dims.empty();
  const Tensor walked = flattens ? a.contiguous() : a;
  Tensor result = make_empty(operation, result_shape(source, mask, keep),
                             result_dtype(op, source.dtype), source);
  const TensorImpl& out = *result.impl();
  if (source.is_empty()) {
    // Does nothing if out is empty too.
    launch_fill(out, literal(operation, out.dtype, is_product(op) ? 1 : 0));
  } else {
    launch_reduction(op, out, *walked.impl(), walk_of(out, *walked.impl(), mask, keep));
  }
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
  const Mask mask = resolve_axes(operation, source, axes);
  Tensor result = make_empty(operation, result_shape(source, mask, keep), source.dtype, source);
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
  const Mask mask = resolve_axes(operation, source, {});
  launch_moment(operation, *kernel, *kept.impl(), source,
                walk_of(*kept.impl(), source, mask, /*keep=*/true), what.divisor);
  target.buffer().count_version();
}

Shape kept_shape(const char* operation, const Tensor& a, const Axes& axes) {
  const TensorImpl& source = impl_of(operation, a, "a");
  return result_shape(source, resolve_axes(operation, source, axes), /*keep=*/true);
}

std::int64_t num_reduced(const char* operation, const Tensor& a, const Axes& axes) {
  const TensorImpl& source = impl_of(operation, a, "a");
  return count_reduced(source, resolve_axes(operation, source, axes));
}

}  // namespace tensor

#define PATCHBAY_DEFINE_REDUCTION(name)                            \
  Tensor name(const Tensor& a, const Axes& axes, bool keep) {      \
    return tensor::reduce(tensor::op::name, #name, a, axes, keep); \
  }

PATCHBAY_DEFINE_REDUCTION(sum)
PATCHBAY_DEFINE_REDUCTION(min)
PATCHBAY_DEFINE_REDUCTION(max)
PATCHBAY_DEFINE_REDUCTION(argmin)
PATCHBAY_DEFINE_REDUCTION(argmax)
PATCHBAY_DEFINE_REDUCTION(sum_squares)
PATCHBAY_DEFINE_REDUCTION(prod)

}  // namespace patchbay
