// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Pooling. A maximum is looked up where its window has it. Its gradient is that of the lookup, by a
// kernel of its own where the device has one.
#include "patchbay/pooling.h"

#include <initializer_list>
#include <vector>

#include "patchbay/indexing.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"

namespace patchbay {

namespace tensor {
namespace {

/// A checked call.
struct Pool {
  const char* operation;
  Pair kernel = 1, stride = 1, padding = 0, dilation = 1;
  bool ceil = false, counts_padding = false, adaptive = false;
  std::int64_t h = 0, w = 0;  // of the result
};

/// In the order of the operator's signature.
std::vector<std::uint64_t> attributes_of(const Operator& op, const Pool& pool) {
  std::vector<std::uint64_t> attributes;
  const auto add = [&](const Pair& pair) {
    attributes.push_back(static_cast<std::uint64_t>(pair.h));
    attributes.push_back(static_cast<std::uint64_t>(pair.w));
  };
  for (const Pair& pair : {pool.kernel, pool.stride, pool.padding}) add(pair);
  attributes.push_back(pool.adaptive ? 1 : 0);
  if (&op == &op::max_pool2d_index || &op == &op::max_pool2d_input) {
    add(pool.dilation);
  } else {
    attributes.push_back(pool.counts_padding ? 1 : 0);
  }
  return attributes;
}

/// Launches a kernel whose first argument is the result.
void launch_pool(const Pool& pool, runtime::KernelState& kernel, const Tensor& result,
                 std::initializer_list<const Tensor*> operands) {
  if (result.impl()->is_empty()) return;
  Launch launch;
  launch.tensor(*result.impl(), result.impl()->shape, result.impl()->strides, PATCHBAY_WRITE);
  for (const Tensor* const operand : operands) {
    launch.tensor(*operand->impl(), operand->impl()->shape, operand->impl()->strides,
                  PATCHBAY_READ);
  }
  launch.run(pool.operation, kernel);
}

Tensor launched(const Operator& op, const Pool& pool, const Shape& shape, DType dtype,
                const Tensor& a) {
  const TensorImpl& impl = *a.impl();
  Tensor result = make_empty(pool.operation, shape, dtype, impl);
  if (result.impl()->is_empty()) return result;
  launch_pool(pool,
              prepared(*impl.device().kernels, op, dtype, impl.dtype, 0, attributes_of(op, pool)),
              result, {&a});
  return result;
}

Tensor index_of(const Tensor& images, const Pool& pool) {
  const Shape shape{images.size(0), images.size(1), pool.h, pool.w};
  return launched(op::max_pool2d_index, pool, shape, DType::i64, images);
}

/// The elements of each plane that the windows' index names.
Tensor looked_up(const Tensor& images, const Tensor& index) {
  const std::int64_t n = images.size(0), c = images.size(1), places = index.size(2) * index.size(3);
  return gather(images.view({n, c, images.size(2) * images.size(3)}), 2, index.view({n, c, places}))
      .view(index.shape());
}

/// Each window's gradient, added to the element that its index names.
Tensor spread_most(const Tensor& grad, const Pool& pool, const Tensor& index, const Shape& images) {
  Tensor result = make_empty(pool.operation, images, grad.dtype(), *grad.impl());
  launch_pool(pool,
              prepared(*grad.impl()->device().kernels, op::max_pool2d_input, grad.dtype(),
                       grad.dtype(), 0, attributes_of(op::max_pool2d_input, pool)),
              result, {&grad, &index});
  if (needs_grad(grad)) {
    record(pool.operation, result, grad, [index](const Tensor& outer, const Node&) {
      return looked_up(outer.contiguous(), index);
    });
  }
  return result;
}

Tensor most_of(const Tensor& images, const Pool& pool) {
  const Tensor index = index_of(images, pool);
  if (!needs_grad(images) || index.num_elements() == 0) return looked_up(images, index);
  const bool has_kernel =
      prepared_if_any(*images.impl()->device().kernels, op::max_pool2d_input, images.dtype(),
                      attributes_of(op::max_pool2d_input, pool)) != nullptr;
  if (!has_kernel) return looked_up(images, index);  // with the gradient of gather
  Tensor result;
  {
    const Recording recording(false);
    result = looked_up(images, index);
  }
  record(pool.operation, result, images,
         [pool, index, from = images.shape()](const Tensor& grad, const Node&) {
           return spread_most(grad.contiguous(), pool, index, from);
         });
  return result;
}

Tensor spread(const Tensor& grad, const Pool& pool, const Shape& images);

Tensor mean_of(const Tensor& images, const Pool& pool) {
  const Shape shape{images.size(0), images.size(1), pool.h, pool.w};
  Tensor result = launched(op::avg_pool2d, pool, shape, images.dtype(), images);
  if (needs_grad(images)) {
    record(pool.operation, result, images,
           [pool, from = images.shape()](const Tensor& grad, const Node&) {
             return spread(grad.contiguous(), pool, from);
           });
  }
  return result;
}

Tensor spread(const Tensor& grad, const Pool& pool, const Shape& images) {
  Tensor result = launched(op::avg_pool2d_input, pool, images, grad.dtype(), grad);
  if (needs_grad(grad)) {
    record(pool.operation, result, grad,
           [pool](const Tensor& outer, const Node&) { return mean_of(outer.contiguous(), pool); });
  }
  return result;
}

// ------------------------------------------------------------------------------- checks ---

/// The number of windows along an axis. Errors: kInvalidArgument, kShapeMismatch.
std::int64_t windows_along(const ImageForm& form, bool ceil, std::int64_t extent,
                           std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                           std::int64_t dilation) {
  if (padding > kernel / 2) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] padding is too large: expected at most half of the kernel, {}, got {} ({}). Pad x "
          "first.",
          form.operation(), kernel / 2, padding, describe(form.x()));
  }
  const std::int64_t room = extent + 2 * padding - dilation * (kernel - 1) - 1;
  if (room < 0 || extent == 0) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] the window is larger than x: expected an extent of at least {}, got {} with the "
          "padding ({}). Pad x, or use a smaller kernel.",
          form.operation(), dilation * (kernel - 1) + 1, extent + 2 * padding, describe(form.x()));
  }
  std::int64_t windows = room / stride + 1;
  if (ceil) {
    windows = (room + stride - 1) / stride + 1;
    // The last window starts inside the image or the padding before it.
    if ((windows - 1) * stride >= extent + padding) --windows;
  }
  for (std::int64_t i = 0; i < windows && i * stride < padding; ++i) {
    const std::int64_t before = padding - i * stride;  // where the window starts, before the image
    if ((dilation - before % dilation) % dilation < extent) continue;
    raise(ErrorCode::kShapeMismatch,
          "[{}] a window has no element of x: expected an extent of at least the dilation, {}, got "
          "{} ({}). Pad x, or use a smaller dilation.",
          form.operation(), dilation, extent, describe(form.x()));
  }
  return windows;
}

