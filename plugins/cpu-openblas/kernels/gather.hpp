// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_GATHER_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_GATHER_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/arguments/loop_nest.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// gather.1: out, a, index. If an index applies to a row of elements, the row is copied at once.
class GatherKernel final : public plugin::Kernel {
 public:
  GatherKernel(Workers& workers, Row copy, int dim) : workers_(workers), copy_(copy), dim_(dim) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Walk;
  void compute(plugin::Arguments arguments) const;
  template <class T, class I>
  void compute_rows(const Walk& walk, std::int64_t begin, std::int64_t end) const noexcept;

  Workers& workers_;
  const Row copy_;
  const int dim_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_GATHER_HPP_
