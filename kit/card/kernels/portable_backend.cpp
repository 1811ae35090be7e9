// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <string>
#include <utility>

#include "kit/card/context/stream.hpp"
#include "kit/card/kernels/kernels.hpp"
#include "kit/card/kernels/program.hpp"
#include "kit/portable/operators.hpp"

namespace patchbay::card {
namespace {

/// Rounds the items of each axis up to whole groups.
LaunchGrid whole_groups(std::string_view name, const portable::Grid& grid) {
  LaunchGrid launched{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t groups = (grid.items[axis] + grid.group[axis] - 1) / grid.group[axis];
    if (groups > INT_MAX) {
      plugin::unsupported(std::string(name) + ": " + std::to_string(groups) +
                          " groups along an axis are more than this device takes");
    }
    launched.groups[axis] = static_cast<std::uint32_t>(groups);
    launched.group_size[axis] = static_cast<std::uint32_t>(grid.group[axis]);
  }
  return launched;
}

class PortableFunction : public portable::Function {
 public:
  explicit PortableFunction(const card::Function& function) : function_(function) {}

  std::uint64_t max_group_size() const override { return function_.max_group_size; }

  void launch(plugin::Stream& stream, std::string_view name, const portable::Grid& grid,
              const portable::Arguments& arguments) override {
    LaunchArguments values;
    for (const portable::Argument& argument : arguments) {
      if (argument.is_memory()) {
        values.memory(argument.memory);
      } else if (argument.memories != nullptr) {
        values.addresses(argument.buffers());
      } else {
        values.pointer(argument.bytes);
      }
    }
    static_cast<Stream&>(stream).launch(name, function_, whole_groups(name, grid), 0,
                                        values.data());
  }

 private:
  const card::Function function_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_step(portable::Backend& backend,
                                             const patchbay_kernel_spec& spec, std::string_view op,
                                             std::size_t input,
                                             std::uint64_t workspace_limit_bytes) {
  patchbay_argument_spec arguments[] = {spec.arguments[0], spec.arguments[input]};
  for (patchbay_argument_spec& argument : arguments) argument.rank = PATCHBAY_ANY_RANK;
  patchbay_kernel_spec step = spec;
  step.op = {op.data(), op.size()};
  step.arguments = arguments;
  step.num_arguments = 2;
  step.attributes = nullptr;
  step.num_attributes = 0;
  step.workspace_limit_bytes = workspace_limit_bytes;
  return portable::prepare(backend, step);
}

portable::Backend make_backend(const DeviceInfo& info, const Context& context,
                               std::function<Program(std::string_view)> build) {
  portable::Traits traits;
  traits.name = info.name;
  traits.compute_units = info.compute_units;
  traits.sub_group_width = info.sub_group_width;
  traits.has_addresses = true;
  traits.argument_bytes = info.argument_bytes;
  traits.most_items = context.api().most_items;
  return {std::move(traits),
          [build = std::move(build)](std::string_view text) -> portable::Program {
            const auto program = std::make_shared<const Program>(build(text));
            return [program](std::string_view name) {
              return std::make_unique<PortableFunction>(program->function(std::string(name)));
            };
          }};
}

}  // namespace patchbay::card
