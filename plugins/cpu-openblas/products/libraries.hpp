// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The table of loops and the libraries that all devices of a driver share.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LIBRARIES_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LIBRARIES_HPP_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "patchbay/plugin/kit/host.hpp"

#include "cpu-openblas/onednn/onednn.hpp"
#include "cpu-openblas/products/blas.hpp"
#include "cpu-openblas/products/faster_blas.hpp"
#include "cpu-openblas/products/lapack.hpp"
#include "cpu-openblas/products/packed_cache.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "cpu-openblas/simd/table.hpp"
#include "kit/call_gate.hpp"

namespace patchbay::cpu {

/// Who computes convolutions: each where it is faster, our own loops, oneDNN wherever it can, or
/// Winograd's algorithm where it is faster.
enum class ConvolutionChoice { kAuto, kOwn, kOneDnn, kWinograd };

/// Reads the user's options cpu_simd (the best instruction set to use), cpu_products (auto, own or
/// openblas), openblas_path, lapack_path, cpu_convolutions (auto, own, onednn or winograd),
/// onednn_path and cpu_packed_mb.
class Libraries {
 public:
  /// Opens OpenBLAS if it is to multiply. If it should but is not found, logs one warning.
  /// `processor` tells this one from others.
  Libraries(plugin::Host host, const std::string& processor, std::int64_t cache_bytes);

  const SimdTable& simd() const noexcept { return simd_; }
  std::int64_t cache_bytes() const noexcept { return cache_bytes_; }
  /// Null if it does not compute all products of f32 and f64.
  const Blas* blas() const noexcept { return blas_.get(); }
  /// Null if the user has chosen what multiplies, or if there is no choice.
  FasterBlas* faster_blas() noexcept { return faster_blas_ ? &*faster_blas_ : nullptr; }
  /// Whether the user has named the LAPACK to use.
  bool has_chosen_lapack() const noexcept { return lapack_path_.has_value(); }
  /// A LAPACK without threads; null if there is none or it is not wanted. The first call opens it.
  /// If the user's can't be used, logs one warning.
  const Lapack* lapack();
  /// Whether threads of LAPACK compute for a device with so many threads.
  bool has_threaded_lapack(int num_threads) const;
  /// Held during each call of OpenBLAS or LAPACK.
  CallGate& blas_gate() noexcept { return blas_gate_; }
  /// Null if there is none or it is not wanted. The first call opens it, because that takes longer
  /// than all else here. If it is wanted but not found, logs one warning.
  const OneDnn* onednn();
  ConvolutionChoice convolutions() const noexcept { return convolutions_; }
  ScratchPool& scratch() noexcept { return scratch_; }
  PackedCache& packed() noexcept { return packed_; }

  /// For example "avx512, LAPACK of libopenblas.so.0, own products", or "avx2, no LAPACK, products
  /// by OpenBLAS 0.3.21". A LAPACK that is named is there; its first call shows whether it can be
  /// used.
  const std::string& description() const noexcept { return description_; }

 private:
  std::string choose_products(const std::string& processor);
  std::string choose_lapack();
  std::string find_lapack();
  void choose_convolutions();

  const plugin::Host host_;
  const SimdTable simd_;
  const std::int64_t cache_bytes_;
  std::unique_ptr<Blas> blas_;
  CallGate blas_gate_;
  std::optional<std::string> lapack_path_;
  bool takes_lapack_ = false;
  std::string lapack_file_;  // empty if there is none
  std::once_flag lapack_once_;
  std::unique_ptr<Lapack> lapack_;
  std::optional<FasterBlas> faster_blas_;
  ConvolutionChoice convolutions_ = ConvolutionChoice::kAuto;
  std::once_flag onednn_once_;
  std::unique_ptr<OneDnn> onednn_;
  ScratchPool scratch_;
  PackedCache packed_;
  std::string description_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LIBRARIES_HPP_
