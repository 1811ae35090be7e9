// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_GEMM_HPP_
#define PATCHBAY_PLUGINS_OPENCL_GEMM_HPP_

#include <cstdint>
#include <string>

#include "patchbay/plugin/kit/objects.hpp"

#include "launcher.hpp"
#include "program.hpp"

namespace patchbay::opencl {

/// How the text cuts the result: what a work-item computes.
struct GemmShape {
  std::string text;
  std::int64_t rows, columns;
  std::int64_t most_strips;  // pieces of so many columns that a work-item may take
  std::size_t group;         // items of a group along each axis
};

class GemmKernel : public plugin::Kernel {
 public:
  GemmKernel(const Device& device, plugin::Host host, std::uint8_t dtype, GemmShape shape);

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  const Device& device_;
  const std::size_t element_bytes_;
  const GemmShape shape_;
  const ProgramHandle program_;
  Launcher gemm_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_GEMM_HPP_
