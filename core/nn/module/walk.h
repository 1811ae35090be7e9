// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Visits the members of a module and of all modules below it.
#ifndef PATCHBAY_CORE_NN_MODULE_WALK_H_
#define PATCHBAY_CORE_NN_MODULE_WALK_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/nn/module.h"

namespace patchbay::nn::module {

struct Visitor {
  /// Each is called with the name from the root down. Undefined: not called.
  std::function<void(const std::string& name, Module& module)> module;
  std::function<void(const std::string& name, Parameter& parameter, bool is_buffer)> parameter;
};

/// The root itself comes first, as "". Errors: kInvalidArgument for names that are empty, have dots
/// or occur twice in one module.
void walk(Module& root, const Visitor& visitor);

/// The parameters and buffers of the module itself.
void walk_own(Module& of,
              const std::function<void(std::string_view, Parameter&, bool is_buffer)>& parameter);

/// Whether the root and each module below it is in training, in the order of named_modules().
std::vector<bool> modes_of(Module& root);
/// Gives them these modes, which modes_of() gave of this module or of a copy.
void set_modes(Module& root, const std::vector<bool>& modes);

}  // namespace patchbay::nn::module

#endif  // PATCHBAY_CORE_NN_MODULE_WALK_H_
