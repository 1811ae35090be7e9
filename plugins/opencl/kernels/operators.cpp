// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/kernels/operators.hpp"

#include <string>

#include "kit/portable/operators.hpp"
#include "opencl/device/device.hpp"
#include "opencl/kernels/gemm_blocks.hpp"

namespace patchbay::opencl {

std::unique_ptr<plugin::Kernel> prepare_operator(const Device& device, Backend& backend,
                                                 plugin::Host host,
                                                 const patchbay_kernel_spec& spec) {
  const std::string name(plugin::from_abi(spec.op));
  const bool by_blocks = device.info().is_cpu && host.option("opencl_gemm") != "tiles";
  if (name == "gemm.1" && by_blocks) {
    return prepare_gemm_blocks(device, backend.traits(), host, spec);
  }
  if (auto kernel = portable::prepare(backend, spec)) return kernel;
  plugin::unsupported("the plugin opencl has no operator " + name);
}

}  // namespace patchbay::opencl
