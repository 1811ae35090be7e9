// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls of functions that a program gives a derivative, and the checks of what it returns.
#include "patchbay/custom_function.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "patchbay/autograd.h"

#include "core/tensor/dispatch/backward_scope.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

namespace tensor {

struct CustomFunctionState {
  std::shared_ptr<const std::string> name;
  CustomFunction::Forward forward;
  CustomFunction::Backward backward;
};

namespace {

/// What a gradient must be like. Undefined operands have none.
struct Kind {
  explicit Kind(const Tensor& tensor)
      : shape(tensor.shape()), dtype(tensor.dtype()), device(tensor.device()) {}

  Shape shape;
  DType dtype;
  Device device;
};

std::optional<Kind> kind_of(const Tensor& tensor) {
  return tensor.defined() ? std::optional<Kind>(tensor) : std::nullopt;
}

/// One tensor of save_for_backward. Its name is kept by the call.
struct Kept {
  std::string name;
  std::optional<Saved> saved;  // none: an undefined tensor
};

}  // namespace

/// One recorded call.
struct CustomCall {
  std::shared_ptr<const CustomFunctionState> function;
  std::vector<std::optional<Kind>> inputs;
  std::vector<Kind> results;
  std::vector<bool> is_differentiable;  // of the results
  std::vector<Kept> kept;
  bool materializes_grads = true;

  /// Makes `returned` the results of a recorded call, if a gradient can flow. `made` is what
  /// forward returned, `returned` the same for the caller.
  static void record(const std::shared_ptr<const CustomFunctionState>& function,
                     const FunctionContext& context, const std::vector<Tensor>& given,
                     const std::vector<Tensor>& made, const std::vector<Tensor>& returned);

 private:
  std::vector<Tensor> backward(std::vector<Tensor> grads, const Node& node) const;
  void keep(const FunctionContext& context, const std::vector<Tensor>& given,
            const std::vector<Tensor>& made, const std::vector<Tensor>& returned);
  void complete(std::vector<Tensor>& grads) const;
  void check(const std::vector<Tensor>& grads, const Node& node) const;
  void check_one(std::size_t input, const TensorImpl& grad) const;
};

namespace {

std::ptrdiff_t place_of(const std::vector<Tensor>& among, const Tensor& tensor) {
  const auto found = std::find_if(among.begin(), among.end(), [&](const Tensor& each) {
    return each.defined() && each.impl() == tensor.impl();
  });
  return found == among.end() ? -1 : found - among.begin();
}

}  // namespace

void CustomCall::keep(const FunctionContext& context, const std::vector<Tensor>& given,
                      const std::vector<Tensor>& made, const std::vector<Tensor>& returned) {
  kept.resize(context.saved_.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Tensor& tensor = context.saved_[i];
    if (!tensor.defined()) continue;
    Kept& one = kept[i];
    if (const std::ptrdiff_t input = place_of(given, tensor); input >= 0) {
      one.name = fmt::format("input {}", input);
      one.saved.emplace(one.name, tensor);
      continue;
    }
    const std::ptrdiff_t result = place_of(made, tensor);
    if (result < 0) {
      one.name = fmt::format("saved tensor {}", i);
      one.saved.emplace(one.name, tensor);
      continue;
    }
    const auto number = static_cast<std::size_t>(result);
    one.name = fmt::format("result {}", result);
    one.saved = is_differentiable[number] ? Saved::result(returned[number], number, one.name)
                                          : Saved(one.name, returned[number]);
  }
}

/// Gives every differentiable result a gradient. With create_graph each of them is part of the
/// record, so that a gradient which is not recorded can be told from one that is.
void CustomCall::complete(std::vector<Tensor>& grads) const {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!grads[i].defined() && materializes_grads && is_differentiable[i]) {
      grads[i] = zeros(results[i].shape, {results[i].dtype, results[i].device});
    }
    if (grads[i].defined() && is_recording() && !needs_grad(grads[i])) {
      grads[i] = grads[i].detach().requires_grad_();
    }
  }
}

std::vector<Tensor> CustomCall::backward(std::vector<Tensor> grads, const Node& node) const {
  complete(grads);
  FunctionContext context;
  for (const Kept& one : kept) {
    context.saved_.push_back(one.saved ? one.saved->get(node) : Tensor());
  }
  for (const auto& input : node.inputs) context.needs_grad_.push_back(input != nullptr);
  context.options_ = BackwardScope::options();
  std::vector<Tensor> result = function->backward(context, grads);
  check(result, node);
  return result;
}

void CustomCall::check(const std::vector<Tensor>& grads, const Node& node) const {
  if (grads.size() != inputs.size()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] {} gave a wrong number of gradients: expected {}, one for each input, got {}. "
          "Return an undefined tensor for an input without one.",
          BackwardScope::operation(), node.name, inputs.size(), grads.size());
  }
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (node.inputs[i] != nullptr && grads[i].defined()) check_one(i, *grads[i].impl());
  }
}

