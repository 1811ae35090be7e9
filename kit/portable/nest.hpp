// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The dimensions that the operands of a launch are walked along, as few as their strides allow.
#ifndef PATCHBAY_KIT_PORTABLE_NEST_HPP_
#define PATCHBAY_KIT_PORTABLE_NEST_HPP_

#include <array>
#include <cstdint>

#include "patchbay/plugin/types.h"

namespace patchbay::portable {

struct Dim {
  std::int64_t size = 1;
  std::array<std::int64_t, 4> strides{};  // of up to four operands, in elements
};

struct Nest {
  int rank = 0;
  std::array<Dim, PATCHBAY_MAX_RANK> dims{};

  std::int64_t num_elements() const;
  void add(const Dim& dim) { dims[static_cast<std::size_t>(rank++)] = dim; }
  Dim& at(int i) { return dims[static_cast<std::size_t>(i)]; }
  const Dim& at(int i) const { return dims[static_cast<std::size_t>(i)]; }

  /// Drops dimensions of size 1 and merges neighbours that all operands walk evenly.
  void merge();
  /// Puts the dimensions with the smallest strides last: operand `first` decides, then the others.
  void sort(std::size_t first);
};

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_NEST_HPP_
