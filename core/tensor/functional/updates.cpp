// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Updates of parameters, each as one fused pass over a parameter, its gradient and its state.
#include "patchbay/updates.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"

namespace patchbay {
namespace {

using tensor::check_not_negative;
using tensor::Named;

/// The lists of a call, parameters first.
struct List {
  const char* name;  // for messages
  const TensorList& tensors;
};

/// A parameter with its gradient and state: as vectors if all of them are contiguous.
using Group = std::vector<Tensor>;

void check_length(const char* operation, const List& list, std::size_t expected) {
  if (list.tensors.size() == expected) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{}] wrong number of tensors: expected {} {}, one for each parameter, got {}. "
                 "Pass an undefined gradient for a parameter without one.",
                 operation, expected, list.name, list.tensors.size());
}

void check_like(const char* operation, const Tensor& parameter, const List& list, std::size_t i) {
  const Tensor& tensor = list.tensors[i];
  const std::string name = fmt::format("{} {}", list.name, i);
  const Named expected{"parameter", *parameter.impl()},
      got{name, tensor::impl_of(operation, tensor, name)};
  tensor::check_same_device(operation, expected, got);
  tensor::check_same_dtype(operation, expected, got);
  if (tensor.shape() == parameter.shape()) return;
  runtime::raise(ErrorCode::kShapeMismatch,
                 "[{}] {} has the wrong shape: expected {} like its parameter, got {} ({}; {}). "
                 "Reshape it.",
                 operation, name, to_string(parameter.shape()), to_string(tensor.shape()),
                 tensor::describe(expected), tensor::describe(got));
}

/// Whether b begins where a ends, in one storage.
bool follows(const Tensor& a, const Tensor& b) {
  return a.rank() == 1 && b.rank() == 1 && a.is_contiguous() && b.is_contiguous() &&
         a.dtype() == b.dtype() && &a.impl()->buffer() == &b.impl()->buffer() &&
         b.offset_bytes() == a.offset_bytes() + a.size_bytes();
}

bool follows(const Group& a, const Group& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!follows(a[i], b[i])) return false;
  }
  return true;
}

/// a and what follows it.
Tensor extended(const Tensor& a, const Tensor& next) {
  return tensor::make_view(*a.impl(), a.offset_bytes(),
                           Shape{a.num_elements() + next.num_elements()}, Shape{1});
}

/// Checks the lists, of which the second has the gradients, and joins neighbours.
std::vector<Group> groups_of(const char* operation, std::span<const List> lists) {
  const TensorList& parameters = lists[0].tensors;
  for (const List& list : lists) check_length(operation, list, parameters.size());
  std::vector<Group> groups;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!lists[1].tensors[i].defined()) continue;
    const Named named{"parameter", tensor::impl_of(operation, parameters[i], "parameter")};
    tensor::check_dtype_allowed(operation, tensor::kFloats, named);
    bool is_flat = parameters[i].is_contiguous();
    for (const List& list : lists.subspan(1)) {
      check_like(operation, parameters[i], list, i);
      is_flat = is_flat && list.tensors[i].is_contiguous();
    }
    Group group;
    for (const List& list : lists) {
      const Tensor tensor = list.tensors[i].detach();
      group.push_back(is_flat ? tensor.view({-1}) : tensor);
    }
    if (!groups.empty() && follows(groups.back(), group)) {
      for (std::size_t k = 0; k < group.size(); ++k) {
        groups.back()[k] = extended(groups.back()[k], group[k]);
      }
    } else {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

void check_step(const char* operation, std::int64_t step) {
  if (step >= 1) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{}] bad step: expected 1 or more, got {}. Count the updates from 1.", operation,
                 step);
}

}  // namespace

void sgd_update(const TensorList& parameters, const TensorList& gradients,
                const TensorList& velocities, std::int64_t step, const SgdOptions& options) {
  constexpr const char* kName = "sgd_update";
  check_step(kName, step);
  check_not_negative(kName, "momentum", options.momentum);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  const tensor::Recording recording(false);
  if (options.momentum == 0) {
    static const auto& plain =
        *new auto(fuse([](const Expression& p, const Expression& g, const Expression& rate,
                          const Expression& decay) { return p - rate * (g + decay * p); },
                       kName));
    const std::array<List, 2> lists{List{"parameters", parameters}, {"gradients", gradients}};
    for (const Group& group : groups_of(kName, lists)) {
      plain.out(group[0], group[0], group[1], options.learning_rate, options.weight_decay);
    }
    return;
  }
  // In the first step the velocity is not read: 0 times what is not finite is NaN.
  static const auto& first = *new auto(fuse(
      [](const Expression& p, const Expression& g, const Expression& rate, const Expression& decay,
         const Expression& lookahead) {
        const Expression velocity = g + decay * p;
        return std::array{p - rate * (velocity + lookahead * velocity), velocity};
      },
      kName));
  static const auto& later = *new auto(fuse(
      [](const Expression& p, const Expression& g, const Expression& v, const Expression& rate,
         const Expression& decay, const Expression& momentum, const Expression& share,
         const Expression& own, const Expression& lookahead) {
        const Expression slope = g + decay * p;
        const Expression velocity = momentum * v + share * slope;
        return std::array{p - rate * (own * slope + lookahead * velocity), velocity};
      },
      kName));
  const std::array<List, 3> lists{
      List{"parameters", parameters}, {"gradients", gradients}, {"velocities", velocities}};
  const double lookahead = options.nesterov ? options.momentum : 0;
  for (const Group& group : groups_of(kName, lists)) {
    const std::array<Tensor, 2> updated{group[0], group[2]};
    if (step == 1) {
      first.out(updated, group[0], group[1], options.learning_rate, options.weight_decay,
                lookahead);
    } else {
      later.out(updated, group[0], group[1], group[2], options.learning_rate, options.weight_decay,
                options.momentum, 1 - options.dampening, options.nesterov ? 1 : 0,
                options.nesterov ? options.momentum : 1);
    }
  }
}

