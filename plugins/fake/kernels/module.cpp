// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/kernels/module.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fake/device/device.hpp"
#include "fake/device/stream.hpp"
#include "fake/kernels/kernel.hpp"
#include "kit/dialect_module.hpp"

namespace fake {
namespace {

using Axes = std::array<std::uint32_t, 3>;

Axes copy_of(std::span<const std::uint32_t, 3> axes) { return {axes[0], axes[1], axes[2]}; }

/// A launch that waits on the worker.
struct Submission {
  std::shared_ptr<const executor::Kernel> code;
  Axes groups, group_size;
  std::vector<const void*> places;
  std::vector<std::uint64_t> values;

  void run() const { code->run({groups, group_size}, places, executor::run_serially); }
};

class ModuleKernel : public patchbay::GridKernel {
 public:
  ModuleKernel(Device& device, executor::Kernel code)
      : GridKernel(code.name()),
        device_(device),
        code_(std::make_shared<const executor::Kernel>(std::move(code))) {}

  void launch_grid(plugin::Stream& stream, std::span<const std::uint32_t, 3> groups,
                   std::span<const std::uint32_t, 3> group_size, std::uint32_t,
                   plugin::Arguments arguments, std::string_view name) override {
    const std::string shown = "launch of " + std::string(name.empty() ? this->name() : name);
    const LaunchFault fault = begin_launch(device_, shown);
    executor::check_grid({groups, group_size});
    const auto call = std::make_shared<Submission>();
    call->code = code_;
    call->groups = copy_of(groups);
    call->group_size = copy_of(group_size);
    call->values.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      call->values[i] = arguments[i].value.bits;
      const bool is_buffer = arguments[i].kind == PATCHBAY_TENSOR;
      const std::string where = this->name() + ": argument " + std::to_string(i);
      call->places.push_back(is_buffer ? bytes_of(device_, where, arguments[i])
                                       : static_cast<const void*>(&call->values[i]));
    }
    static_cast<Stream&>(stream).submit_launch(fault, shown, [=](std::uint64_t) { call->run(); });
  }

 private:
  Device& device_;
  const std::shared_ptr<const executor::Kernel> code_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> Module::kernel(std::string_view name,
                                               plugin::ArgumentSpecs arguments) {
  device_.faults().count(Call::kPrepare);
  return std::make_unique<ModuleKernel>(device_, code_->kernel(name, arguments));
}

}  // namespace fake
