// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

namespace null {

Kernel::Kernel(const patchbay_kernel_spec& spec) {
  todo("operator " + std::string(plugin::from_abi(spec.op)));
}

void Kernel::launch(plugin::Stream&, plugin::Arguments, plugin::Memory, std::string_view) {
  todo("launch");
}

std::uint64_t Kernel::workspace_bytes() const { return 0; }

}  // namespace null
