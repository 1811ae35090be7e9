// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Normalization. All four are one formula; they differ in the dimensions of the statistics. What
// has no kernel, and what is recorded in a backward pass, is made of single operations.
#include "patchbay/normalization.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/normalization_kernels.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/views/sum.h"

namespace patchbay {
namespace {

using tensor::computed;
using tensor::factor_of;
using tensor::Method;
using tensor::move_towards;
using tensor::NamedOperand;
using tensor::Saved;
using tensor::Statistics;
using tensor::statistics_of;

TensorOrScalar or_number(const Tensor& a, int otherwise) {
  return a.defined() ? TensorOrScalar(a) : TensorOrScalar(otherwise);
}

/// The gradients of input, weight and bias. With n = (x - mean) factor and g = grad weight, that of
/// the input is factor (g - mean g - n mean(g n)).
struct Backward {
  Method method;
  Saved input, weight;
  TensorOrScalar mean;
  Tensor variance;
  Shape weight_shape, bias_shape;
  bool has_weight;

  std::vector<Tensor> operator()(const Tensor& grad, const tensor::Node& node) const {
    if (method.has_kernel() && !tensor::is_recording()) return by_kernels(grad, node);
    std::vector<Tensor> grads(3);
    if (node.inputs[2]) grads[2] = tensor::sum_to(grad, bias_shape);
    if (!node.inputs[0] && !node.inputs[1]) return grads;
    const Tensor x = input.get(node);
    // Those that were kept have no record.
    Statistics statistics;
    if (tensor::is_recording()) {
      statistics = statistics_of(method, x);
    } else {
      statistics = {mean, {}, variance, factor_of(variance, method.epsilon)};
    }
    static const auto& product =
        *new auto(fuse([](const Expression& g, const Expression& a, const Expression& m,
                          const Expression& f) { return g * ((a - m) * f); },
                       "normalize"));
    const Tensor products = product(grad, x, statistics.mean, statistics.factor);
    if (node.inputs[1]) grads[1] = tensor::sum_to(products, weight_shape);
    if (node.inputs[0]) grads[0] = input_gradient(grad, products, x, statistics, node);
    return grads;
  }

 private:
  std::vector<Tensor> by_kernels(const Tensor& grad, const tensor::Node& node) const {
    std::vector<Tensor> grads(3);
    const bool has_input = node.inputs[0] != nullptr;
    const Tensor x = input.get(node).contiguous(), whole = grad.contiguous();
    const Statistics statistics{mean, {}, variance, {}};
    std::array<Tensor, 2> sums;
    if (node.inputs[1] || node.inputs[2] || (has_input && method.is_batch)) {
      sums = tensor::launch_weights(method, whole, x, statistics);
    }
    if (node.inputs[1]) grads[1] = sums[0].reshape(weight_shape);
    if (node.inputs[2]) grads[2] = sums[1].reshape(bias_shape);
    if (!has_input) return grads;
    const Tensor factors = has_weight ? weight.get(node) : Tensor();
    grads[0] = method.is_batch ? batch_gradient(whole, x, sums, factors)
                               : tensor::launch_input(method, whole, x, statistics, factors);
    return grads;
  }

  /// By the sums for weight and bias, which are over the same elements as the statistics.
  Tensor batch_gradient(const Tensor& grad, const Tensor& x, const std::array<Tensor, 2>& sums,
                        const Tensor& factors) const {
    static const auto& join = *new auto(
        fuse([](const Expression& g, const Expression& a, const Expression& m, const Expression& f,
                const Expression& fw, const Expression& along,
                const Expression& across) { return fw * (g - along - (a - m) * f * across); },
             "normalize"));
    const double count = static_cast<double>(x.num_elements()) / static_cast<double>(x.size(1));
    const Tensor factor = factor_of(variance, method.epsilon);
    const Tensor scale = has_weight ? factor * factors : factor;
    const Shape along = variance.shape();
    return join(grad, x, mean, factor, scale, (sums[1] / count).reshape(along),
                (sums[0] / count).reshape(along));
  }

