// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/device/module.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/dialect_module.hpp"

namespace patchbay::cpu {
namespace {

class ModuleKernel final : public GridKernel {
 public:
  ModuleKernel(executor::Kernel code, Workers& workers)
      : GridKernel(code.name()), code_(std::move(code)), workers_(workers) {}

  void launch_grid(plugin::Stream& stream, std::span<const std::uint32_t, 3> groups,
                   std::span<const std::uint32_t, 3> group_size, std::uint32_t,
                   plugin::Arguments arguments, std::string_view name) override {
    executor::check_grid({groups, group_size});
    Extents extents{};
    std::copy(groups.begin(), groups.end(), extents.groups.begin());
    std::copy(group_size.begin(), group_size.end(), extents.group_size.begin());
    static_cast<Stream&>(stream).submit(
        arguments, name, [this, extents](plugin::Arguments kept) { compute(extents, kept); });
  }

 private:
  struct Extents {
    std::array<std::uint32_t, 3> groups, group_size;
  };

  void compute(const Extents& extents, plugin::Arguments arguments) const {
    std::vector<const void*> places;
    for (const patchbay_argument& argument : arguments) {
      const bool is_buffer = argument.kind == PATCHBAY_TENSOR;
      places.push_back(is_buffer ? data_of(argument)
                                 : static_cast<const void*>(&argument.value.bits));
    }
    workers_.run([&] {
      code_.run({extents.groups, extents.group_size}, places,
                [&](std::int64_t num_groups, std::int64_t work, const executor::GroupRange& range) {
                  workers_.split(num_groups, 1, work, range);
                });
    });
  }

  const executor::Kernel code_;
  Workers& workers_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> Module::kernel(std::string_view name,
                                               plugin::ArgumentSpecs arguments) {
  return std::make_unique<ModuleKernel>(code_->kernel(name, arguments), workers_);
}

}  // namespace patchbay::cpu
