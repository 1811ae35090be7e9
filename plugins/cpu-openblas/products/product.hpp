// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// gemm.1 and linear.1 as kernels: floats with our own loops or OpenBLAS, 16-bit floats as f32,
// integers with a loop that wraps.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_PRODUCT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_PRODUCT_HPP_

#include <cstdint>
#include <optional>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/blas.hpp"
#include "cpu-openblas/products/faster_blas.hpp"
#include "cpu-openblas/products/gemm.hpp"
#include "cpu-openblas/products/packed_cache.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "cpu-openblas/threads/workers.hpp"
#include "kit/call_gate.hpp"

namespace patchbay::cpu {

/// The loops that multiply matrices of one dtype.
struct ProductLoops {
  const Blas* blas;         // null to use the other loops
  FasterBlas* faster_blas;  // null if there is no choice
  CallGate* blas_gate;
  FloatGemmLoop floats;             // f32 and f64
  std::optional<HalfProduct> half;  // 16-bit floats
  IntegerGemmEntry integers;
};

/// Arguments: out [..., m, n], a [..., m, k], b [..., k, n], alpha, beta; or of linear.1 out [m,
/// n], a [m, k], weight [n, k], bias [n].
class ProductKernel final : public plugin::Kernel {
 public:
  ProductKernel(Workers& workers, ScratchPool& scratch, PackedCache& packed, std::uint8_t dtype,
                const ProductLoops& loops, bool has_bias)
      : workers_(workers),
        scratch_(scratch),
        packed_(packed),
        dtype_(dtype),
        loops_(loops),
        has_bias_(has_bias) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override;

 private:
  struct Job;

  Job product_job(plugin::Arguments arguments) const;
  Job linear_job(plugin::Arguments arguments) const;
  void compute(const Job& job) const;
  const Blas* faster_blas(const Job& job) const;
  void compute_by_blas(const Blas& blas, const Job& job) const;
  void compute_whole(const Job& job, std::int64_t count, int num_parts) const;
  void compute_split(const Job& job, std::int64_t index, int num_threads) const;
  void compute_piece(const GemmProblem& piece, const Job& job, void* scratch) const noexcept;
  PackedCache::Block kept_a(const GemmProblem& piece, const Job& job,
                            const FloatGemm& product) const noexcept;
  std::int64_t scratch_bytes(const GemmProblem& largest, const Job& job) const noexcept;
  bool computes_floats() const noexcept { return loops_.floats.multiply != nullptr; }

  Workers& workers_;
  ScratchPool& scratch_;
  PackedCache& packed_;
  const std::uint8_t dtype_;
  const ProductLoops loops_;
  const bool has_bias_;  // of linear.1
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_PRODUCT_HPP_
