// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the devices of one driver share: the table of loops, and what multiplies matrices.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LIBRARIES_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LIBRARIES_HPP_

#include <cstdint>
#include <memory>
#include <string>

#include "patchbay/plugin/kit/host.hpp"

#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/products/symbols.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "kit/call_gate.hpp"

namespace patchbay::cpu {

/// The user's options: cpu_simd (the best instruction set to use), cpu_products (auto, own or
/// openblas) and openblas_path.
class Libraries {
 public:
  /// Opens OpenBLAS where it is to multiply; where it is missed, the log has one warning.
  Libraries(plugin::Host host, std::int64_t cache_bytes);

  const SimdTable& simd() const noexcept { return simd_; }
  std::int64_t cache_bytes() const noexcept { return cache_bytes_; }
  /// Null where our own loops multiply.
  const Blas* blas() const noexcept { return blas_.get(); }
  /// Held open during each of its calls.
  CallGate& blas_gate() noexcept { return blas_gate_; }
  ScratchPool& scratch() noexcept { return scratch_; }

  /// In words: "avx512, own products", "avx2, products by OpenBLAS 0.3.21".
  const std::string& description() const noexcept { return description_; }

 private:
  void choose_products(plugin::Host host);

  const SimdTable simd_;
  const std::int64_t cache_bytes_;
  std::unique_ptr<Blas> blas_;
  CallGate blas_gate_;
  ScratchPool scratch_;
  std::string description_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LIBRARIES_HPP_
