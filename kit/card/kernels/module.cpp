// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <string>

#include "kit/card/context/stream.hpp"
#include "kit/card/kernels/kernels.hpp"
#include "kit/dialect_module.hpp"

namespace patchbay::card {
namespace {

constexpr std::size_t kMostArguments = 64;

/// A kernel whose code belongs to its module.
class ModuleKernel : public GridKernel {
 public:
  ModuleKernel(std::string name, const Function& function)
      : GridKernel(std::move(name)), function_(function) {}

  void launch_grid(plugin::Stream& stream, std::span<const std::uint32_t, 3> groups,
                   std::span<const std::uint32_t, 3> group_size, std::uint32_t shared_bytes,
                   plugin::Arguments arguments, std::string_view name) override {
    LaunchArguments values;
    for (const patchbay_argument& argument : arguments) {
      if (argument.kind == PATCHBAY_TENSOR) {
        values.memory(argument.value.memory);
      } else {
        values.pointer(&argument.value.bits);
      }
    }
    static_cast<Stream&>(stream).launch(
        name.empty() ? this->name() : name, function_,
        {{groups[0], groups[1], groups[2]}, {group_size[0], group_size[1], group_size[2]}},
        shared_bytes, values.data());
  }

 private:
  const Function function_;
};

class Module final : public plugin::Module {
 public:
  explicit Module(Program program) : program_(std::move(program)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    if (arguments.size() > kMostArguments) {
      plugin::invalid_argument("kernel '" + std::string(name) + "' takes " +
                               std::to_string(arguments.size()) + " arguments: expected at most " +
                               std::to_string(kMostArguments));
    }
    std::string text(name);
    const Function function = program_.function(text);
    return std::make_unique<ModuleKernel>(std::move(text), function);
  }

 private:
  const Program program_;
};

}  // namespace

std::unique_ptr<plugin::Module> make_module(Program program) {
  return std::make_unique<Module>(std::move(program));
}

}  // namespace patchbay::card
