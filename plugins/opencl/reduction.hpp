// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_REDUCTION_HPP_
#define PATCHBAY_PLUGINS_OPENCL_REDUCTION_HPP_

#include <cstdint>
#include <string>

#include "patchbay/plugin/kit/objects.hpp"

#include "folds.hpp"
#include "launcher.hpp"
#include "nest.hpp"
#include "program.hpp"

namespace patchbay::opencl {

/// One result is cut into pieces where there are too few results to keep the device busy; the
/// pieces' values lie in the workspace and are merged in order.
class ReductionKernel : public plugin::Kernel {
 public:
  ReductionKernel(const Device& device, plugin::Host host, const Fold& fold, std::uint8_t in,
                  std::uint64_t workspace_limit_bytes);

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Plan;
  Plan plan(plugin::Arguments arguments) const;

  const Device& device_;
  const Fold& fold_;
  const std::uint64_t workspace_bytes_;
  const ProgramHandle program_;
  Launcher along_, across_, finish_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_REDUCTION_HPP_
