// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/module.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <typeinfo>

#include "patchbay/autograd.h"
#include "patchbay/graph.h"
#include "patchbay/runtime.h"

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/nn/module/call.h"
#include "core/nn/module/parameter_state.h"
#include "core/nn/module/walk.h"

namespace patchbay::nn {

using base::raise;
using module::ParameterState;

Module::~Module() = default;

// --------------------------------------------------------------------------------- calls ---

Tensor Module::operator()(const Tensor& input) {
  const module::Call call(*this);
  try {
    return run(input);
  } catch (const Error& error) {
    call.rethrow(error, input);
  }
}

void Module::call(const Tensor& input, const std::function<void()>& forward) {
  const module::Call call(*this);
  try {
    forward();
  } catch (const Error& error) {
    call.rethrow(error, input);
  }
}

namespace {

/// Calls each hook that is there now, unless an earlier one removes it first.
template <class Hooks, class Call>
void for_each_hook(const Hooks& hooks, Call call) {
  for (const auto& each : Hooks(hooks)) {  // a copy: a hook may add and remove hooks
    const bool is_there =
        std::ranges::any_of(hooks, [&](const auto& other) { return other.number == each.number; });
    if (is_there) call(each.call);
  }
}

}  // namespace

Tensor Module::run(const Tensor& input) {
  Tensor changed = input;
  for_each_hook(pre_hooks_, [&](const PreHook& hook) {
    if (Tensor other = hook(*this, changed); other.defined()) changed = std::move(other);
  });
  Tensor output = forward(changed);
  for_each_hook(hooks_, [&](const Hook& hook) {
    if (Tensor other = hook(*this, changed, output); other.defined()) output = std::move(other);
  });
  return output;
}

Tensor Module::forward(const Tensor&) {
  raise(ErrorCode::kUnsupported,
        "[{}] no forward of one tensor: expected the operands that the class documents, or `Tensor "
        "forward(const Tensor&) override` in your own class",
        type_name());
}

namespace {

template <class F>
void check_function(const F& function, const char* operation) {
  if (!function)
    raise(ErrorCode::kInvalidArgument, "[{}] the hook is empty. Pass a function, such as a lambda.",
          operation);
}

}  // namespace

std::uint64_t Module::add_pre_hook(PreHook hook) {
  check_function(hook, "add_pre_hook");
  pre_hooks_.push_back({++num_hooks_, std::move(hook)});
  return num_hooks_;
}

std::uint64_t Module::add_hook(Hook hook) {
  check_function(hook, "add_hook");
  hooks_.push_back({++num_hooks_, std::move(hook)});
  return num_hooks_;
}

void Module::remove_hook(std::uint64_t number) {
  std::erase_if(pre_hooks_, [&](const auto& each) { return each.number == number; });
  std::erase_if(hooks_, [&](const auto& each) { return each.number == number; });
}

// ------------------------------------------------------------------------- what is below ---

void Module::members(Members&) {}

std::string Module::type_name() const {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : "Module";
  std::free(demangled);
  // Without namespaces and template arguments.
  name.resize(std::min(name.find('<'), name.size()));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::string Module::details() const { return {}; }

namespace {

/// Calls `visit` once for each parameter or buffer below.
template <class Visit>
void for_each_place(Module& root, Visit visit) {
  std::set<const ParameterState*> seen;
  module::walk(root, {{}, [&](const std::string& name, Parameter& parameter, bool is_buffer) {
                        if (seen.insert(&parameter.state()).second) {
                          visit(name, parameter, is_buffer);
                        }
                      }});
}

std::vector<NamedParameter> named(Module& root, bool buffers) {
  std::vector<NamedParameter> result;
  for_each_place(root, [&](const std::string& name, const Parameter& parameter, bool is_buffer) {
    if (is_buffer == buffers) result.push_back({name, parameter});
  });
  return result;
}

}  // namespace

std::vector<NamedParameter> Module::named_parameters() { return named(*this, false); }

std::vector<NamedParameter> Module::named_buffers() { return named(*this, true); }

std::vector<NamedModule> Module::named_modules() {
  std::vector<NamedModule> result;
  module::walk(*this, {[&](const std::string& name, Module& module) {
                         const bool is_new = std::ranges::none_of(
                             result, [&](const auto& each) { return each.module == &module; });
                         if (is_new) result.push_back({name, &module});
                       },
                       {}});
  return result;
}

std::vector<Parameter> Module::parameters() {
  std::vector<Parameter> result;
  for (NamedParameter& each : named_parameters()) result.push_back(std::move(each.parameter));
  return result;
}

Parameter Module::parameter(std::string_view name) {
  Parameter found;
  bool is_found = false;
  std::vector<std::string> names;
  module::walk(*this, {{}, [&](const std::string& each, const Parameter& parameter, bool) {
                         if (each == name) {
                           found = parameter;
                           is_found = true;
                         }
                         names.push_back(each);
                       }});
  if (is_found) return found;
  constexpr std::size_t kMostNames = 400;
  std::string known;
  for (const std::string& each : names) {
    if (known.size() <= kMostNames) known += (known.empty() ? "" : ", ") + each;
  }
  if (known.size() > kMostNames) known = known.substr(0, known.rfind(',', kMostNames)) + ", ...";
  raise(ErrorCode::kInvalidArgument,
        "[parameter] {} has no such parameter: expected one of {}, got {}{}", type_name(),
        known.empty() ? "none" : known, base::quote(name), base::hint_nearest(name, names));
}

std::int64_t Module::num_parameters() {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : named_parameters()) {
    module::check_has_shape("num_parameters", name, parameter);
    count += parameter->num_elements();
  }
  return count;
}

// ------------------------------------------------------------------------------- changes ---

namespace {

void check_no_inference(const char* operation, std::string_view name, const Tensor& value) {
  if (!value.requires_grad() || !is_inference_mode()) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] {} asks for gradients inside an InferenceMode scope. End the scope first, or turn "
        "them off: requires_grad(false).",
        operation, name);
}

