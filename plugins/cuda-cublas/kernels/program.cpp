// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/kernels/program.hpp"

#include "kit/dialect_module.hpp"

namespace patchbay::cuda {

Program::Program(Context& context, const std::string& code) : context_(context) {
  std::array<char, 4096> log{};  // output of the driver's translator
  std::array<int, 2> options = {kJitErrorLog, kJitErrorLogBytes};
  std::array<void*, 2> values = {log.data(),
                                 reinterpret_cast<void*>(std::uintptr_t{log.size() - 1})};
  const auto& entry = context.driver().module_load;
  NativeModule module = nullptr;
  const Result result = context.attempt(entry, &module, static_cast<const void*>(code.c_str()), 2u,
                                        options.data(), values.data());
  if (result != kSuccess) context.fail(entry.name, result, {}, log.data());
  module_ = ModuleHandle(context, module);
}

NativeFunction Program::function(const std::string& name) const {
  NativeFunction function = nullptr;
  context_.call(context_.driver().module_function, &function, module_.get(),
                compiled_name(name).c_str());
  return function;
}

}  // namespace patchbay::cuda
