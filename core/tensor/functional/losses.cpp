// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Losses between an input and a target of one shape.
#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "patchbay/fuse.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"

namespace patchbay {
namespace tensor {

void check_pair(const char* operation, const Tensor& input, const Tensor& target) {
  const NamedOperand given{"input", operand_of(operation, input, "input")},
      wanted{"target", operand_of(operation, target, "target")};
  check_same_device(operation, given, wanted);
  check_dtype_allowed(operation, kFloats, given);
  check_same_dtype(operation, given, wanted);
  if (given.tensor.shape == wanted.tensor.shape) return;
  raise(ErrorCode::kShapeMismatch,
        "[{}] target has the wrong shape: expected {} like input, got {} ({}; {}). Reshape or "
        "expand it.",
        operation, to_string(given.tensor.shape), to_string(wanted.tensor.shape), describe(given),
        describe(wanted));
}

Tensor reduced(const char* operation, const Tensor& losses, LossReduction reduction, DType dtype) {
  base::check_in_enum(operation, "reduction", "LossReduction", reduction, LossReduction::kSum);
  Tensor result = losses;
  if (reduction == LossReduction::kMean) result = mean(losses);
  if (reduction == LossReduction::kSum) result = sum(losses);
  return result.cast(dtype);
}

}  // namespace tensor

namespace {

using tensor::computed;
using tensor::reduced;

constexpr const char* kBinaryCrossEntropy = "binary_cross_entropy_with_logits";

/// A weight for each element, which broadcasts to the input's shape.
Tensor weight_of(const char* name, const Tensor& weight, const Tensor& input) {
  const tensor::NamedOperand given{"input", *input.impl()}, named{name, *weight.impl()};
  tensor::check_same_device(kBinaryCrossEntropy, given, named);
  tensor::check_same_dtype(kBinaryCrossEntropy, given, named);
  if (tensor::broadcast_shapes(kBinaryCrossEntropy, given, named) != input.shape()) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] {} has the wrong shape: expected one that broadcasts to {}, got {} ({}; "
                "{}). Reshape it.",
                kBinaryCrossEntropy, name, to_string(input.shape()), to_string(weight.shape()),
                tensor::describe(given), tensor::describe(named));
  }
  return computed(weight);
}

/// factor * x, and 0 where the factor is 0, also if x is infinite. There the gradient of the factor
/// is x, limited to the range of f32.
Expression times(const Expression& factor, const Expression& x) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return factor * where(eq(factor, 0), clamp(x, -kMost, kMost), x);
}

/// (1 - t) softplus(x) + positive softplus(-x). One softplus is enough, because softplus(x) is
/// softplus(-|x|) + max(x, 0). `total` is 1 - t + positive; nullopt: that is 1. For t from 0 to 1
/// no term is negative, so no digits cancel. |x| is written as a choice: its own gradient at 0 is
/// 0.
Expression binary_cross_entropy(const Expression& x, const Expression& t,
                                const Expression& positive,
                                const std::optional<Expression>& total) {
  const Expression is_above = gt(x, 0);
  const Expression common = softplus(where(is_above, -x, x));
  return (total ? *total * common : common) + times(where(is_above, 1 - t, -positive), x);
}

/// The loss of each element. Its derivative is the difference, limited to delta.
Tensor huber_of(const Tensor& input, const Tensor& target, double delta) {
  Tensor result;
  {
    const tensor::Recording recording(false);
    const Tensor difference = input - target;
    // Where it is small both factors are d; else delta and |d| - delta / 2, of one sign. No branch
    // is computed with a value that overflows only there.
    const Tensor small = clamp(difference, -delta, delta);
    result = small * (difference - small * 0.5);
  }
  if (!tensor::needs_grad(input) && !tensor::needs_grad(target)) return result;
  tensor::record("huber_loss", result, {&input, &target},
                 [delta, a = tensor::Saved("input", input), b = tensor::Saved("target", target)](
                     const Tensor& grad, const tensor::Node& node) {
                   const Tensor slope = grad * clamp(a.get(node) - b.get(node), -delta, delta);
                   return std::vector<Tensor>{node.inputs[0] ? slope : Tensor(),
                                              node.inputs[1] ? -slope : Tensor()};
                 });
  return result;
}

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, LossReduction reduction) {
  tensor::check_pair("mse_loss", input, target);
  return reduced("mse_loss", square(computed(input) - computed(target)), reduction, input.dtype());
}

Tensor l1_loss(const Tensor& input, const Tensor& target, LossReduction reduction) {
  tensor::check_pair("l1_loss", input, target);
  return reduced("l1_loss", abs(computed(input) - computed(target)), reduction, input.dtype());
}

Tensor huber_loss(const Tensor& input, const Tensor& target, double delta,
                  LossReduction reduction) {
  tensor::check_pair("huber_loss", input, target);
  if (!(delta > 0)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[huber_loss] bad delta: expected a positive number, got {}. Use mse_loss for "
                "squares alone.",
                delta);
  }
  // Above the dtype's numbers all losses are squares.
  const double most = input.dtype() == DType::f64 ? std::numeric_limits<double>::max()
                                                  : std::numeric_limits<float>::max();
  delta = std::min(delta, most);
  return reduced("huber_loss", huber_of(computed(input), computed(target), delta), reduction,
                 input.dtype());
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyOptions& options) {
  tensor::check_pair(kBinaryCrossEntropy, input, target);
  static const auto& plain = *new auto(
      fuse([](const Expression& x,
              const Expression& t) { return binary_cross_entropy(x, t, /*positive=*/t, {}); },
           kBinaryCrossEntropy));
  static const auto& weighted = *new auto(fuse(
      [](const Expression& x, const Expression& t, const Expression& weight) {
        const Expression positive = weight * t;
        return binary_cross_entropy(x, t, positive, (1 - t) + positive);
      },
      kBinaryCrossEntropy));
  const Tensor x = computed(input), t = computed(target);
  Tensor losses;
  if (options.positive_weight.defined()) {
    losses = weighted(x, t, weight_of("positive_weight", options.positive_weight, input));
  } else {
    losses = plain(x, t);
  }
  if (options.weight.defined()) losses = losses * weight_of("weight", options.weight, input);
  return reduced(kBinaryCrossEntropy, losses, options.reduction, input.dtype());
}

}  // namespace patchbay
