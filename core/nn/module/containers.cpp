// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/containers.h"

#include "core/base/error.h"

namespace patchbay::nn {

using base::raise;

Function::Function(std::function<Tensor(const Tensor&)> function, std::string name)
    : function_(std::move(function)), name_(std::move(name)) {
  if (!function_)
    raise(ErrorCode::kInvalidArgument,
          "[{}] the function is empty. Pass one that takes and returns a tensor, such as a lambda.",
          name_);
}

ModuleList& ModuleList::add(std::string name, AnyModule module) {
  modules_.push_back({std::move(name), std::move(module)});
  return *this;
}

Module& ModuleList::operator[](std::size_t index) const {
  if (index >= modules_.size()) {
    raise(ErrorCode::kInvalidArgument, "[{}] no such module: expected an index below {}, got {}",
          type_name(), modules_.size(), index);
  }
  return *modules_[index].module;
}

void ModuleList::raise_type(std::size_t index) const {
  raise(ErrorCode::kInvalidArgument,
        "[{}] module {} has another type, {}. Ask for that type, or for another index.",
        type_name(), index, (*this)[index].type_name());
}

void ModuleList::members(Members& each) {
  for (NamedModule& module : modules_) each(module.name, *module.module);
}

Tensor Sequential::forward(const Tensor& input) {
  Tensor value = input;
  for (std::size_t i = 0; i < size(); ++i) value = (*this)[i](value);
  return value;
}

}  // namespace patchbay::nn
