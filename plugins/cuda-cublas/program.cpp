// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

namespace patchbay::cuda {

Program::Program(Context& context, const std::string& code) : context_(context) {
  NativeModule module = nullptr;
  context.call(context.driver().module_load, &module, static_cast<const void*>(code.c_str()), 0u,
               static_cast<int*>(nullptr), static_cast<void**>(nullptr));
  module_ = ModuleHandle(context, module);
}

NativeFunction Program::function(const std::string& name) const {
  NativeFunction function = nullptr;
  context_.call(context_.driver().module_function, &function, module_.get(), name.c_str());
  return function;
}

}  // namespace patchbay::cuda
