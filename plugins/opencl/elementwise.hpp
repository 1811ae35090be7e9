// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_ELEMENTWISE_HPP_
#define PATCHBAY_PLUGINS_OPENCL_ELEMENTWISE_HPP_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "patchbay/plugin/kit/objects.hpp"

#include "launcher.hpp"
#include "nest.hpp"
#include "program.hpp"

namespace patchbay::opencl {

/// The elementwise text compiled for one type of indices.
struct ElementwiseProgram {
  ElementwiseProgram(const Device& device, plugin::Host host, const std::string& text);

  const ProgramHandle program;
  Launcher dense, strided;
};

class ElementwiseKernel : public plugin::Kernel {
 public:
  /// `text` defines all but INDEX, BAND and CHUNK. `vector`: elements that a work-item takes of
  /// dense operands.
  ElementwiseKernel(const Device& device, plugin::Host host, std::string name, std::string text,
                    std::int64_t vector);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  Nest nest_of(plugin::Arguments arguments) const;
  ElementwiseProgram& program_for(bool small);
  template <class Index>
  void launch_dense(Stream& stream, Launcher& launcher, plugin::Arguments arguments,
                    const Nest& nest, std::string_view name);
  template <class Index>
  void launch_strided(Stream& stream, Launcher& launcher, plugin::Arguments arguments,
                      const Nest& nest, std::string_view name);
  void set_operands(Launcher::Arguments& to, plugin::Arguments arguments) const;

  const Device& device_;
  const plugin::Host host_;
  const std::string name_, text_;
  const std::int64_t vector_;
  ElementwiseProgram small_;
  std::mutex mutex_;
  std::unique_ptr<ElementwiseProgram> large_;  // built when a tensor needs wide indices
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_ELEMENTWISE_HPP_
