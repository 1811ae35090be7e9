// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Updates of parameters, each as one fused pass over a parameter, its gradient and its state.
#include "patchbay/updates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/fuse/expression.h"
#include "core/tensor/ops/reduce.h"

namespace patchbay {
namespace {

using tensor::check_not_negative;
using tensor::Named;

/// The lists of a call, parameters first.
struct List {
  const char* name;  // for messages
  const TensorList& tensors;
};

/// The gradients are the only list that an update does not write.
constexpr std::size_t kParameters = 0, kGradients = 1;

/// A parameter with its gradient and state: as vectors if all of them are contiguous.
using Group = std::vector<Tensor>;

/// "gradients[1]"
std::string name_of(std::string_view list, std::size_t i) { return fmt::format("{}[{}]", list, i); }

/// Like the checks below, makes names only for messages: updates are called for each batch.
void check_float(const char* operation, const List& list, std::size_t i) {
  const Tensor& tensor = list.tensors[i];
  if (tensor.defined() && tensor::contains(tensor::kFloats, tensor.dtype())) [[likely]]
    return;
  const std::string name = name_of(list.name, i);
  tensor::check_dtype_allowed(operation, tensor::kFloats,
                              {name, tensor::impl_of(operation, tensor, name)});
}

void check_writable(const char* operation, const List& list, std::size_t i) {
  const tensor::TensorImpl& tensor = *list.tensors[i].impl();
  if (!tensor.buffer().is_read_only && !tensor::repeats_elements(tensor)) [[likely]]
    return;
  patchbay::check_writable(operation, list.tensors[i], name_of(list.name, i));
}

void check_length(const char* operation, std::span<const List> lists, std::size_t which) {
  const List& list = lists[which];
  const std::size_t expected = lists[kParameters].tensors.size();
  if (list.tensors.size() == expected) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{}] wrong number of tensors: expected {} {}, one for each parameter, got {}. {}",
                 operation, expected, list.name, list.tensors.size(),
                 which == kGradients ? "Pass an undefined gradient for a parameter without one."
                                     : "Give each parameter one: zeros_like(parameter).");
}

void check_like(const char* operation, const List& parameters, const List& list, std::size_t i) {
  const Tensor &parameter = parameters.tensors[i], &tensor = list.tensors[i];
  const bool is_like = tensor.defined() && tensor.shape() == parameter.shape() &&
                       tensor.dtype() == parameter.dtype() &&
                       &tensor.impl()->device() == &parameter.impl()->device();
  if (is_like) [[likely]]
    return;
  const std::string like = name_of(parameters.name, i), name = name_of(list.name, i);
  const Named expected{like, *parameter.impl()},
      got{name, tensor::impl_of(operation, tensor, name)};
  tensor::check_same_device(operation, expected, got);
  tensor::check_same_dtype(operation, expected, got);
  runtime::raise(ErrorCode::kShapeMismatch,
                 "[{}] {} has the wrong shape: expected {} like its parameter, got {} ({}; {}). {}",
                 operation, name, to_string(parameter.shape()), to_string(tensor.shape()),
                 tensor::describe(expected), tensor::describe(got),
                 tensor::help_for(tensor.shape(), parameter.shape()));
}

