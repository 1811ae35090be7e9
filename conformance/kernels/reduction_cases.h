// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What reductions are tried on. A dimension is reduced where the result has extent 1 and the input
// has not.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_REDUCTION_CASES_H_
#define PATCHBAY_CONFORMANCE_KERNELS_REDUCTION_CASES_H_

#include <string>
#include <vector>

#include "conformance/kernels/layout.h"

namespace patchbay::conformance {

struct ReductionCase {
  std::string name;
  Layout in, out;

  /// Which element of the result an element of the input belongs to; row-major indices.
  std::size_t target(std::size_t index) const;
  /// Its position among the elements that are reduced to that one.
  std::size_t position(std::size_t index) const;
  /// No more than one dimension is reduced, or all are.
  bool is_along_one_axis_or_all() const;
};

std::vector<ReductionCase> reduction_cases();
/// Over no elements at all, which only sums have a result for.
std::vector<ReductionCase> empty_reduction_cases();

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_REDUCTION_CASES_H_
