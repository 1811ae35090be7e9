// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/parameter.h"

#include "patchbay/autograd.h"

#include "core/base/error.h"
#include "core/nn/module/parameter_state.h"

namespace patchbay::nn {

void module::check_has_shape(std::string_view operation, std::string_view name,
                             const Parameter& parameter) {
  if (parameter.defined()) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] {} has no shape yet: expected a batch before, from which its lazy layer "
              "learns its sizes. Run the model on a batch first.",
              operation, name);
}

namespace {

/// The value's elements without the record of how they were made.
Tensor held(const Tensor& value, bool is_trained) {
  if (!value.defined()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[Parameter] the tensor is undefined: expected one with elements, or none at "
                "all, for a lazy layer");
  }
  Tensor own = value.detach();
  if (is_trained && !is_inference_mode()) own.requires_grad_();
  return own;
}

}  // namespace

Parameter::Parameter() : state_(std::make_shared<module::ParameterState>()) {}

Parameter::Parameter(const TensorOptions& options)
    : state_(std::make_shared<module::ParameterState>()) {
  state_->options = {options.dtype.value_or(DType::f32),
                     options.device ? *options.device : default_device()};
}

Parameter::Parameter(const Tensor& value, bool is_trained)
    : state_(std::make_shared<module::ParameterState>()) {
  state_->is_trained = is_trained;
  state_->value = held(value, is_trained);
}

bool Parameter::defined() const { return state_->value.defined(); }

const Tensor& Parameter::value() const {
  if (!state_->value.defined()) [[unlikely]] {
    base::raise(ErrorCode::kInvalidArgument,
                "[Parameter] it has no shape yet: expected a batch before, from which a lazy "
                "layer learns its sizes. Run the model on a batch first.");
  }
  return state_->value;
}

void Parameter::set(const Tensor& value) const { state_->value = held(value, state_->is_trained); }

Device Parameter::device() const {
  if (defined()) return state_->value.device();
  return state_->options.device ? *state_->options.device : default_device();
}

DType Parameter::dtype() const {
  return defined() ? state_->value.dtype() : state_->options.dtype.value_or(DType::f32);
}

bool Parameter::is_trained() const { return state_->is_trained; }

}  // namespace patchbay::nn
