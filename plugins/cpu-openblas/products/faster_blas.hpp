// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// OpenBLAS where it multiplies faster than our own loops. That is measured once on a machine, and
// kept in the core's cache.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_FASTER_BLAS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_FASTER_BLAS_HPP_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "patchbay/plugin/kit/host.hpp"

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/blas.hpp"
#include "cpu-openblas/products/gemm.hpp"
#include "kit/call_gate.hpp"

namespace patchbay::cpu {

/// Kinds of products for which a call of OpenBLAS may pay.
enum class ProductKind : std::uint8_t { kLarge, kMedium, kFlat };
inline constexpr int kNumProductKinds = 3;

/// The kind of a normalised product. Nothing for small ones, vectors and kept weights, which our
/// own loops compute.
std::optional<ProductKind> kind_of(const GemmProblem& problem) noexcept;

class FasterBlas {
 public:
  /// Multiplies with our own loops: out = alpha a b + beta out. May throw.
  using Multiply =
      std::function<void(const GemmProblem& problem, ScalarCell alpha, ScalarCell beta)>;

  /// `processor` names it and its instruction set. `gate` is held during calls of OpenBLAS.
  FasterBlas(plugin::Host host, std::string processor, CallGate& gate)
      : host_(host), processor_(std::move(processor)), gate_(gate) {}

  /// OpenBLAS if it multiplies products of that kind and dtype (f32 or f64) faster, else null. The
  /// first call for a dtype decides for this object's life, by what was measured in an earlier
  /// process. If there is nothing, it measures, which takes up to half a second. OpenBLAS must use
  /// `num_threads` threads, as the own loops do.
  const Blas* of(ProductKind kind, std::uint8_t dtype, int num_threads, const Multiply& own);
  /// OpenBLAS if it uses `num_threads` threads, else null. The first call opens it.
  const Blas* opened(int num_threads) { return open(num_threads) ? blas_.get() : nullptr; }

 private:
  struct Choice {
    std::once_flag once;
    std::array<bool, kNumProductKinds> by_blas{};
  };

  void decide(Choice& choice, std::uint8_t dtype, int num_threads, const Multiply& own) noexcept;
  bool open(int num_threads);

  const plugin::Host host_;
  const std::string processor_;
  CallGate& gate_;
  Choice choices_[2];  // of f32 and f64
  std::once_flag opened_;
  std::unique_ptr<Blas> blas_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_FASTER_BLAS_HPP_
