// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

namespace null {

std::unique_ptr<plugin::Kernel> Module::kernel(std::string_view, plugin::ArgumentSpecs) {
  todo("module kernel");
}

}  // namespace null
