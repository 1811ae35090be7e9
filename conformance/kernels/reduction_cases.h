// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Cases for reductions. A dimension is reduced if it has extent 1 in the result but not in the
// input.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_REDUCTION_CASES_H_
#define PATCHBAY_CONFORMANCE_KERNELS_REDUCTION_CASES_H_

#include <string>
#include <vector>

#include "conformance/values/layout.h"

namespace patchbay::conformance {

struct ReductionCase {
  std::string name;
  Layout in, out;

  /// The element of the result to which an element of the input belongs; row-major indices.
  std::size_t target(std::size_t index) const;
  /// Its position among the elements that are reduced to that result.
  std::size_t position(std::size_t index) const;
  /// Whether at most one dimension is reduced, or all are.
  bool is_along_one_axis_or_all() const;
};

std::vector<ReductionCase> reduction_cases();
/// Reductions of no elements, for which only sums have a result.
std::vector<ReductionCase> empty_reduction_cases();

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_REDUCTION_CASES_H_
