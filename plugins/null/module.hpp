// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Optional: users' kernels, from source or native code. Device::load_module creates a module.
#ifndef PATCHBAY_NULL_MODULE_HPP_
#define PATCHBAY_NULL_MODULE_HPP_

#include "todo.hpp"

namespace null {

class Module : public plugin::Module {
 public:
  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override;
};

}  // namespace null

#endif  // PATCHBAY_NULL_MODULE_HPP_
