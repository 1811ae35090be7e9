// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Losses of classes: by index, or by the probability of each class.
#include <string_view>

#include <fmt/format.h>

#include "patchbay/fuse.h"
#include "patchbay/indexing.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/ops/indexing.h"

namespace patchbay {
namespace {

using tensor::computed;

/// The dimension of the classes: [classes] or [n, classes, ...].
int class_dim(const Tensor& input) { return input.rank() == 1 ? 0 : 1; }

std::int64_t num_classes(const Tensor& input) { return input.shape()[class_dim(input)]; }

Shape without_classes(const Tensor& input) {
  Shape shape;
  for (int dim = 0; dim < input.rank(); ++dim) {
    if (dim != class_dim(input)) shape.push_back(input.shape()[dim]);
  }
  return shape;
}

void check_input(const char* operation, const Tensor& input, const Tensor& weight) {
  const tensor::NamedOperand given{"input", tensor::operand_of(operation, input, "input")};
  tensor::check_dtype_allowed(operation, tensor::kFloats, given);
  if (input.rank() == 0) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] input has the wrong shape: expected [classes] or [n, classes, ...], got "
                "{} ({}). Reshape it.",
                operation, to_string(input.shape()), tensor::describe(given));
  }
  if (!weight.defined()) return;
  const tensor::NamedOperand named{"weight", *weight.impl()};
  tensor::check_same_device(operation, given, named);
  tensor::check_same_dtype(operation, given, named);
  if (weight.shape() == Shape{num_classes(input)}) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] weight has the wrong shape: expected [{}], a number for each class, got {} "
              "({}; {}). {}",
              operation, num_classes(input), to_string(weight.shape()), tensor::describe(given),
              tensor::describe(named), tensor::help_for(weight.shape(), {num_classes(input)}));
}

void check_indices(const char* operation, const Tensor& input, const Tensor& target) {
  const tensor::NamedOperand given{"input", *input.impl()},
      named{"target", tensor::operand_of(operation, target, "target")};
  tensor::check_same_device(operation, given, named);
  if (target.dtype() != DType::i64 && target.dtype() != DType::i32) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[{}] target has the wrong dtype: expected i64 or i32, got {} ({}). Convert it "
                "first: target.cast(DType::i64).",
                operation, to_string(target.dtype()), tensor::describe(named));
  }
  if (target.shape() != without_classes(input)) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] target has the wrong shape: expected {}, that of input without the "
                "classes, got {} ({}; {}). {}",
                operation, to_string(without_classes(input)), to_string(target.shape()),
                tensor::describe(given), tensor::describe(named),
                tensor::help_for(target.shape(), without_classes(input)));
  }
  if (num_classes(input) > 0 || named.tensor.is_empty()) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] input has no classes: expected 1 or more in dimension {}, got 0 ({}; {}). "
              "Give an input with classes, or an empty target.",
              operation, class_dim(input), tensor::describe(given), tensor::describe(named));
}

/// The elements of the targets' classes, without the dimension of the classes.
Tensor picked(const char* operation, const Tensor& values, const Tensor& classes) {
  return tensor::pick(operation, values, class_dim(values), classes);
}

/// The weight of each class, in a shape that broadcasts to that of the values.
Tensor along_classes(const Tensor& weight, const Tensor& values) {
  Shape shape;
  for (int dim = 0; dim < values.rank(); ++dim) {
    shape.push_back(dim == class_dim(values) ? num_classes(values) : 1);
  }
  return computed(weight.detach()).reshape(shape);
}

/// Index targets, all in their shape: which count, their classes (0 where they are ignored), and
/// the weight of each (likewise).
struct Targets {
  Tensor counts, classes, weights;
};

Targets targets_of(const char* operation, const Tensor& values, const Tensor& target,
                   const CrossEntropyOptions& options) {
  const tensor::Recording recording(false);
  // In i64, because the ignored index need not fit into i32.
  const Tensor counts = ne(target.cast(DType::i64), options.ignored_index);
  const Tensor classes = where(counts, target, 0);
  const Tensor ones = counts.cast(values.dtype());
  if (!options.weight.defined()) return {counts, classes, ones};
  const Tensor all = along_classes(options.weight, values).expand(values.shape());
  return {counts, classes, picked(operation, all, classes) * ones};
}

/// picked(log_softmax(input), classes), with the gradient of both in one pass.
Tensor picked_logarithms(const char* operation, const Tensor& input, const Tensor& classes) {
  static const auto& along =
      *new auto(fuse([](const Expression& y, const Expression& slope) { return -exp(y) * slope; },
                     "cross_entropy"));
  const Tensor logarithms = log_softmax(input, class_dim(input));
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = picked(operation, logarithms, classes);
  }
  if (!tensor::needs_grad(input)) return result;
  tensor::record("cross_entropy", result, input,
                 [classes, saved = tensor::Saved("logarithms", logarithms)](
                     const Tensor& grad, const tensor::Node& node) {
                   const Tensor y = saved.get(node);
                   const int dim = class_dim(y);
                   const Tensor slope = grad.unsqueeze(dim), at = classes.unsqueeze(dim);
                   const Tensor shares = along(y, slope);
                   if (tensor::is_recording()) return scatter_add(shares, dim, at, slope);
                   return scatter_add_out(shares, shares, dim, at, slope);
                 });
  return result;
}

