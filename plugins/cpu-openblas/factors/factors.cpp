// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Factorizations: each thread takes matrices, or strips of columns, one after the other.
#include "cpu-openblas/factors/factors.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cpu-openblas/factors/lapack.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/factors.hpp"

namespace patchbay::cpu {
namespace {

/// Multiply-adds of all matrices below which a fork and join costs more than it saves.
constexpr std::int64_t kWorthSharing = 1 << 16;
/// From so many rows on LAPACK is faster: its methods have products inside.
constexpr std::int64_t kLargeEigh = 128, kLargeSvd = 48;

class FactorKernel final : public plugin::Kernel {
 public:
  explicit FactorKernel(const Context& context)
      : workers_(context.workers),
        libraries_(context.libraries),
        plan_(context.spec),
        dtype_(context.dtype(0)),
        loop_(loop_of(context, plan_)) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const FactorSizes sizes = plan_.sizes_of(arguments);
    if (sizes.count == 0) return;
    static_cast<Stream&>(stream).submit(arguments, name, [this, sizes](plugin::Arguments kept) {
      workers_.run([&] { compute(sizes, kept); });
    });
  }

 private:
  static FactorLoop loop_of(const Context& context, const FactorPlan& plan) {
    const auto dtype = static_cast<std::size_t>(index_of(context.dtype(0)));
    const FactorLoop loop =
        context.simd()
            .factors[dtype][plan.has_pairs() ? 1 : 0][static_cast<std::size_t>(plan.factor())];
    if (loop == nullptr) refuse(context, context.dtype(0));
    return loop;
  }

  void compute(const FactorSizes& sizes, plugin::Arguments arguments) const {
    std::array<void*, 6> operands{};
    for (std::size_t i = 0; i < arguments.size(); ++i) operands[i] = data_of(arguments[i]);
    if (const Blas* const blas = lapack_for(sizes)) {
      if (const CallGate::Pass pass(libraries_.blas_gate()); pass) {
        return factor_by_lapack(*blas, libraries_.scratch(), plan_, dtype_, sizes, operands);
      }
    }
    const std::int64_t groups = plan_.num_groups(sizes);
    const bool is_small =
        sizes.count * sizes.m * sizes.n * std::min(sizes.m, sizes.n) < kWorthSharing;
    const auto threads =
        is_small ? 1 : static_cast<int>(std::min<std::int64_t>(groups, workers_.num_threads()));
    workers_.for_units(groups, threads,
                       [&](int, std::int64_t group) { loop_(operands.data(), sizes, group); });
  }

  /// Null if our own loops are to factor.
  const Blas* lapack_for(const FactorSizes& sizes) const {
    const bool is_large = (plan_.factor() == Factor::eigh && sizes.m >= kLargeEigh) ||
                          (plan_.factor() == Factor::svd && sizes.m >= kLargeSvd);
    if (!is_large) return nullptr;
    const Blas* blas = libraries_.blas();
    if (blas == nullptr && workers_.is_inline() && libraries_.faster_blas() != nullptr) {
      blas = libraries_.faster_blas()->opened(workers_.num_threads());
    }
    return blas != nullptr && has_lapack(*blas, plan_, dtype_, sizes) ? blas : nullptr;
  }

  Workers& workers_;
  Libraries& libraries_;
  const FactorPlan plan_;
  const std::uint8_t dtype_;
  const FactorLoop loop_;
};

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_factor(const Context& context) {
  return std::make_unique<FactorKernel>(context);
}

}  // namespace patchbay::cpu
