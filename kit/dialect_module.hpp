// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Helpers for modules in the portable dialect, for all compilers.
#ifndef PATCHBAY_KIT_DIALECT_MODULE_HPP_
#define PATCHBAY_KIT_DIALECT_MODULE_HPP_

#include <string>
#include <string_view>
#include <utility>

#include "patchbay/plugin/kit/objects.hpp"
#include "patchbay/plugin/tables.h"

namespace patchbay {

/// The name of the function that PATCHBAY_KERNEL defines for a kernel.
inline std::string compiled_name(std::string_view kernel) {
  return "patchbay_kernel_" + std::string(kernel);
}

/// Throws unsupported for a module of another format.
inline void check_dialect(std::string_view format) {
  if (format == PATCHBAY_FORMAT_DIALECT) return;
  plugin::unsupported("expected a module of the format '" PATCHBAY_FORMAT_DIALECT "', got '" +
                      std::string(format) + "'");
}

/// A kernel of a module, which can only be launched with a grid.
class GridKernel : public plugin::Kernel {
 public:
  explicit GridKernel(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  void launch(plugin::Stream&, plugin::Arguments, plugin::Memory, std::string_view) final {
    plugin::unsupported("kernel '" + name_ + "' of a module is launched with a grid");
  }

 private:
  const std::string name_;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_DIALECT_MODULE_HPP_
