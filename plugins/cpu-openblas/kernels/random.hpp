// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_RANDOM_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_RANDOM_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// Arguments: out, seed, offset, base, then the distribution's parameters. An element's value does
/// not depend on how the work is divided.
class RandomKernel final : public plugin::Kernel {
 public:
  struct Distribution {
    Draw draw = nullptr;       // 32 bits per element
    Draw wide_draw = nullptr;  // 64 bits per element
    int cost = 1;              // per element, relative to moving a byte through memory
  };

  RandomKernel(Workers& workers, const SimdTable& simd, const Distribution& distribution,
               std::uint8_t dtype, std::int64_t cache_bytes);
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Run;

  void compute(plugin::Arguments arguments) const;
  void compute_blocks(const Run& run, std::int64_t begin, std::int64_t end) const noexcept;
  void store(const Run& run, std::int64_t begin, std::int64_t end,
             const char* values) const noexcept;

  Workers& workers_;
  const SimdTable& simd_;
  const Distribution distribution_;
  const std::uint8_t dtype_;
  const std::int64_t cache_bytes_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_RANDOM_HPP_