  Tensor input_gradient(const Tensor& grad, const Tensor& products, const Tensor& x,
                        const Statistics& statistics, const tensor::Node& node) const {
    static const auto& both = *new auto(fuse(
        [](const Expression& a, const Expression& b, const Expression& w) {
          return std::array{a * w, b * w};
        },
        "normalize"));
    static const auto& join = *new auto(
        fuse([](const Expression& g, const Expression& a, const Expression& m, const Expression& f,
                const Expression& along,
                const Expression& across) { return f * (g - along - (a - m) * f * across); },
             "normalize"));
    std::array<Tensor, 2> slopes{grad, products};
    if (has_weight) slopes = both(grad, products, weight.get(node));
    TensorOrScalar shift = 0;
    if (method.is_centered) shift = patchbay::mean(slopes[0], method.axes, /*keep=*/true);
    return join(slopes[0], x, statistics.mean, statistics.factor, shift,
                patchbay::mean(slopes[1], method.axes, /*keep=*/true));
  }
};

/// Weight and bias broadcast to x.
Tensor scaled(const Tensor& deviations, const Tensor& factor, const Tensor& weight,
              const Tensor& bias) {
  static const auto& scale =
      *new auto(fuse([](const Expression& a, const Expression& f, const Expression& w,
                        const Expression& b) { return a * f * w + b; },
                     "normalize"));
  return scale(deviations, factor, or_number(weight, 1), or_number(bias, 0));
}

/// Computes in the dtype of x. Weight and bias broadcast to x. Also gives the statistics.
Tensor normalized(const Method& method, const Tensor& x, const Tensor& weight, const Tensor& bias,
                  Statistics& statistics) {
  Tensor result;
  {
    const tensor::Recording recording(false);
    if (method.has_kernel()) {
      result = tensor::launch_forward(method, x, weight, bias, statistics);
    } else {
      statistics = statistics_of(method, x);
      result = scaled(statistics.deviations, statistics.factor, weight, bias);
      statistics.deviations = {};
    }
  }
  const auto needs = [](const Tensor& a) { return a.defined() && tensor::needs_grad(a); };
  if (needs(x) || needs(weight) || needs(bias)) {
    const auto shape_of = [](const Tensor& a) { return a.defined() ? a.shape() : Shape(); };
    tensor::record(
        method.name, result, {&x, &weight, &bias},
        Backward{method, Saved("input", x), weight.defined() ? Saved("weight", weight) : Saved(),
                 statistics.mean, statistics.variance, shape_of(weight), shape_of(bias),
                 weight.defined()});
  }
  return result;
}

/// In the dtype and shape in which it meets the input.
Tensor broadcast(const Tensor& a, const Shape& shape) {
  return a.defined() ? computed(a).reshape(shape) : a;
}

const tensor::TensorImpl& check_input(const char* operation, const Tensor& input, double epsilon) {
  const tensor::TensorImpl& impl = tensor::operand_of(operation, input, "input");
  tensor::check_dtype_allowed(operation, tensor::kFloats, {"input", impl});
  tensor::check_not_negative(operation, "epsilon", epsilon);
  return impl;
}

void check_affine(const char* operation, const NamedOperand& input, const Tensor& weight,
                  const Tensor& bias, const Shape& expected) {
  if (weight.defined()) tensor::check_operand(operation, input, "weight", weight, expected);
  if (bias.defined()) tensor::check_operand(operation, input, "bias", bias, expected);
}

void check_has_channels(const char* operation, const NamedOperand& input) {
  if (input.tensor.shape.rank() >= 2) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] input has no channels: expected [n, channels, ...], got {} ({}). Reshape it.",
              operation, to_string(input.tensor.shape), tensor::describe(input));
}

