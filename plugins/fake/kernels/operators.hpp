// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The list of operators: each kernels_*.cpp adds a family to it.
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_OPERATORS_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_OPERATORS_HPP_

#include <cstdint>
#include <span>
#include <string_view>

#include "fake/kernels/view.hpp"

namespace fake {

using Function = void (*)(Views);
using Specs = std::span<const patchbay_argument_spec>;

struct Operator {
  std::string_view name;
  /// One letter an argument: o an output tensor, t an input tensor, s a scalar, a a tensor or
  /// scalar.
  std::string_view arguments;
  /// The kernel for these dtypes, null if there is none. The kinds are checked before.
  Function (*choose)(Specs);
  /// Throws if the shapes do not fit together.
  void (*check)(Views);
};

std::span<const Operator> creation_operators();
std::span<const Operator> binary_operators();
std::span<const Operator> choice_operators();
std::span<const Operator> comparison_operators();
std::span<const Operator> unary_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> gemm_operators();
std::span<const Operator> random_operators();
std::span<const Operator> indexing_operators();

/// Null if there is none of that name.
const Operator* find_operator(std::string_view name);

// Shape checks that several families share.
void check_same_shapes(Views views);

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_OPERATORS_HPP_