Pool checked(const ImageForm& form, const Tensor& images, Pool pool) {
  check_option(form, "kernel", pool.kernel, 1);
  check_option(form, "stride", pool.stride, 1);
  check_option(form, "padding", pool.padding, 0);
  check_option(form, "dilation", pool.dilation, 1);
  pool.h = windows_along(form, pool.ceil, images.size(2), pool.kernel.h, pool.stride.h,
                         pool.padding.h, pool.dilation.h);
  pool.w = windows_along(form, pool.ceil, images.size(3), pool.kernel.w, pool.stride.w,
                         pool.padding.w, pool.dilation.w);
  return pool;
}

Pool adaptive(const ImageForm& form, const Tensor& images, Pair size) {
  check_option(form, "size", size, 1);
  if (images.size(2) == 0 || images.size(3) == 0) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] x has no elements to pool: expected extents of 1 or more, got {} ({}). Pass "
          "another x.",
          form.operation(), to_string(form.x().tensor.shape), describe(form.x()));
  }
  Pool pool{form.operation()};
  pool.adaptive = true;
  pool.h = size.h;
  pool.w = size.w;
  return pool;
}

using Function = Tensor (*)(const Tensor& images, const Pool& pool);

Tensor pooled(const Tensor& x, int axes, const Pool& pool, Function function) {
  const ImageForm form(pool.operation, x, axes);
  const Tensor images = form.images();
  return form.result(function(images, checked(form, images, pool)));
}

Tensor pooled_to(const char* operation, const Tensor& x, int axes, Pair size, Function function) {
  const ImageForm form(operation, x, axes);
  const Tensor images = form.images();
  return form.result(function(images, adaptive(form, images, size)));
}

Pool max_pool(const char* operation, Pair kernel, const MaxPool2dOptions& options) {
  return {operation,    kernel, options.stride.value_or(kernel), options.padding, options.dilation,
          options.ceil, false};
}

/// An option along one dimension, for images of one row.
Pair in_row(Index along, std::int64_t across = 1) { return {across, along}; }

}  // namespace
}  // namespace tensor

Tensor max_pool2d(const Tensor& x, Pair kernel, const MaxPool2dOptions& options) {
  return tensor::pooled(x, 2, tensor::max_pool("max_pool2d", kernel, options), tensor::most_of);
}

Tensor max_pool2d_index(const Tensor& x, Pair kernel, const MaxPool2dOptions& options) {
  return tensor::pooled(x, 2, tensor::max_pool("max_pool2d_index", kernel, options),
                        tensor::index_of);
}

Tensor avg_pool2d(const Tensor& x, Pair kernel, const AvgPool2dOptions& options) {
  return tensor::pooled(x, 2,
                        {"avg_pool2d", kernel, options.stride.value_or(kernel), options.padding, 1,
                         options.ceil, options.counts_padding},
                        tensor::mean_of);
}

Tensor adaptive_max_pool2d(const Tensor& x, Pair size) {
  return tensor::pooled_to("adaptive_max_pool2d", x, 2, size, tensor::most_of);
}

Tensor adaptive_avg_pool2d(const Tensor& x, Pair size) {
  return tensor::pooled_to("adaptive_avg_pool2d", x, 2, size, tensor::mean_of);
}

Tensor max_pool1d(const Tensor& x, Index kernel, const MaxPool1dOptions& options) {
  return tensor::pooled(
      x, 1,
      {"max_pool1d", tensor::in_row(kernel), tensor::in_row(options.stride.value_or(kernel)),
       tensor::in_row(options.padding, 0), tensor::in_row(options.dilation), options.ceil, false},
      tensor::most_of);
}

Tensor avg_pool1d(const Tensor& x, Index kernel, const AvgPool1dOptions& options) {
  return tensor::pooled(
      x, 1,
      {"avg_pool1d", tensor::in_row(kernel), tensor::in_row(options.stride.value_or(kernel)),
       tensor::in_row(options.padding, 0), 1, options.ceil, options.counts_padding},
      tensor::mean_of);
}

Tensor adaptive_max_pool1d(const Tensor& x, Index size) {
  return tensor::pooled_to("adaptive_max_pool1d", x, 1, tensor::in_row(size), tensor::most_of);
}

Tensor adaptive_avg_pool1d(const Tensor& x, Index size) {
  return tensor::pooled_to("adaptive_avg_pool1d", x, 1, tensor::in_row(size), tensor::mean_of);
}

}  // namespace patchbay