/// The last dimensions.
Axes check_last(const char* operation, const NamedOperand& input, const Shape& wanted) {
  const Shape& shape = input.tensor.shape;
  const int first = shape.rank() - wanted.rank();
  bool fits = wanted.rank() >= 1 && first >= 0;
  Axes axes;
  for (int i = 0; fits && i < wanted.rank(); ++i) {
    fits = shape[first + i] == wanted[i];
    axes.dims.push_back(first + i);
  }
  if (fits) return axes;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] the normalized shape is not that of the last dimensions: expected the last "
              "one or more of {}, got {} ({}). Pass their shape.",
              operation, to_string(shape), to_string(wanted), tensor::describe(input));
}

Tensor over_last(Method method, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  method.extents = {1, 1, 1, 1};
  for (int dim = 0; dim < input.rank(); ++dim) {
    const bool is_row = dim >= method.axes.dims.front();
    (is_row ? method.extents.e : method.extents.s) *= input.shape()[dim];
  }
  Statistics statistics;
  const auto taken = [](const Tensor& a) { return a.defined() ? computed(a) : a; };
  return normalized(method, computed(input), taken(weight), taken(bias), statistics)
      .cast(input.dtype());
}

// ---------------------------------------------------------------------------- batch_norm ---

constexpr const char* kBatchNorm = "batch_norm";

void check_running(const NamedOperand& input, const char* name, const Tensor& running,
                   const Shape& expected) {
  const NamedOperand got{name, *running.impl()};
  tensor::check_same_device(kBatchNorm, input, got);
  const bool is_wider = tensor::is_small(input.tensor.dtype) && running.dtype() == DType::f32;
  if (!is_wider) tensor::check_same_dtype(kBatchNorm, input, got);
  tensor::check_operand_shape(kBatchNorm, input, got, expected);
}

void check_batch(const NamedOperand& input, const BatchNormOptions& options) {
  const Shape& shape = input.tensor.shape;
  check_has_channels(kBatchNorm, input);
  const Shape channels{shape[1]};
  check_affine(kBatchNorm, input, options.weight, options.bias, channels);
  const bool has_running = options.running_mean.defined();
  if (has_running != options.running_var.defined() || (!options.training && !has_running)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] running statistics are missing: expected a running mean and a running "
                "variance{}, got {} ({}). Give both{}.",
                kBatchNorm, options.training ? ", or none" : "",
                has_running                     ? "only a mean"
                : options.running_var.defined() ? "only a variance"
                                                : "none",
                tensor::describe(input), options.training ? "" : ", or train");
  }
  if (has_running) {
    check_running(input, "running_mean", options.running_mean, channels);
    check_running(input, "running_var", options.running_var, channels);
  }
  if (!(options.momentum >= 0 && options.momentum <= 1)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] bad momentum: expected 0 to 1, got {}. Choose one in this range.", kBatchNorm,
                options.momentum);
  }
  if (options.training && input.tensor.num_elements == shape[1] && shape[1] > 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] one element for each channel has no variance: expected more for "
                "statistics of the batch, got {} ({}). Use a larger batch.",
                kBatchNorm, to_string(shape), tensor::describe(input));
  }
}

/// 1 / sqrt(variance + epsilon) of a variance that a program gave.
Tensor running_factor(const Tensor& variance, double epsilon) {
  static const auto& factor = *new auto(
      fuse([](const Expression& v, const Expression& e) { return rsqrt(v + e); }, kBatchNorm));
  return factor(variance, epsilon);
}

Tensor by_batch(const Tensor& input, const Tensor& weight, const Tensor& bias,
                const BatchNormOptions& options) {
  Method method{kBatchNorm, {}, options.epsilon, {input.shape()[0], input.shape()[1], 1, 1}};
  method.is_batch = true;
  for (int dim = 0; dim < input.rank(); ++dim) {
    if (dim != 1) method.axes.dims.push_back(dim);
    if (dim > 1) method.extents.o *= input.shape()[dim];
  }
  Statistics statistics;
  Tensor result = normalized(method, computed(input), weight, bias, statistics);
  if (options.running_mean.defined() && input.num_elements() != 0 && !tensor::is_recomputing()) {
    const tensor::Recording recording(false);
    const std::int64_t num_each = input.num_elements() / input.shape()[1];
    const auto count = static_cast<double>(num_each);
    move_towards(options.running_mean, statistics.mean.tensor(), options.momentum, 1, false);
    move_towards(options.running_var, statistics.variance, options.momentum, count / (count - 1),
                 true);
  }
  return result;
}

