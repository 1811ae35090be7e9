// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_PERMUTATION_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_PERMUTATION_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// permutation.1: out, scratch, seed, offset. Distributes draws to buckets by their first byte,
/// then sorts each bucket.
class PermutationKernel final : public plugin::Kernel {
 public:
  PermutationKernel(Workers& workers, const SimdTable& simd) : workers_(workers), simd_(simd) {}
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

  struct Drawn {
    std::uint64_t draw;
    std::int64_t index;
  };

 private:
  void compute(plugin::Arguments arguments) const;
  template <class Body>
  void for_draws(plugin::Arguments arguments, std::int64_t begin, std::int64_t end,
                 const Body& body) const noexcept;

  void share_out(plugin::Arguments arguments, Drawn* drawn, std::int64_t* begins) const noexcept;

  Workers& workers_;
  const SimdTable& simd_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_PERMUTATION_HPP_