/// Checks that what is written shares no elements, except that a gradient may be overwritten.
void check_apart(const char* operation, std::span<const List> lists, std::size_t i) {
  for (std::size_t a = 0; a < lists.size(); ++a) {
    for (std::size_t b = a + 1; b < lists.size(); ++b) {
      const tensor::TensorImpl &x = *lists[a].tensors[i].impl(), &y = *lists[b].tensors[i].impl();
      const bool reads_one = a == kGradients || b == kGradients;
      const tensor::Overlap overlap = tensor::overlap(x, y);
      if (overlap == tensor::Overlap::kNone) continue;
      if (overlap == tensor::Overlap::kExact && reads_one) continue;
      const std::string first = name_of(lists[a].name, i), second = name_of(lists[b].name, i);
      runtime::raise(ErrorCode::kInvalidArgument,
                     "[{}] {} and {} overlap: expected {}, got some elements in common ({}; {}). "
                     "Clone one of them first: {}.clone().",
                     operation, first, second,
                     reads_one ? "the very same elements or none" : "no element in common",
                     tensor::describe(Named{first, x}), tensor::describe(Named{second, y}), second);
    }
  }
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

/// Checks the lists and joins neighbours.
std::vector<Group> groups_of(const char* operation, std::span<const List> lists) {
  const TensorList& parameters = lists[kParameters].tensors;
  for (std::size_t i = 0; i < lists.size(); ++i) check_length(operation, lists, i);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!lists[kGradients].tensors[i].defined()) continue;
    check_float(operation, lists[kParameters], i);
    bool is_flat = parameters[i].is_contiguous();
    for (const List& list : lists.subspan(1)) {
      check_like(operation, lists[kParameters], list, i);
      is_flat = is_flat && list.tensors[i].is_contiguous();
    }
    check_apart(operation, lists, i);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      if (k != kGradients) check_writable(operation, lists[k], i);
    }
    Group group;
    group.reserve(lists.size());
    for (const List& list : lists) {
      const Tensor& tensor = list.tensors[i];
      group.push_back(is_flat && tensor.rank() != 1 ? tensor.view({-1}) : tensor);
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

/// Calls the function with the tensors of each group and the numbers. It writes the tensors that
/// are numbered in `written`.
void update(const FusedFunction& function, std::vector<Group> groups,
            std::initializer_list<std::size_t> written, std::initializer_list<double> numbers) {
  std::vector<FusedGroup> calls;
  calls.reserve(groups.size());
  for (Group& group : groups) {
    FusedGroup& call = calls.emplace_back();
    call.outputs.reserve(written.size());
    for (const std::size_t i : written) call.outputs.push_back(group[i]);
    call.arguments.reserve(group.size() + numbers.size());
    for (Tensor& tensor : group) call.arguments.emplace_back(std::move(tensor));
    call.arguments.insert(call.arguments.end(), numbers.begin(), numbers.end());
  }
  function.call_groups_out(calls);
}

void check_step(const char* operation, std::int64_t step) {
  if (step >= 1) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{}] bad step: expected 1 or more, got {}. Count the updates from 1.", operation,
                 step);
}

void check_dampening(const char* operation, const SgdOptions& options) {
  if (std::isfinite(options.dampening)) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{}] bad dampening: expected a finite number, got {}. Choose another.", operation,
                 options.dampening);
}

void check_nesterov(const char* operation, const SgdOptions& options) {
  if (!options.nesterov || (options.momentum > 0 && options.dampening == 0)) return;
  runtime::raise(
      ErrorCode::kInvalidArgument,
      "[{}] wrong options with nesterov: expected a momentum > 0 and no dampening, got {} and {}. "
      "Choose others.",
      operation, options.momentum, options.dampening);
}

/// Options that change what is computed. Each combination has a function of its own, so that
/// nothing is computed for parts that are left out, and so that 0 times what is not finite adds no
/// NaN.
template <std::size_t kCount>
using Parts = std::array<bool, kCount>;

template <std::size_t kCount>
std::size_t number_of(const Parts<kCount>& parts) {
  std::size_t number = 0;
  for (const bool part : parts) number = 2 * number + (part ? 1 : 0);
  return number;
}

template <std::size_t kCount, class Make>
std::vector<FusedFunction> each_of(const Make& make) {
  std::vector<FusedFunction> functions;
  for (std::size_t number = 0; number < std::size_t{1} << kCount; ++number) {
    Parts<kCount> parts;
    for (std::size_t i = 0; i < kCount; ++i) parts[i] = (number >> (kCount - 1 - i) & 1) != 0;
    functions.push_back(make(parts));
  }
  return functions;
}

using tensor::like;
using tensor::wide;
using Inputs = std::span<const Expression>;

Expression slope_of(bool decays, const Expression& p, const Expression& g,
                    const Expression& decay) {
  return decays ? g + decay * p : g;
}

/// Of p, g, rate and decay to p.
const FusedFunction& plain_sgd(const Parts<1>& chosen) {
  static const auto& functions = *new auto(each_of<1>([](const Parts<1>& parts) {
    const auto body = [&parts](Inputs in) {
      return std::vector{in[0] - in[2] * slope_of(parts[0], in[0], in[1], in[3])};
    };
    return FusedFunction(4, body, "sgd_update");
  }));
  return functions[number_of(chosen)];
}