/// The tensors of a parameter on another device, or of another dtype.
struct Changed {
  Parameter parameter;
  TensorOptions to;
  Tensor value, gradient;  // undefined where they stay
  std::vector<std::pair<std::shared_ptr<Tensor>, Tensor>> companions;
};

/// `to` has either a device or a dtype.
Changed changed(const char* operation, std::string_view name, const Parameter& parameter,
                const TensorOptions& to) {
  Changed result{parameter, to, {}, {}, {}};
  if (!parameter.defined()) return result;
  const auto check_not_recording = [&] {
    if (!is_recording_graph()) return;
    raise(ErrorCode::kInvalidArgument,
          "[{}] a graph is being recorded, whose replays would change {} from its old elements "
          "each time: expected a model that stays as it is. Move or cast it before the recording.",
          operation, name);
  };
  if (to.device) {
    for (std::shared_ptr<Tensor>& each : parameter.state().companions.all()) {
      if (!each->defined() || each->device() == *to.device) continue;
      check_not_recording();
      Tensor there = each->to(*to.device);
      result.companions.emplace_back(std::move(each), std::move(there));
    }
  }
  const Tensor& value = parameter.value();
  if (to.device ? value.device() == *to.device : value.dtype() == *to.dtype) return result;
  check_no_inference(operation, name, value);
  check_not_recording();
  const auto convert = [&](const Tensor& tensor) {
    return to.device ? tensor.detach().to(*to.device) : tensor.detach().cast(*to.dtype);
  };
  result.value = convert(value);
  result.value.requires_grad_(value.requires_grad());
  if (const Tensor gradient = value.grad(); gradient.defined()) result.gradient = convert(gradient);
  return result;
}