void CustomCall::check_one(std::size_t input, const TensorImpl& grad) const {
  const Kind& expected = *inputs[input];
  const auto fail = [&](ErrorCode code, const char* what, const std::string& wanted,
                        const std::string& got, const char* way_out) {
    raise(code, "[{}] {} gave a gradient {} for input {}: expected {}, got {} ({}). {}",
          BackwardScope::operation(), *function->name, what, input, wanted, got, describe(grad),
          way_out);
  };
  const Device device = handle_of(grad).device();
  if (device != expected.device) {
    fail(ErrorCode::kDeviceMismatch, "on another device", expected.device.name(), device.name(),
         "Compute it where the input is, or move it there.");
  }
  if (grad.dtype != expected.dtype) {
    fail(ErrorCode::kDtypeMismatch, "of another dtype", std::string(to_string(expected.dtype)),
         std::string(to_string(grad.dtype)), "Cast it.");
  }
  if (grad.shape != expected.shape) {
    fail(ErrorCode::kShapeMismatch, "of another shape", to_string(expected.shape),
         to_string(grad.shape),
         "Sum it over the dimensions that forward broadcast, or reshape it.");
  }
  if (is_recording() && !needs_grad(grad)) {
    fail(ErrorCode::kUnsupported, "without a record, in a backward with create_graph,",
         "one made by recorded operations", "one made by none",
         "Give it a backward of such operations if it is to have second derivatives; return an "
         "undefined tensor where no gradient flows.");
  }
}

namespace {

std::uint64_t version_of(const Tensor& tensor) {
  return tensor.impl()->buffer().version.load(std::memory_order_relaxed);
}

/// The inputs that require gradients, and their versions before forward.
class Untouched {
 public:
  explicit Untouched(const std::vector<Tensor>& inputs) : inputs_(inputs) {
    for (const Tensor& input : inputs) versions_.push_back(input.defined() ? version_of(input) : 0);
  }
  void check(const char* function) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Tensor& input = inputs_[i];
      if (!input.defined() || !is_watched(*input.impl())) continue;
      if (version_of(input) == versions_[i]) continue;
      raise(ErrorCode::kInvalidArgument,
            "[{}] forward wrote to input {}, which requires gradients ({}). Write to a clone, and "
            "return that.",
            function, i, describe(*input.impl()));
    }
  }

 private:
  const std::vector<Tensor>& inputs_;
  std::vector<std::uint64_t> versions_;
};

void check_results(const char* function, const std::vector<Tensor>& results) {
  if (results.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] forward gave no results: expected one tensor or more. Return what it computes.",
          function);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    impl_of(function, results[i], fmt::format("result {} of forward", i));
  }
}

/// Which results gradients flow back from.
std::vector<bool> differentiable(const char* function, const std::vector<Tensor>& results,
                                 const std::vector<Tensor>& marked) {
  std::vector<bool> flows;
  for (const Tensor& each : results) flows.push_back(is_floating(each.dtype()));
  for (const Tensor& each : marked) {
    const std::ptrdiff_t place = each.defined() ? place_of(results, each) : -1;
    if (place < 0) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] mark_non_differentiable of a tensor that forward does not return: expected "
            "results, got {}. Mark the tensors that are returned.",
            function, each.defined() ? describe(*each.impl()) : "an undefined tensor");
    }
    flows[static_cast<std::size_t>(place)] = false;
  }
  return flows;
}

bool any_of(const std::vector<bool>& values) {
  return std::find(values.begin(), values.end(), true) != values.end();
}

}  // namespace

void CustomCall::record(const std::shared_ptr<const CustomFunctionState>& function,
                        const FunctionContext& context, const std::vector<Tensor>& given,
                        const std::vector<Tensor>& made, const std::vector<Tensor>& returned) {
  const auto call = std::make_shared<CustomCall>();
  call->is_differentiable =
      differentiable(function->name->c_str(), made, context.not_differentiable_);
  if (!any_of(context.needs_grad_) || !any_of(call->is_differentiable)) return;
  call->function = function;
  call->materializes_grads = context.materializes_grads_;
  std::vector<const Tensor*> operands;
  for (const Tensor& input : given) {
    call->inputs.push_back(kind_of(input));
    operands.push_back(&input);
  }
  for (const Tensor& each : returned) call->results.emplace_back(each);
  call->keep(context, given, made, returned);
  record_joint(function->name, returned, call->is_differentiable, operands,
               [call](std::vector<Tensor> grads, const Node& node) {
                 return call->backward(std::move(grads), node);
               });
}

}  // namespace tensor

CustomFunction::CustomFunction(std::string name, Forward forward, Backward backward) {
  for (const auto& [what, is_there] :
       {std::pair("forward", bool(forward)), {"backward", bool(backward)}}) {
    if (is_there) continue;
    base::raise(ErrorCode::kInvalidArgument,
                "[CustomFunction] {} has no {}. Pass both forward and backward.", name, what);
  }
  state_ = std::make_shared<const tensor::CustomFunctionState>(
      tensor::CustomFunctionState{std::make_shared<const std::string>(std::move(name)),
                                  std::move(forward), std::move(backward)});
}

const std::string& CustomFunction::name() const { return *state_->name; }

std::vector<Tensor> CustomFunction::operator()(const std::vector<Tensor>& inputs) const {
  const char* const name = state_->name->c_str();
  FunctionContext context;
  for (const Tensor& input : inputs) {
    context.needs_grad_.push_back(input.defined() && tensor::needs_grad(input));
  }
  const tensor::Untouched untouched(inputs);
  std::vector<Tensor> made;
  {
    const tensor::Recording recording(false);
    made = state_->forward(context, inputs);
  }
  tensor::check_results(name, made);
  untouched.check(name);
  // New handles: forward may return an input, or a tensor that something else records.
  std::vector<Tensor> results;
  for (const Tensor& each : made) results.push_back(each.detach());
  tensor::CustomCall::record(state_, context, inputs, made, results);
  return results;
}

}  // namespace patchbay
