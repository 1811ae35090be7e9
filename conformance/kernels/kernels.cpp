// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chapter kernels: compares each operator with a plain loop.
#include <iterator>

#include "conformance/kernels/parts.h"

namespace patchbay::conformance {

std::vector<Check> kernels_checks() {
  std::vector<Check> all;
  for (auto* part : {launching_checks, creation_checks, function_checks, choice_checks,
                     comparison_checks, reduction_checks, gemm_checks, random_checks,
                     indexing_checks, window_checks, ordering_checks, row_checks, factor_checks,
                     eigen_checks, transform_checks, composite_checks, fused_checks}) {
    std::vector<Check> checks = part();
    std::move(checks.begin(), checks.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace patchbay::conformance
