// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_SCATTER_ADD_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_SCATTER_ADD_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// scatter_add.1: out, index, source. Threads divide the elements of out: one thread makes all
/// additions to an element, in the order of the index, for any number of threads.
class ScatterAddKernel final : public plugin::Kernel {
 public:
  ScatterAddKernel(Workers& workers, Row add, int dim) : workers_(workers), add_(add), dim_(dim) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Walk;
  struct Share;
  void compute(plugin::Arguments arguments) const;
  void share_out(const Walk& walk) const;
  void compute_share(const Walk& walk, const Share& share) const noexcept;
  template <class T, class I>
  void add_share(const Walk& walk, const Share& share) const noexcept;

  Workers& workers_;
  const Row add_;
  const int dim_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_SCATTER_ADD_HPP_