/// Of p, g, v, rate, decay, momentum and 1 - dampening to p and v. The parts: decay, dampening,
/// Nesterov's, the first step, in which v is not read.
const FusedFunction& sgd_with_momentum(const Parts<4>& chosen) {
  static const auto& functions = *new auto(each_of<4>([](const Parts<4>& parts) {
    const auto body = [&parts](Inputs in) {
      const auto [decays, dampens, looks_ahead, is_first] = parts;
      const Expression &p = in[0], &rate = in[3], &momentum = in[5], &share = in[6];
      const Expression slope = slope_of(decays, p, in[1], in[4]);
      const Expression velocity =
          is_first ? slope : momentum * in[2] + (dampens ? share * slope : slope);
      return std::vector{p - rate * (looks_ahead ? slope + momentum * velocity : velocity),
                         velocity};
    };
    return FusedFunction(7, body, "sgd_update");
  }));
  return functions[number_of(chosen)];
}

/// Of p, g, m, v, step, decay, 1 - rate decay, beta1, 1 - beta1, beta2, 1 - beta2 and epsilon to p,
/// m and v. The parts: decay of the gradient, decay of the parameter. Step and epsilon have the
/// corrections of the moments' bias, so that no element is divided for them: end of section 2 of
/// the paper.
const FusedFunction& adam(const Parts<2>& chosen) {
  static const auto& functions = *new auto(each_of<2>([](const Parts<2>& parts) {
    const auto body = [&parts](Inputs in) {
      // 16-bit floats are computed in f32: in f16 the usual epsilon is 0.
      const Expression p = wide(in[0]);
      const Expression slope = slope_of(parts[0], p, wide(in[1]), in[5]);
      const Expression mean = in[7] * wide(in[2]) + in[8] * slope;
      const Expression second = in[9] * wide(in[3]) + in[10] * square(slope);
      const Expression kept = parts[1] ? in[6] * p : p;
      return std::vector{like(kept - in[4] * mean / (sqrt(second) + in[11]), in[0]),
                         like(mean, in[2]), like(second, in[3])};
    };
    return FusedFunction(12, body, "adam_update");
  }));
  return functions[number_of(chosen)];
}

}  // namespace

void sgd_update(const TensorList& parameters, const TensorList& gradients,
                const TensorList& velocities, std::int64_t step, const SgdOptions& options) {
  constexpr const char* kName = "sgd_update";
  check_step(kName, step);
  check_not_negative(kName, "learning_rate", options.learning_rate);
  check_not_negative(kName, "momentum", options.momentum);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  check_dampening(kName, options);
  check_nesterov(kName, options);
  const tensor::Recording recording(false);
  const double rate = options.learning_rate, decay = options.weight_decay;
  if (options.momentum == 0) {
    const std::array<List, 2> lists{List{"parameters", parameters}, {"gradients", gradients}};
    update(plain_sgd({decay != 0}), groups_of(kName, lists), {0}, {rate, decay});
    return;
  }
  const std::array<List, 3> lists{
      List{"parameters", parameters}, {"gradients", gradients}, {"velocities", velocities}};
  update(sgd_with_momentum({decay != 0, options.dampening != 0, options.nesterov, step == 1}),
         groups_of(kName, lists), {0, 2}, {rate, decay, options.momentum, 1 - options.dampening});
}

void adam_update(const TensorList& parameters, const TensorList& gradients, const TensorList& means,
                 const TensorList& squares, std::int64_t step, const AdamOptions& options) {
  constexpr const char* kName = "adam_update";
  check_step(kName, step);
  check_not_negative(kName, "learning_rate", options.learning_rate);
  check_not_negative(kName, "epsilon", options.epsilon);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  for (const auto& [name, beta] : {std::pair("beta1", options.beta1), {"beta2", options.beta2}}) {
    if (beta >= 0 && beta < 1) continue;
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] bad {}: expected 0 or more and less than 1, got {}. Choose another.",
                   kName, name, beta);
  }
  const std::array<List, 4> lists{List{"parameters", parameters},
                                  {"gradients", gradients},
                                  {"means", means},
                                  {"squares", squares}};
  const tensor::Recording recording(false);
  const double steps = static_cast<double>(step), rate = options.learning_rate,
               decay = options.weight_decay, beta1 = options.beta1, beta2 = options.beta2;
  const double bias1 = 1 - std::pow(beta1, steps), bias2 = 1 - std::pow(beta2, steps);
  const double root = std::sqrt(bias2);
  update(adam({decay != 0 && !options.decoupled, decay != 0 && options.decoupled}),
         groups_of(kName, lists), {0, 2, 3},
         {rate * root / bias1, decay, 1 - rate * decay, beta1, 1 - beta1, beta2, 1 - beta2,
          options.epsilon * root});
}

