// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// gemm.1 as a kernel: floats by the BLAS library, integers by our own loop.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCT_HPP_

#include <cstdint>
#include <mutex>

#include "patchbay/plugin/kit/objects.hpp"

#include "gemm.hpp"
#include "operand.hpp"
#include "simd/table.hpp"
#include "symbols.hpp"
#include "workers.hpp"

namespace patchbay::cpu {

/// Arguments: out [m, n], a [m, k], b [k, n], alpha, beta.
class ProductKernel final : public plugin::Kernel {
 public:
  /// `blas` is null for integers, `integer_gemm` for floats.
  ProductKernel(Workers& workers, std::uint8_t dtype, const Blas* blas, std::mutex* blas_mutex,
                IntegerGemmEntry integer_gemm)
      : workers_(workers),
        dtype_(dtype),
        blas_(blas),
        blas_mutex_(blas_mutex),
        integer_gemm_(integer_gemm) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  void compute(const GemmProblem& problem, const ScalarCell& alpha, const ScalarCell& beta) const;
  void compute_piece(const GemmProblem& piece, const ScalarCell& alpha,
                     const ScalarCell& beta) const noexcept;

  Workers& workers_;
  const std::uint8_t dtype_;
  const Blas* const blas_;
  std::mutex* const blas_mutex_;  // for a library that takes one call at a time
  const IntegerGemmEntry integer_gemm_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCT_HPP_
