// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "opencl/context/context.hpp"
#include "opencl/kernels/kernels.hpp"
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

}  // namespace patchbay::opencl
