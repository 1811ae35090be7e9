// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The matrices of a launch as the vendors' libraries take them.
#ifndef PATCHBAY_KIT_CARD_KERNELS_MATRICES_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_MATRICES_HPP_

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <utility>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/kernels/products.hpp"

namespace patchbay::card {

/// An operand's extents and strides by axis. Messages begin with the operator's name.
struct Matrix {
  const char* op;
  plugin::Memory memory;
  std::int64_t shape[2], strides[2];

  Matrix(const char* of, const patchbay_argument& argument)
      : op(of),
        memory(argument.value.memory),
        shape{argument.shape[0], argument.shape[1]},
        strides{argument.strides[0], argument.strides[1]} {}

  void transpose() {
    std::swap(shape[0], shape[1]);
    std::swap(strides[0], strides[1]);
  }
  /// Whether its lines along `axis` are contiguous and do not overlap. Along an axis of at most one
  /// element any stride is valid.
  bool has_lines(int axis) const {
    const bool is_contiguous = strides[axis] == 1 || shape[axis] <= 1;
    return is_contiguous && (shape[1 - axis] <= 1 || strides[1 - axis] >= shape[axis]);
  }
};

/// The distance between the lines along the contiguous `axis`. Lines must not overlap.
inline int leading(const Matrix& matrix, int axis) {
  const std::int64_t least = std::max<std::int64_t>(matrix.shape[axis], 1);
  const bool is_line = matrix.shape[1 - axis] <= 1;
  const std::int64_t distance = is_line ? least : matrix.strides[1 - axis];
  if (distance < least) {
    plugin::unsupported(std::string(matrix.op) +
                        ": a matrix repeats its lines; copy it to a contiguous one first");
  }
  if (distance > INT_MAX) {
    plugin::unsupported(std::string(matrix.op) + ": a stride over 2^31 - 1 is not supported");
  }
  return static_cast<int>(distance);
}

/// A row-major matrix is the transpose of a column-major one.
inline Product::Matrix by_columns(const Matrix& matrix) {
  if (matrix.has_lines(0)) return {matrix.memory, leading(matrix, 0), false};
  if (matrix.strides[1] != 1 && matrix.shape[1] > 1) {
    plugin::invalid_argument(std::string(matrix.op) + ": a matrix has no unit stride");
  }
  return {matrix.memory, leading(matrix, 1), true};
}

inline int extent(const char* op, std::int64_t size) {
  if (size > INT_MAX) {
    plugin::unsupported(std::string(op) + ": an extent over 2^31 - 1 is not supported");
  }
  return static_cast<int>(size);
}

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_MATRICES_HPP_