namespace {

/// Checks that two tensors of a list are on one device.
void check_device(const char* operation, const List& list, std::size_t first, std::size_t second) {
  const tensor::TensorImpl &a = *list.tensors[first].impl(), &b = *list.tensors[second].impl();
  if (&a.device() == &b.device()) [[likely]]
    return;
  const std::string first_name = name_of(list.name, first),
                    second_name = name_of(list.name, second);
  tensor::check_same_device(operation, {first_name, a}, {second_name, b});
}

/// In f32 if the tensor has 16 bits, in which the factor would lose digits or become 0.
void multiply(const Tensor& gradient, const Tensor& factor) {
  if (tensor::is_small(gradient.dtype())) {
    gradient.copy_from(gradient.cast(factor.dtype()) * factor);
  } else {
    mul_out(gradient, gradient, factor.cast(gradient.dtype()));
  }
}

}  // namespace

void clip_by_value(const TensorList& gradients, double limit) {
  constexpr const char* kName = "clip_by_value";
  if (!(limit >= 0)) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] bad limit: expected 0 or more, got {}. Choose another.", kName, limit);
  }
  const List list{"gradients", gradients};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    check_float(kName, list, i);
    check_writable(kName, list, i);
    static_cast<void>(Scalar(limit).bits(gradients[i].dtype(), kName));
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
  constexpr tensor::Moment kNorm{.order = 2, .has_root = true};
  Tensor first;
  std::int64_t number = 0;
  const List list{"gradients", gradients};
  std::size_t first_index = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    check_float(kName, list, i);
    check_writable(kName, list, i);
    if (!first.defined()) {
      first = gradients[i];
      first_index = i;
    }
    check_device(kName, list, first_index, i);
  }
  if (!first.defined()) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[{}] no gradients: expected at least one that is defined, got {} tensors. Call "
                   "backward first.",
                   kName, gradients.size());
  }
  const DType dtype = first.dtype() == DType::f64 ? DType::f64 : DType::f32;
  const auto count = std::count_if(gradients.begin(), gradients.end(),
                                   [](const Tensor& gradient) { return gradient.defined(); });
  const Tensor norms = empty({count}, {dtype, first.device()});
  for (const Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    const DType wide = gradient.dtype() == DType::f64 ? DType::f64 : DType::f32;
    const Tensor norm = norms.slice(0, number, number + 1);
    ++number;
    if (wide == dtype) {
      tensor::moment_into(kName, norm, gradient.cast(wide), kNorm);
    } else {
      norm.copy_from(patchbay::norm(gradient.cast(wide)).cast(dtype).reshape({1}));
    }
  }
  // Not a sum of squares, which may leave the range of the dtype where the norm does not.
  Tensor norm = number == 1 ? norms.reshape({}) : patchbay::norm(norms);
  // As PyTorch has it, so that a norm of 0 divides by more than 0.
  const Tensor factor = minimum(div(most, norm + 1e-6), 1);
  for (const Tensor& gradient : gradients) {
    if (gradient.defined()) multiply(gradient, factor);
  }
  return norm;
}

void check_writable(const char* operation, const Tensor& tensor, std::string_view name) {
  const tensor::TensorImpl& impl = tensor::impl_of(operation, tensor, name);
  impl.buffer().check_writable(operation, name);
  if (!tensor::repeats_elements(impl)) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{}] {} repeats elements: expected a place of its own for each, got strides {} "
                 "({}). Use a clone of it.",
                 operation, name, to_string(impl.strides), tensor::describe(impl));
}

}  // namespace patchbay