void adam_update(const TensorList& parameters, const TensorList& gradients, const TensorList& means,
                 const TensorList& squares, std::int64_t step, const AdamOptions& options) {
  constexpr const char* kName = "adam_update";
  check_step(kName, step);
  check_not_negative(kName, "epsilon", options.epsilon);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  for (const auto& [name, beta] : {std::pair("beta1", options.beta1), {"beta2", options.beta2}}) {
    if (beta >= 0 && beta < 1) continue;
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] bad {}: expected 0 or more and less than 1, got {}. Choose another.",
                   kName, name, beta);
  }
  static const auto& update = *new auto(fuse(
      [](const Expression& p, const Expression& g, const Expression& m, const Expression& v,
         const Expression& rate, const Expression& decay, const Expression& kept,
         const Expression& beta1, const Expression& rest1, const Expression& beta2,
         const Expression& rest2, const Expression& root, const Expression& epsilon) {
        const Expression slope = g + decay * p;
        const Expression mean = beta1 * m + rest1 * slope;
        const Expression second = beta2 * v + rest2 * square(slope);
        const Expression size = sqrt(second) / root + epsilon;
        return std::array{kept * p - rate * mean / size, mean, second};
      },
      kName));
  const std::array<List, 4> lists{List{"parameters", parameters},
                                  {"gradients", gradients},
                                  {"means", means},
                                  {"squares", squares}};
  const tensor::Recording recording(false);
  const double steps = static_cast<double>(step);
  const double bias1 = 1 - std::pow(options.beta1, steps),
               bias2 = 1 - std::pow(options.beta2, steps);
  const double decay = options.decoupled ? 0 : options.weight_decay;
  const double kept = options.decoupled ? 1 - options.learning_rate * options.weight_decay : 1;
  for (const Group& group : groups_of(kName, lists)) {
    update.out({group[0], group[2], group[3]}, group[0], group[1], group[2], group[3],
               options.learning_rate / bias1, decay, kept, options.beta1, 1 - options.beta1,
               options.beta2, 1 - options.beta2, std::sqrt(bias2), options.epsilon);
  }
}

void clip_by_value(const TensorList& gradients, double limit) {
  if (!(limit >= 0)) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[clip_by_value] bad limit: expected 0 or more, got {}. Choose another.", limit);
  }
  const tensor::Recording recording(false);
  for (const Tensor& gradient : gradients) {
    if (gradient.defined()) clamp_out(gradient, gradient, -limit, limit);
  }
}

Tensor clip_by_norm(const TensorList& gradients, double most) {
  constexpr const char* kName = "clip_by_norm";
  if (!(most > 0)) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] bad norm: expected more than 0, got {}. Choose another.", kName, most);
  }
  const tensor::Recording recording(false);
  Tensor total, first;
  for (const Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    const Named got{"gradient", *gradient.impl()};
    tensor::check_dtype_allowed(kName, tensor::kFloats, got);
    if (!first.defined()) first = gradient;
    tensor::check_same_device(kName, {"gradient", *first.impl()}, got);
  }
  if (!first.defined()) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] no gradients: expected at least one that is defined, got {} tensors. Call "
                   "backward first.",
                   kName, gradients.size());
  }
  const DType dtype = first.dtype() == DType::f64 ? DType::f64 : DType::f32;
  for (const Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    const DType wide = gradient.dtype() == DType::f64 ? DType::f64 : DType::f32;
    const Tensor squares = sum_squares(gradient.cast(wide)).cast(dtype);
    total = total.defined() ? add_out(total, total, squares) : squares;
  }
  Tensor norm = sqrt(total);
  // As PyTorch has it, so that a norm of 0 divides by more than 0.
  const Tensor factor = minimum(div(most, norm + 1e-6), 1);
  for (const Tensor& gradient : gradients) {
    if (gradient.defined()) mul_out(gradient, gradient, factor.cast(gradient.dtype()));
  }
  return norm;
}

}  // namespace patchbay
