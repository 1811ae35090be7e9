// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The intermediate results of a tile of outputs while its inputs are read by block, and how sums
// become the results of moment.1.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_REDUCTION_STATE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_REDUCTION_STATE_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "cpu-openblas/simd/table.hpp"

namespace patchbay::cpu {

/// How a sum becomes a result of moment.1.
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

/// The values of a tile, and their indices for operations that return these.
struct TileResult {
  alignas(64) char values[kMaxWidth * 8];
  std::int64_t indices[kMaxWidth];
};

/// Combines block results like a binary tree over the blocks. Runs of 2^k blocks may be reduced
/// separately and added as one; the tree stays the same.
class PairwiseState {
 public:
  PairwiseState(const Reduction& method, std::int64_t width, std::int64_t element_bytes)
      : method_(method), width_(width), bytes_(static_cast<std::size_t>(width * element_bytes)) {}

  void add_block(std::int64_t n, const void* in, std::int64_t) {
    alignas(64) char block[8];
    method_.block(n, in, block);
    push(block);
  }
  void add_rows(std::int64_t n, const void* const* rows, std::int64_t) {
    alignas(64) char block[kMaxWidth * 8];
    method_.columns(n, width_, rows, block);
    push(block);
  }
  void add_result(const TileResult& result) { push(result.values); }

  void finish(TileResult& result) {
    char* joined = nullptr;
    for (int level = 0; count_ >> level != 0; ++level) {
      if ((count_ >> level & 1) == 0) continue;
      if (joined != nullptr) method_.combine(width_, levels_[level], joined);
      joined = levels_[level];
    }
    if (joined != nullptr) std::memcpy(result.values, joined, bytes_);
  }

 private:
  static constexpr int kLevels = 40;

  void push(const char* node) {
    int level = 0;
    for (std::uint64_t rest = count_++; (rest & 1) != 0; rest >>= 1, ++level) {
      method_.combine(width_, levels_[level], node);
      node = levels_[level];
    }
    std::memcpy(levels_[level], node, bytes_);
  }

  const Reduction& method_;
  const std::int64_t width_;
  const std::size_t bytes_;
  std::uint64_t count_ = 0;
  alignas(64) char levels_[kLevels][kMaxWidth * 8];
};

/// Keeps the best value so far; blocks come in the order of their indices.
class ArgState {
 public:
  ArgState(const ArgReduction& method, std::int64_t width, std::int64_t)
      : method_(method), width_(width) {
    for (std::int64_t i = 0; i < width; ++i) best_.indices[i] = -1;
  }

  void add_block(std::int64_t n, const void* in, std::int64_t first) {
    method_.block(n, in, first, best_.values, best_.indices);
  }
  void add_rows(std::int64_t n, const void* const* rows, std::int64_t first) {
    method_.columns(n, width_, rows, first, best_.values, best_.indices);
  }
  void add_result(const TileResult& later) {
    if (best_.indices[0] < 0) {
      best_ = later;
    } else {
      method_.combine(width_, best_.values, best_.indices, later.values, later.indices);
    }
  }
  void finish(TileResult& result) { result = best_; }

 private:
  const ArgReduction& method_;
  const std::int64_t width_;
  TileResult best_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_REDUCTION_STATE_HPP_
