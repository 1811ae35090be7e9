// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/kernels/kernels.hpp"

#include <string>
#include <utility>
#include <vector>

#include "kit/dialect_module.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "opencl/context/context.hpp"
#include "opencl/kernels/launcher.hpp"
#include "opencl/kernels/program.hpp"

namespace patchbay::opencl {
namespace {

portable::Traits traits_of(const DeviceInfo& info) {
  portable::Traits traits;
  traits.name = info.name;
  traits.is_cpu = info.has_long_items;
  traits.has_f64 = info.has_f64;
  traits.has_vectors = info.has_long_items;
  traits.divides_exactly = info.divides_exactly;
  if (info.is_llvmpipe) traits.pack_bytes = 1;  // its compiler crashes
  constexpr std::uint64_t kLargeBytes = 48 << 10;
  traits.has_large_groups = info.local_memory_bytes >= kLargeBytes;
  traits.vector_bytes = info.vector_bytes;
  traits.compute_units = info.compute_units;
  return traits;
}

}  // namespace

portable::Backend make_backend(const Context& context, plugin::Host host) {
  return {traits_of(context.info()), [&context, host](std::string_view text) -> portable::Program {
            const auto program =
                std::make_shared<const ProgramHandle>(build_program(context, host, text));
            return [&context, program](std::string_view name) {
              return std::make_unique<Launcher>(context, program->get(), std::string(name));
            };
          }};
}

namespace {

class ModuleKernel final : public GridKernel {
 public:
  ModuleKernel(const Context& context, cl_program program, std::string_view name)
      : GridKernel(std::string(name)), launcher_(context, program, this->name()) {}

  void launch_grid(plugin::Stream& stream, std::span<const std::uint32_t, 3> groups,
                   std::span<const std::uint32_t, 3> group_size, std::uint32_t,
                   plugin::Arguments arguments, std::string_view name) override {
    portable::Grid grid;
    std::uint64_t work_items = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid.group[axis] = group_size[axis];
      grid.items[axis] = std::uint64_t{groups[axis]} * group_size[axis];
      work_items *= group_size[axis];
    }
    check_group(work_items);
    std::vector<portable::Argument> given;
    for (const patchbay_argument& argument : arguments) {
      given.push_back(
          argument.kind == PATCHBAY_TENSOR
              ? portable::Argument::buffer(argument.value.memory)
              : portable::Argument::value(&argument.value.bits, element_bytes(argument.dtype)));
    }
    launcher_.launch(static_cast<Stream&>(stream), name, grid, given);
  }

 private:
  /// A kernel that needs many registers allows only smaller groups than its device.
  void check_group(std::uint64_t work_items) const {
    if (work_items <= launcher_.max_group_size()) return;
    plugin::invalid_argument(
        "a group of kernel '" + name() + "' is too large for this device: expected at most " +
        std::to_string(launcher_.max_group_size()) + " work-items, got " +
        std::to_string(work_items) + ". Use smaller groups, and more of them.");
  }

  Launcher launcher_;
};

class Module final : public plugin::Module {
 public:
  Module(const Context& context, ProgramHandle program)
      : context_(context), program_(std::move(program)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name, plugin::ArgumentSpecs) override {
    return std::make_unique<ModuleKernel>(context_, program_.get(), name);
  }

 private:
  const Context& context_;
  const ProgramHandle program_;
};

}  // namespace

std::unique_ptr<plugin::Module> load_module(const Context& context, plugin::Host host,
                                            std::string_view format, std::string_view code) {
  check_dialect(format);
  return std::make_unique<Module>(context, build_program(context, host, code));
}

}  // namespace patchbay::opencl
