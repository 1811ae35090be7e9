// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_PORTABLE_REDUCTION_HPP_
#define PATCHBAY_KIT_PORTABLE_REDUCTION_HPP_

#include <cstdint>
#include <memory>

#include "kit/portable/backend.hpp"
#include "kit/portable/folds.hpp"

namespace patchbay::portable {

/// If there are too few results to keep the device busy, each is computed in pieces; the workspace
/// holds their values, which are merged in order.
class ReductionKernel : public plugin::Kernel {
 public:
  ReductionKernel(Backend& backend, const Fold& fold, std::uint8_t in,
                  std::uint64_t workspace_limit_bytes);

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Plan;
  Plan plan(plugin::Arguments arguments) const;

  const Traits& traits_;
  const Fold& fold_;
  const std::uint64_t workspace_bytes_;
  const std::unique_ptr<Program> program_;
  const std::unique_ptr<Function> along_, across_, finish_;
};

/// For an operator of this family. Throws `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_reduction(Backend& backend,
                                                  const patchbay_kernel_spec& spec);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_REDUCTION_HPP_
