// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The dimensions that the tensors of a launch are walked along, as few as their strides allow.
#ifndef PATCHBAY_KIT_EXPRESSION_WALK_HPP_
#define PATCHBAY_KIT_EXPRESSION_WALK_HPP_

#include <cstddef>
#include <cstdint>

#include "kit/expression/program.hpp"

namespace patchbay::expression {

struct Walk {
  struct Dim {
    std::int64_t size = 1;
    std::int64_t strides[kMaxTensors] = {};  // in elements
  };

  /// Of tensors of one shape, the first of which is an output: it decides the order, the smallest
  /// strides last. Dimensions of size 1 go, and neighbours that all walk evenly become one.
  Walk(plugin::Arguments tensors);

  std::int64_t num_elements() const {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < rank; ++d) count *= dims[d].size;
    return count;
  }
  /// Whether each tensor lies one element after the other.
  bool is_dense() const;

  std::size_t rank = 0, num_tensors;
  Dim dims[PATCHBAY_MAX_RANK];
};

}  // namespace patchbay::expression

#endif  // PATCHBAY_KIT_EXPRESSION_WALK_HPP_
