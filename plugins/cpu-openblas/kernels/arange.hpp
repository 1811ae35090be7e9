// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_ARANGE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_ARANGE_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// arange.1: out (row-major numbering of its elements), start, step.
class ArangeKernel final : public plugin::Kernel {
 public:
  ArangeKernel(Workers& workers, Arange entry, std::uint8_t dtype)
      : workers_(workers), entry_(entry), dtype_(dtype) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  void compute(plugin::Arguments arguments) const;

  Workers& workers_;
  const Arange entry_;
  const std::uint8_t dtype_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_ARANGE_HPP_
