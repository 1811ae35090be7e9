// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Each function that is not implemented yet calls this.
#ifndef PATCHBAY_NULL_TODO_HPP_
#define PATCHBAY_NULL_TODO_HPP_

#include <string>

#include "patchbay/plugin/kit/objects.hpp"

namespace null {

namespace plugin = patchbay::plugin;

[[noreturn]] inline void todo(const std::string& what) {
  plugin::unsupported(what + ": not implemented");
}

}  // namespace null

#endif  // PATCHBAY_NULL_TODO_HPP_
