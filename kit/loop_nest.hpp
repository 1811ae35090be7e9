// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Merges the dimensions of a launch's operands into as few loops as their strides allow.
#ifndef PATCHBAY_KIT_LOOP_NEST_HPP_
#define PATCHBAY_KIT_LOOP_NEST_HPP_

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "patchbay/plugin/types.h"

namespace patchbay {

/// Up to `kMost` operands of one shape; operand 0 is an output. The innermost dimension is the
/// last. Only the rank and the number of operands are initialised.
template <int kMost>
struct LoopNest {
  static constexpr int kMaxOperands = kMost;

  int num_operands = 0;
  int rank = 0;
  std::int64_t shape[PATCHBAY_MAX_RANK];
  std::int64_t strides[kMost][PATCHBAY_MAX_RANK];  // in elements

  LoopNest() = default;
  explicit LoopNest(int operands) : num_operands(operands) {}

  /// Adds an innermost dimension; ignores a dimension of one element.
  void add(std::int64_t size, std::initializer_list<std::int64_t> steps) noexcept {
    add(size, [&](int op) { return steps.begin()[op]; });
  }
  /// `stride_of(operand)` returns the strides of an operand.
  template <class StrideOf>
  void add(std::int64_t size, const StrideOf& stride_of) noexcept {
    if (size == 1) return;
    shape[rank] = size;
    for (int op = 0; op < num_operands; ++op) strides[op][rank] = stride_of(op);
    ++rank;
  }
  /// Adds outer dimensions of one element until the rank is `least`.
  void pad(int least) noexcept {
    for (; rank < least; ++rank) {
      for (int d = rank; d > 0; --d) move(d - 1, d);
      shape[0] = 1;
      for (int op = 0; op < num_operands; ++op) strides[op][0] = 0;
    }
  }

  /// Sorts smaller strides inwards: by operand 0, then by the next operands.
  void sort() noexcept {
    for (int d = 1; d < rank; ++d) {
      for (int e = d; e > 0 && is_inner(e - 1, e); --e) exchange(e - 1, e);
    }
  }
  /// Merges neighbouring dimensions that all operands traverse with one stride.
  void merge() noexcept {
    int last = 0;  // the dimension that later ones are merged into
    for (int d = 1; d < rank; ++d) {
      if (can_merge(last, d)) {
        const std::int64_t size = shape[last];
        move(d, last);
        shape[last] *= size;
      } else if (++last != d) {
        move(d, last);
      }
    }
    if (rank > 0) rank = last + 1;
  }
  void collapse() noexcept {
    sort();
    merge();
  }

  std::int64_t num_elements() const noexcept { return num_rows() * inner_size(); }
  std::int64_t inner_size() const noexcept { return rank == 0 ? 1 : shape[rank - 1]; }
  std::int64_t inner_stride(int operand) const noexcept {
    if (operand >= num_operands) return 0;
    return rank == 0 ? 1 : strides[operand][rank - 1];
  }
  /// The number of runs of the innermost loop.
  std::int64_t num_rows() const noexcept {
    std::int64_t rows = 1;
    for (int d = 0; d + 1 < rank; ++d) rows *= shape[d];
    return rows;
  }
  /// Whether the elements of each operand are contiguous. Call it after merging.
  bool is_dense() const noexcept {
    bool dense = rank <= 1;
    for (int op = 0; op < num_operands; ++op) dense = dense && inner_stride(op) == 1;
    return dense;
  }
  /// Exchanges two dimensions.
  void exchange(int a, int b) noexcept {
    std::swap(shape[a], shape[b]);
    for (int op = 0; op < num_operands; ++op) std::swap(strides[op][a], strides[op][b]);
  }
  /// The offset of an operand's last element.
  std::int64_t last_offset(int operand) const noexcept {
    std::int64_t last = 0;
    for (int d = 0; d < rank; ++d) last += (shape[d] - 1) * strides[operand][d];
    return last;
  }

 private:
  void move(int from, int to) noexcept {
    shape[to] = shape[from];
    for (int op = 0; op < num_operands; ++op) strides[op][to] = strides[op][from];
  }
  /// Whether dimension `a` belongs inside dimension `b`.
  bool is_inner(int a, int b) const noexcept {
    for (int op = 0; op < num_operands; ++op) {
      if (strides[op][a] != strides[op][b]) return strides[op][a] < strides[op][b];
    }
    return false;
  }
  bool can_merge(int outer, int inner) const noexcept {
    for (int op = 0; op < num_operands; ++op) {
      if (strides[op][outer] != strides[op][inner] * shape[inner]) return false;
    }
    return true;
  }
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_LOOP_NEST_HPP_
