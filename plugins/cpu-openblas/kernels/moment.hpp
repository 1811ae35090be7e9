// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How a sum becomes a result of moment.1.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_MOMENT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_MOMENT_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace patchbay::cpu {

struct MomentPlan {
  int order = 0;  // 0: another reduction
  bool has_root = false;
};

/// Sums the terms of one result again in f64, scaled by a power of 2: no term leaves its range.
template <class T>
class ScaledSum {
 public:
  explicit ScaledSum(int order) : order_(order) {}

  /// First for all elements, then `add` for all.
  void see(T x) {
    const double size = std::fabs(static_cast<double>(x));
    if (size <= std::numeric_limits<double>::max() && size > most_) most_ = size;
  }
  void choose_scale() {
    constexpr int kMost = std::numeric_limits<double>::max_exponent - 2;
    const int exponent = most_ == 0 ? 0 : std::ilogb(most_);
    scale_ = std::ldexp(1.0, std::clamp(-exponent, -kMost, kMost));
  }
  void add(T x) {
    const double scaled = static_cast<double>(x) * scale_;
    block_ += order_ == 1 ? scaled : scaled * scaled;
    if (++count_ % 128 != 0) return;
    total_ += block_;
    block_ = 0;
  }
  double result(const MomentPlan& plan, double divisor) const {
    const double whole = (total_ + block_) / divisor;
    if (plan.has_root) return std::sqrt(whole) / scale_;
    return order_ == 1 ? whole / scale_ : whole / scale_ / scale_;
  }

 private:
  const int order_;
  double most_ = 0, scale_ = 1, block_ = 0, total_ = 0;
  std::int64_t count_ = 0;
};

/// Whether neither the sum nor a term of it left the range of T. Of smaller squares, some may have
/// lost digits.
template <class T>
bool is_in_range(int order, T sum) {
  constexpr T kLeast = sizeof(T) == 4 ? T(0x1p-100) : T(0x1p-960);
  return std::fabs(sum) <= std::numeric_limits<T>::max() && (order == 1 || sum >= kLeast);
}

/// Whether all are, in a loop without branches.
template <class T>
bool are_in_range(int order, const T* sums, std::int64_t n) {
  int count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += is_in_range(order, sums[i]) ? 0 : 1;
  return count == 0;
}

template <class T>
T finish_moment(const MomentPlan& plan, T sum, double divisor) {
  const T whole = divisor == 1 ? sum : sum / static_cast<T>(divisor);
  return plan.has_root ? std::sqrt(whole) : whole;
}

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_MOMENT_HPP_