/// 0 for targets that are ignored, also where the loss is not finite. A class of weight 0 does not
/// hide such a loss: the product is NaN.
Tensor weighted(const Tensor& losses, const Targets& targets) {
  return where(targets.counts, losses * targets.weights, 0);
}

/// The values of each class times its weight, if there are any.
Tensor weighted_by_class(const Tensor& values, const Tensor& weight) {
  return weight.defined() ? values * along_classes(weight, values) : values;
}

/// `divisor` is what a mean is divided by.
Tensor reduced_by(const char* operation, const Tensor& losses, const Tensor& divisor,
                  LossReduction reduction, DType dtype) {
  if (reduction != LossReduction::kMean)
    return tensor::reduced(operation, losses, reduction, dtype);
  return (sum(losses) / divisor).cast(dtype);
}

/// `values` are scores, or their logarithms of softmax. With label smoothing, of scores only, the
/// targets' classes have 1 - smoothing, and all classes smoothing / n.
Tensor loss_of_indices(const char* operation, const Tensor& values, bool are_scores,
                       const Tensor& target, const CrossEntropyOptions& options, DType dtype) {
  check_indices(operation, values, target);
  const Targets targets = targets_of(operation, values, target, options);
  Tensor losses;
  if (options.label_smoothing == 0) {
    const Tensor at = are_scores ? picked_logarithms(operation, values, targets.classes)
                                 : picked(operation, values, targets.classes);
    losses = weighted(-at, targets);
  } else {
    const Tensor logarithms = log_softmax(values, class_dim(values));
    const Tensor all = sum(weighted_by_class(logarithms, options.weight), class_dim(logarithms));
    const Tensor smooth = where(targets.counts, -all, 0);
    const double share = options.label_smoothing / static_cast<double>(num_classes(logarithms));
    losses = weighted(-picked(operation, logarithms, targets.classes), targets) *
                 (1 - options.label_smoothing) +
             smooth * share;
  }
  return reduced_by(operation, losses, sum(targets.weights), options.reduction, dtype);
}

void check_probabilities(const Tensor& input, const Tensor& target,
                         const CrossEntropyOptions& options) {
  tensor::check_pair("cross_entropy", input, target);
  const std::int64_t usual = CrossEntropyOptions().ignored_index;
  if (options.ignored_index == usual) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[cross_entropy] ignored_index does not apply to probabilities: expected {}, the "
              "default, got {} (target: {} {}). Leave it out, or give indices of classes.",
              usual, options.ignored_index, to_string(target.dtype()), to_string(target.shape()));
}

Tensor loss_of_probabilities(const Tensor& logarithms, const Tensor& target,
                             const CrossEntropyOptions& options, DType dtype) {
  Tensor wanted = computed(target);
  if (options.label_smoothing > 0) {
    wanted = wanted * (1 - options.label_smoothing) +
             options.label_smoothing / static_cast<double>(num_classes(logarithms));
  }
  const Tensor products = weighted_by_class(logarithms * wanted, options.weight);
  return tensor::reduced("cross_entropy", -sum(products, class_dim(logarithms)), options.reduction,
                         dtype);
}

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& target, const NllOptions& options) {
  check_input("nll_loss", input, options.weight);
  return loss_of_indices("nll_loss", computed(input), /*are_scores=*/false, target,
                         {options.weight, options.ignored_index, 0, options.reduction},
                         input.dtype());
}

Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyOptions& options) {
  check_input("cross_entropy", input, options.weight);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[cross_entropy] bad label_smoothing: expected 0 to 1, got {}. Choose one in this range.",
        options.label_smoothing);
  }
  const tensor::TensorImpl& wanted = tensor::operand_of("cross_entropy", target, "target");
  const bool by_probability = is_floating(wanted.dtype);
  if (by_probability && input.rank() > 1 && wanted.shape == without_classes(input)) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[cross_entropy] target has the wrong dtype: expected i64 or i32 for numbers of "
                "classes, got {} {}. Write target.cast(DType::i64), or give a probability for "
                "each class, in input's shape {}.",
                to_string(wanted.dtype), to_string(wanted.shape), to_string(input.shape()));
  }
  if (by_probability) check_probabilities(input, target, options);
  if (!by_probability) {
    return loss_of_indices("cross_entropy", computed(input), /*are_scores=*/true, target, options,
                           input.dtype());
  }
  const Tensor logarithms = log_softmax(computed(input), class_dim(input));
  return loss_of_probabilities(logarithms, target, options, input.dtype());
}

}  // namespace patchbay