Tensor by_running(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const BatchNormOptions& options, const Shape& along) {
  static const auto& whole =
      *new auto(fuse([](const Expression& a, const Expression& m, const Expression& f,
                        const Expression& w, const Expression& b) { return (a - m) * f * w + b; },
                     kBatchNorm));
  Tensor running = options.running_mean.detach();
  // The weight's gradient reads the mean, which a later call in training overwrites.
  if (weight.defined() && tensor::needs_grad(weight)) running = running.clone();
  const Tensor means = broadcast(running, along);
  const Tensor variances = broadcast(options.running_var.detach(), along);
  return whole(computed(input), means, running_factor(variances, options.epsilon),
               or_number(weight, 1), or_number(bias, 0));
}

}  // namespace

Tensor batch_norm(const Tensor& input, const BatchNormOptions& options) {
  check_batch({"input", check_input(kBatchNorm, input, options.epsilon)}, options);
  Shape along{input.shape()[1]};
  for (int dim = 2; dim < input.rank(); ++dim) along.push_back(1);
  const Tensor weight = broadcast(options.weight, along), bias = broadcast(options.bias, along);
  return (options.training ? by_batch(input, weight, bias, options)
                           : by_running(input, weight, bias, options, along))
      .cast(input.dtype());
}

Tensor layer_norm(const Tensor& input, const Shape& normalized_shape, const Tensor& weight,
                  const Tensor& bias, double epsilon) {
  const NamedOperand given{"input", check_input("layer_norm", input, epsilon)};
  const Axes axes = check_last("layer_norm", given, normalized_shape);
  check_affine("layer_norm", given, weight, bias, normalized_shape);
  return over_last({"layer_norm", axes, epsilon, {}}, input, weight, bias);
}

Tensor rms_norm(const Tensor& input, const Shape& normalized_shape, const Tensor& weight,
                std::optional<double> epsilon) {
  const NamedOperand given{"input", check_input("rms_norm", input, epsilon.value_or(0))};
  const Axes axes = check_last("rms_norm", given, normalized_shape);
  check_affine("rms_norm", given, weight, {}, normalized_shape);
  const double least = input.dtype() == DType::f64 ? std::numeric_limits<double>::epsilon()
                                                   : std::numeric_limits<float>::epsilon();
  return over_last({"rms_norm", axes, epsilon.value_or(least), {}, /*is_centered=*/false}, input,
                   weight, {});
}

Tensor group_norm(const Tensor& input, Index num_groups, const Tensor& weight, const Tensor& bias,
                  double epsilon) {
  const NamedOperand given{"input", check_input("group_norm", input, epsilon)};
  check_has_channels("group_norm", given);
  const std::int64_t samples = input.shape()[0], channels = input.shape()[1], groups = num_groups;
  if (groups < 1 || channels % groups != 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[group_norm] the groups do not divide the channels: expected a divisor of {}, "
                "got {} ({}). Pass another number of groups.",
                channels, groups, tensor::describe(given));
  }
  check_affine("group_norm", given, weight, bias, {channels});
  std::int64_t others = 1;
  for (int dim = 2; dim < input.rank(); ++dim) others *= input.shape()[dim];
  const std::int64_t each = channels / groups;
  const Shape along{groups, each, 1};
  Statistics statistics;
  return normalized({"group_norm", {2, 3}, epsilon, {samples, groups, each, others}},
                    computed(input).reshape({samples, groups, each, others}),
                    broadcast(weight, along), broadcast(bias, along), statistics)
      .reshape(input.shape())
      .cast(input.dtype());
}

}  // namespace patchbay
