// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An operator, prepared for the dtypes of its arguments.
#ifndef PATCHBAY_NULL_KERNEL_HPP_
#define PATCHBAY_NULL_KERNEL_HPP_

#include "todo.hpp"

namespace null {

class Kernel : public plugin::Kernel {
 public:
  /// Throws unsupported, naming operator and dtypes, for what this device does not have.
  explicit Kernel(const patchbay_kernel_spec& spec);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

  // Optional
  std::uint64_t workspace_bytes() const override;
};

}  // namespace null

#endif  // PATCHBAY_NULL_KERNEL_HPP_
