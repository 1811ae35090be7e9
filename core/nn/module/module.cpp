// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/module.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <typeinfo>

#include "patchbay/autograd.h"

#include "core/base/error.h"
#include "core/nn/module/call.h"
#include "core/nn/module/place.h"
#include "core/nn/module/walk.h"

namespace patchbay::nn {

using module::Place;
using runtime::raise;

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

Tensor Module::run(const Tensor& input) {
  Tensor changed = input;
  // By index: a hook may add or remove hooks.
  for (std::size_t i = 0; i < pre_hooks_.size(); ++i) {
    const PreHook hook = pre_hooks_[i].call;
    if (Tensor other = hook(*this, changed); other.defined()) changed = std::move(other);
  }
  Tensor output = forward(changed);
  for (std::size_t i = 0; i < hooks_.size(); ++i) {
    const Hook hook = hooks_[i].call;
    if (Tensor other = hook(*this, changed, output); other.defined()) output = std::move(other);
  }
  return output;
}

Tensor Module::forward(const Tensor&) {
  raise(ErrorCode::kUnsupported,
        "[{}] no forward of one tensor: expected the operands that the class documents, or "
        "`Tensor forward(const Tensor&) override` in your own class",
        type_name());
}

namespace {

template <class F>
void check_function(const F& function, const char* operation) {
  if (!function) raise(ErrorCode::kInvalidArgument, "[{}] no function: expected a hook", operation);
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
  std::set<const Place*> seen;
  module::walk(root, {{}, [&](const std::string& name, Parameter& parameter, bool is_buffer) {
                        if (seen.insert(&parameter.place()).second) {
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
  std::string known;
  module::walk(*this, {{}, [&](const std::string& each, const Parameter& parameter, bool) {
                         if (each == name) {
                           found = parameter;
                           is_found = true;
                         }
                         known += (known.empty() ? "" : ", ") + each;
                       }});
  if (is_found) return found;
  constexpr std::size_t kMostNames = 400;
  if (known.size() > kMostNames) known = known.substr(0, known.rfind(',', kMostNames)) + ", ...";
  raise(ErrorCode::kInvalidArgument,
        "[parameter] {} has no such parameter: expected one of {}, got {}", type_name(),
        known.empty() ? "none" : known, runtime::quote(name));
}

std::int64_t Module::num_parameters() {
  std::int64_t count = 0;
  for (const Parameter& each : parameters()) count += each->num_elements();
  return count;
}

// ------------------------------------------------------------------------------- changes ---

namespace {

/// The tensors of a parameter on another device.
struct Moved {
  Parameter parameter;
  Tensor value, gradient;
  std::vector<std::pair<std::shared_ptr<Tensor>, Tensor>> companions;
};

Moved moved(const Parameter& parameter, const Device& device) {
  Moved result{parameter, {}, {}, {}};
  if (!parameter.defined()) return result;
  const Tensor& value = parameter.value();
  result.value = value.detach().to(device);
  if (value.requires_grad()) result.value.requires_grad_();
  if (const Tensor gradient = value.grad(); gradient.defined()) {
    result.gradient = gradient.detach().to(device);
  }
  for (const std::weak_ptr<Tensor>& each : parameter.place().companions) {
    std::shared_ptr<Tensor> companion = each.lock();
    if (companion == nullptr || !companion->defined()) continue;
    Tensor there = companion->to(device);
    result.companions.emplace_back(std::move(companion), std::move(there));
  }
  return result;
}

void commit(Moved& moved, const Device& device) {
  Place& place = moved.parameter.place();
  place.options.device = device;
  for (auto& [companion, there] : moved.companions) *companion = std::move(there);
  if (!moved.value.defined() || place.value.device() == device) return;
  if (moved.gradient.defined()) moved.value.set_grad(moved.gradient);
  place.value = std::move(moved.value);
}

}  // namespace

Module& Module::move_to(const Device& device) {
  std::vector<Moved> all;
  for_each_place(*this, [&](const std::string&, const Parameter& parameter, bool) {
    all.push_back(moved(parameter, device));
  });
  for (Moved& each : all) commit(each, device);
  return *this;
}

Module& Module::cast(DType dtype) {
  if (!is_floating(dtype)) {
    raise(ErrorCode::kDtypeMismatch,
          "[cast] parameters need gradients: expected f32, f64, f16 or bf16, got {}",
          patchbay::to_string(dtype));
  }
  const bool is_small = size_bytes(dtype) < 4;
  struct Cast {
    Parameter parameter;
    Tensor value;
    DType wanted;
  };
  std::vector<Cast> all;
  for_each_place(*this, [&](const std::string&, const Parameter& parameter, bool is_buffer) {
    if (!is_floating(parameter.dtype())) return;
    const DType wanted = is_buffer && is_small ? DType::f32 : dtype;
    if (parameter.dtype() == wanted && is_buffer) return;
    all.push_back(
        {parameter, parameter.defined() ? parameter->detach().cast(wanted) : Tensor(), wanted});
  });
  for (auto& [parameter, value, wanted] : all) {
    parameter.place().options.dtype = wanted;
    if (value.defined()) parameter.set(value);
  }
  return *this;
}

Module& Module::train(bool is_training) {
  module::walk(*this,
               {[&](const std::string&, Module& each) { each.is_training_ = is_training; }, {}});
  return *this;
}

void Module::zero_grad() {
  for (const Parameter& each : parameters()) {
    if (each.defined()) each->set_grad(Tensor());
  }
}

Module& Module::requires_grad(bool value) {
  for (const Parameter& each : parameters()) {
    each.place().is_trained = value;
    if (each.defined()) each->requires_grad_(value);
  }
  return *this;
}

namespace module {

namespace {

Parameter copy_of(const Parameter& original) {
  const Place& place = original.place();
  Parameter copy(place.options);
  copy.place().is_trained = place.is_trained;
  if (original.defined()) {
    copy.set(original->detach().clone());
    copy->requires_grad_(original->requires_grad());
  }
  return copy;
}

}  // namespace

void separate(Module& root) {
  std::map<const Place*, Parameter> copies;
  walk(root, {{}, [&](const std::string&, Parameter& each, bool) {
                const auto [known, is_new] = copies.try_emplace(&each.place());
                if (is_new) known->second = copy_of(each);
                each = known->second;
              }});
}

}  // namespace module
}  // namespace patchbay::nn
