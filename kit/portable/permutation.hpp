// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_PORTABLE_PERMUTATION_HPP_
#define PATCHBAY_KIT_PORTABLE_PERMUTATION_HPP_

#include <memory>

#include "kit/portable/backend.hpp"

namespace patchbay::portable {

/// Arguments: out, scratch, seed, offset.
class PermutationKernel : public plugin::Kernel {
 public:
  explicit PermutationKernel(Backend& backend);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  const std::unique_ptr<Program> program_;
  const std::unique_ptr<Function> clear_, count_, sums_, starts_, place_, sort_;
};

std::unique_ptr<plugin::Kernel> prepare_permutation(Backend& backend);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_PERMUTATION_HPP_
