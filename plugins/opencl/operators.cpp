// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "operators.hpp"

#include <string>

namespace patchbay::opencl {

std::unique_ptr<plugin::Kernel> prepare_operator(const Device& device, plugin::Host host,
                                                 const patchbay_kernel_spec& spec) {
  const std::string name(plugin::from_abi(spec.op));
  if (spec.num_attributes != 0) plugin::unsupported(name + ": takes no attributes");
  for (auto* const prepare : {prepare_elementwise, prepare_reduction, prepare_gemm}) {
    if (auto kernel = prepare(device, host, spec)) return kernel;
  }
  plugin::unsupported("the plugin opencl has no operator " + name);
}

}  // namespace patchbay::opencl
