// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/kernels/operators.hpp"

#include "patchbay/plugin/kit/error.hpp"

namespace fake {

const Operator* find_operator(std::string_view name) {
  for (const auto& family : {creation_operators(), binary_operators(), choice_operators(),
                             comparison_operators(), unary_operators(), reduction_operators(),
                             gemm_operators(), random_operators(), indexing_operators()}) {
    for (const Operator& candidate : family) {
      if (candidate.name == name) return &candidate;
    }
  }
  return nullptr;
}

void check_same_shapes(Views views) {
  for (const View& view : views) {
    if (view.rank != views[0].rank) patchbay::plugin::invalid_argument("ranks differ");
    for (std::size_t d = 0; d < static_cast<std::size_t>(view.rank); ++d) {
      if (view.shape[d] != views[0].shape[d]) patchbay::plugin::invalid_argument("shapes differ");
    }
  }
}

}  // namespace fake