void commit(Changed& changed) {
  ParameterState& state = changed.parameter.state();
  if (!state.value.defined()) {
    if (changed.to.device) state.options.device = changed.to.device;
    if (changed.to.dtype) state.options.dtype = changed.to.dtype;
  }
  for (auto& [companion, there] : changed.companions) *companion = std::move(there);
  if (!changed.value.defined()) return;
  if (changed.gradient.defined()) changed.value.set_grad(changed.gradient);
  state.value = std::move(changed.value);
}

}  // namespace

Module& Module::move_to(const Device& device) {
  static_cast<void>(device.state());  // that there is one
  std::vector<Changed> all;
  for_each_place(*this, [&](const std::string& name, const Parameter& parameter, bool) {
    all.push_back(changed("move_to", name, parameter, device));
  });
  for (Changed& each : all) commit(each);
  return *this;
}

Module& Module::move_to(std::string_view device_name) {
  Device first;
  for_each_place(*this, [&](const std::string&, const Parameter& parameter, bool) {
    if (!first.defined()) first = parameter.device();
  });
  return move_to(first.defined() ? first.runtime().device(device_name) : Device(device_name));
}

Module& Module::cast(DType dtype) {
  if (!is_floating(dtype)) {
    raise(ErrorCode::kDtypeMismatch,
          "[cast] parameters need gradients: expected f32, f64, f16 or bf16, got {}",
          patchbay::to_string(dtype));
  }
  const bool is_small = size_bytes(dtype) < 4;
  std::vector<Changed> all;
  for_each_place(*this, [&](const std::string& name, const Parameter& parameter, bool is_buffer) {
    if (!is_floating(parameter.dtype())) return;
    all.push_back(changed("cast", name, parameter, is_buffer && is_small ? DType::f32 : dtype));
  });
  for (Changed& each : all) commit(each);
  return *this;
}

Module& Module::train(bool is_training) {
  module::walk(*this, {[&](const std::string&, Module& each) {
                         for (Module* one = &each; one != nullptr; one = one->stands_for()) {
                           one->is_training_ = is_training;
                         }
                       },
                       {}});
  return *this;
}

void Module::zero_grad() {
  for (const Parameter& each : parameters()) {
    if (each.defined()) each->set_grad(Tensor());
  }
}

namespace {

void check_can_train(const std::vector<NamedParameter>& parameters) {
  if (is_inference_mode()) {
    raise(ErrorCode::kInvalidArgument,
          "[requires_grad] gradients can't be asked for inside an InferenceMode scope. End the "
          "scope first.");
  }
  for (const auto& [name, parameter] : parameters) {
    if (is_floating(parameter.dtype())) continue;
    raise(ErrorCode::kDtypeMismatch,
          "[requires_grad] a parameter cannot have gradients: expected f32, f64, f16 or bf16, got "
          "{} of {}. Name it by each.buffer() in members().",
          patchbay::to_string(parameter.dtype()), name);
  }
}

}  // namespace

Module& Module::requires_grad(bool value) {
  const std::vector<NamedParameter> all = named_parameters();
  if (value) check_can_train(all);
  for (const auto& [name, each] : all) {
    each.state().is_trained = value;
    if (each.defined()) each->requires_grad_(value);
  }
  return *this;
}

namespace module {

namespace {

Parameter copy_of(std::string_view name, const Parameter& original) {
  const ParameterState& state = original.state();
  Parameter copy(state.options);
  copy.state().is_trained = state.is_trained;
  if (original.defined()) {
    check_no_inference("clone", name, *original);
    copy.set(original->detach().clone());
    copy->requires_grad_(original->requires_grad());
  }
  return copy;
}

}  // namespace

void separate(Module& root) {
  std::map<const ParameterState*, Parameter> copies;
  walk(root, {{}, [&](const std::string& name, Parameter& each, bool) {
                const auto [known, is_new] = copies.try_emplace(&each.state());
                if (is_new) known->second = copy_of(name, each);
                each = known->second;
              }});
}

}  // namespace module
}  // namespace patchbay::nn
