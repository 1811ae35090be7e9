// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Factorizations: each thread takes matrices, or strips of columns, one after the other.
#include "cpu-openblas/factors/factors.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string_view>

#include "cpu-openblas/factors/lapack.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"
#include "kit/factors.hpp"

namespace patchbay::cpu {
namespace {

/// Multiply-adds of all matrices below which a fork and join costs more than it saves.
constexpr std::int64_t kWorthSharing = 1 << 16;
/// From so many rows on LAPACK computes a matrix faster than one of our threads. Those without
/// threads are not below those with them.
struct LeastRows {
  std::int64_t eigh, complex_eigh, svd, eig;

  std::int64_t of(const FactorPlan& plan) const {
    switch (plan.factor()) {
      case Factor::eigh: return plan.has_pairs() ? complex_eigh : eigh;
      case Factor::svd: return svd;
      case Factor::eig: return eig;
      default: return kNever;
    }
  }
  static constexpr std::int64_t kNever = std::int64_t{1} << 61;
};
constexpr LeastRows kWithThreads{128, 512, 64, 192};
constexpr LeastRows kWithoutThreads{LeastRows::kNever, LeastRows::kNever, LeastRows::kNever, 256};

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
    const LapackChoice lapack = lapack_for(sizes);
    if (lapack.entries != nullptr) {
      if (const CallGate::Pass pass(libraries_.blas_gate()); pass) {
        const auto call = [&](std::int64_t begin, std::int64_t end) {
          factor_by_lapack(*lapack.entries, libraries_.scratch(), plan_, dtype_, sizes, operands,
                           begin, end);
        };
        if (lapack.has_threads) return call(0, sizes.count);
        return for_matrices(sizes.count, call);
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

  /// Calls body(i, i + 1) for each matrix, on all threads. Throws the last exception of a call.
  template <class Body>
  void for_matrices(std::int64_t count, const Body& body) const {
    std::mutex mutex;
    std::exception_ptr failure;
    const auto threads = static_cast<int>(std::min<std::int64_t>(count, workers_.num_threads()));
    workers_.for_units(count, threads, [&](int, std::int64_t i) {
      try {
        body(i, i + 1);
      } catch (const std::exception&) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    });
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  struct LapackChoice {
    const LapackEntries* entries = nullptr;  // null if our own loops are to factor
    bool has_threads = false;
  };
  LapackChoice lapack_for(const FactorSizes& sizes) const {
    const std::int64_t threaded = kWithThreads.of(plan_);
    if (sizes.m < threaded) return {};
    const auto fits = [&](const LapackEntries& entries) {
      return has_lapack(entries, plan_, dtype_, sizes);
    };
    if (const Blas* const blas = opened_blas(); blas != nullptr && fits(blas->lapack)) {
      // Its threads compute one matrix, and ours several. Own loops of svd are slow for matrices
      // that the core did not turn before, as these.
      const bool is_shared = workers_.num_threads() > 1 && sizes.count >= workers_.num_threads();
      if (is_shared && plan_.factor() != Factor::svd && sizes.m < 2 * threaded) return {};
      return {&blas->lapack, true};
    }
    if (sizes.m < kWithoutThreads.of(plan_)) return {};
    const Lapack* const lapack = libraries_.lapack();
    if (lapack == nullptr || !fits(lapack->entries())) return {};
    return {&lapack->entries(), false};
  }
  const Blas* opened_blas() const {
    if (libraries_.has_chosen_lapack()) return nullptr;
    const Blas* const blas = libraries_.blas();
    if (blas != nullptr || !workers_.is_inline() || libraries_.faster_blas() == nullptr)
      return blas;
    return libraries_.faster_blas()->opened(workers_.num_threads());
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
