// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_PORTABLE_ELEMENTWISE_HPP_
#define PATCHBAY_KIT_PORTABLE_ELEMENTWISE_HPP_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "kit/portable/backend.hpp"
#include "kit/portable/nest.hpp"

namespace patchbay::portable {

/// The elementwise text compiled for one type of indices.
struct ElementwiseProgram {
  ElementwiseProgram(Backend& backend, const std::string& text);

  const std::unique_ptr<Program> program;
  const std::unique_ptr<Function> dense, strided;
};

class ElementwiseKernel : public plugin::Kernel {
 public:
  /// `text` defines all but INDEX, BAND and CHUNK. `vector`: elements that a work-item takes of
  /// dense operands. `keeps_order`: the text counts elements in row-major order.
  ElementwiseKernel(Backend& backend, std::string name, std::string text, std::int64_t vector,
                    bool keeps_order);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  Nest nest_of(plugin::Arguments arguments) const;
  ElementwiseProgram& program_for(bool small);
  template <class Index>
  void launch_dense(plugin::Stream& stream, Function& dense, Arguments& arguments,
                    std::int64_t count, std::string_view name) const;
  template <class Index>
  void launch_strided(plugin::Stream& stream, Function& strided, Arguments& arguments,
                      const Nest& nest, std::string_view name) const;

  Backend& backend_;
  const std::string name_, text_;
  const std::int64_t vector_;
  const bool keeps_order_;
  ElementwiseProgram small_;
  std::mutex mutex_;
  std::unique_ptr<ElementwiseProgram> large_;  // built when a tensor needs wide indices
};

/// For an operator of this family. Throws `unsupported` with the reason.
std::unique_ptr<plugin::Kernel> prepare_elementwise(Backend& backend,
                                                    const patchbay_kernel_spec& spec);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_ELEMENTWISE_HPP_
