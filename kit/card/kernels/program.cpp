// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/kernels/program.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kit/dialect_module.hpp"

namespace patchbay::card {
namespace {

/// Of device memory, that a driver takes for a module in addition to its code.
constexpr std::uint64_t kMostBesideCode = std::uint64_t{16} << 20;

}  // namespace

Program::Program(Context& context, const std::string& code) : context_(context) {
  std::array<char, 4096> log{};  // output of the driver's translator
  std::array<int, 2> options = {kJitErrorLog, kJitErrorLogBytes};
  std::array<void*, 2> values = {log.data(),
                                 reinterpret_cast<void*>(std::uintptr_t{log.size() - 1})};
  const auto& entry = context.api().module_load;
  NativeModule module = nullptr;
  const Result result = context.attempt(entry, &module, static_cast<const void*>(code.c_str()), 2u,
                                        options.data(), values.data());
  if (result == kErrorObjectInit) {  // what some drivers give where there is no memory
    context.check_room(entry.name + (" gives " + std::to_string(result)), result,
                       code.size() + kMostBesideCode);
  }
  if (result != kSuccess) context.fail(entry.name, result, {}, log.data());
  module_ = ModuleHandle(context, module);
}

Function Program::function(const std::string& name) const {
  Function function;
  context_.call(context_.api().module_function, &function.native, module_.get(),
                compiled_name(name).c_str());
  int most = 0;
  context_.call(context_.api().function_attribute, &most, kFunctionMaxThreads, function.native);
  function.max_group_size = static_cast<std::uint32_t>(std::max(most, 0));
  return function;
}

}  // namespace patchbay::card
