// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise programs: fused expressions, and single operators as programs of one step.
#ifndef PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_HPP_
#define PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_HPP_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "kit/expression/nest.hpp"
#include "kit/portable/base/backend.hpp"

namespace patchbay::portable {

/// Takes tensors and scalars, each in the order of the program, outputs first. Scalars may occur
/// between tensors.
class ElementwiseKernel final : public plugin::Kernel {
 public:
  /// `keeps_order`: visit elements in row-major order, because the program uses their index.
  ElementwiseKernel(Backend& backend, std::string name, const expression::Program& program,
                    bool keeps_order = false);
  ~ElementwiseKernel() override;

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  /// The text, compiled for one index type.
  struct Code;
  struct TurnedCode;

  void check_arguments(plugin::Arguments arguments) const;
  const Code& code_for(bool is_small);
  /// The kernel for transposes; null if the device can't run it.
  Function* turned();
  template <class Index>
  void enqueue(plugin::Stream& stream, const Code& code, const expression::Nest& nest,
               Arguments& arguments, std::string_view name) const;
  /// Returns false if the launch is not for this kernel.
  bool enqueue_turned(plugin::Stream& stream, expression::Nest nest, Arguments& arguments,
                      std::string_view name);

  Backend& backend_;
  const std::string name_, text_;
  const std::int64_t at_once_;  // elements that a work-item of `dense` computes
  const bool can_turn_;
  const std::size_t num_tensors_, num_arguments_;
  const bool keeps_order_;
  std::mutex mutex_;
  std::unique_ptr<Code> small_, large_;  // large_ is built when a tensor needs wide indices
  std::unique_ptr<TurnedCode> turned_;   // and this one with the first transpose
};

/// For an operator of this family. Throws `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_elementwise(Backend& backend,
                                                    const patchbay_kernel_spec& spec);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_ELEMENTWISE_ELEMENTWISE_HPP_
