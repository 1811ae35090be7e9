// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cuda-cublas/device/stream.hpp"
#include "cuda-cublas/kernels/kernels.hpp"
#include "kit/dialect_module.hpp"

namespace patchbay::cuda {
namespace {

/// A kernel whose code belongs to its module.
class ModuleKernel : public GridKernel {
 public:
  ModuleKernel(std::string name, NativeFunction function)
      : GridKernel(std::move(name)), function_(function) {}

  void launch_grid(plugin::Stream& stream, std::span<const std::uint32_t, 3> groups,
                   std::span<const std::uint32_t, 3> group_size, std::uint32_t shared_bytes,
                   plugin::Arguments arguments, std::string_view name) override {
    check_grid(groups, group_size);
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
  /// Checks the limits that all cards share. The core has checked the number of work-items.
  void check_grid(std::span<const std::uint32_t, 3> groups,
                  std::span<const std::uint32_t, 3> group_size) const {
    constexpr std::uint32_t kMostGroups = 65535, kMostDeep = 64;
    if (groups[1] > kMostGroups || groups[2] > kMostGroups) {
      plugin::invalid_argument(name() + ": grid: " + std::to_string(groups[1]) + " and " +
                               std::to_string(groups[2]) +
                               " groups along axes 1 and 2: expected at most 65535");
    }
    if (group_size[2] > kMostDeep) {
      plugin::invalid_argument(name() + ": grid: a group of " + std::to_string(group_size[2]) +
                               " work-items along axis 2: expected at most 64");
    }
  }

  const NativeFunction function_;
};

class Module final : public plugin::Module {
 public:
  explicit Module(Program program) : program_(std::move(program)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    if (arguments.size() > LaunchArguments::kMost) {
      plugin::invalid_argument("kernel '" + std::string(name) + "' takes " +
                               std::to_string(arguments.size()) + " arguments: expected at most " +
                               std::to_string(LaunchArguments::kMost));
    }
    std::string text(name);
    const NativeFunction function = program_.function(text);
    return std::make_unique<ModuleKernel>(std::move(text), function);
  }

 private:
  const Program program_;
};

}  // namespace

std::unique_ptr<plugin::Module> make_module(Program program) {
  return std::make_unique<Module>(std::move(program));
}

}  // namespace patchbay::cuda
