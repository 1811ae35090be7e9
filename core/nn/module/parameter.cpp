// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/parameter.h"

#include "patchbay/autograd.h"

#include "core/base/error.h"
#include "core/nn/module/place.h"

namespace patchbay::nn {

void module::check_has_shape(std::string_view operation, std::string_view name,
                             const Parameter& parameter) {
  if (parameter.defined()) return;
  runtime::raise(ErrorCode::kInvalidArgument,
                 "[{}] {} has no shape yet: expected a batch before, from which its lazy layer "
                 "learns its sizes. Run the model on a batch first.",
                 operation, name);
}

namespace {

/// The value's elements without the record of how they were made.
Tensor held(const Tensor& value, bool is_trained) {
  if (!value.defined()) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[Parameter] the tensor is undefined: expected one with elements, or none at "
                   "all, for a lazy layer");
  }
  Tensor own = value.detach();
  if (is_trained && !is_inference_mode()) own.requires_grad_();
  return own;
}

}  // namespace

Parameter::Parameter() : place_(std::make_shared<module::Place>()) {}

Parameter::Parameter(const TensorOptions& options) : place_(std::make_shared<module::Place>()) {
  place_->options = {options.dtype.value_or(DType::f32),
                     options.device ? *options.device : default_device()};
}

Parameter::Parameter(const Tensor& value, bool is_trained)
    : place_(std::make_shared<module::Place>()) {
  place_->is_trained = is_trained;
  place_->value = held(value, is_trained);
}

bool Parameter::defined() const { return place_->value.defined(); }

const Tensor& Parameter::value() const {
  if (!place_->value.defined()) [[unlikely]] {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[Parameter] it has no shape yet: expected a batch before, from which a lazy "
                   "layer learns its sizes. Run the model on a batch first.");
  }
  return place_->value;
}

void Parameter::set(const Tensor& value) const { place_->value = held(value, place_->is_trained); }

Device Parameter::device() const {
  if (defined()) return place_->value.device();
  return place_->options.device ? *place_->options.device : default_device();
}

DType Parameter::dtype() const {
  return defined() ? place_->value.dtype() : place_->options.dtype.value_or(DType::f32);
}

bool Parameter::is_trained() const { return place_->is_trained; }

}  // namespace patchbay::nn
