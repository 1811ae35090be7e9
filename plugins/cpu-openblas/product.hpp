// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// gemm.1 as a kernel: floats by the BLAS library, 16-bit ones as f32, integers by our own loop.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCT_HPP_

#include <cstdint>
#include <mutex>
#include <optional>

#include "patchbay/plugin/kit/objects.hpp"

#include "gemm.hpp"
#include "half_product.hpp"
#include "operand.hpp"
#include "simd/table.hpp"
#include "symbols.hpp"
#include "workers.hpp"

namespace patchbay::cpu {

/// Arguments: out [..., m, n], a [..., m, k], b [..., k, n], alpha, beta.
class ProductKernel final : public plugin::Kernel {
 public:
  /// `blas` is null for integers, `integer_gemm` for floats; `half` is there for 16-bit floats.
  ProductKernel(Workers& workers, std::uint8_t dtype, const Blas* blas, std::mutex* blas_mutex,
                IntegerGemmEntry integer_gemm, const std::optional<HalfProduct>& half)
      : workers_(workers),
        dtype_(dtype),
        blas_(blas),
        blas_mutex_(blas_mutex),
        integer_gemm_(integer_gemm),
        half_(half) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Job;

  void compute(const Job& job) const;
  void compute_whole(const Job& job, std::int64_t begin, std::int64_t end, int num_parts) const;
  void compute_split(const Job& job, std::int64_t index, int num_threads) const;
  void compute_piece(const GemmProblem& piece, const Job& job, float* scratch) const noexcept;

  Workers& workers_;
  const std::uint8_t dtype_;
  const Blas* const blas_;
  std::mutex* const blas_mutex_;  // for a library that takes one call at a time
  const IntegerGemmEntry integer_gemm_;
  const std::optional<HalfProduct> half_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCT_HPP_
