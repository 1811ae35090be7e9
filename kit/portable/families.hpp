// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Prepares the kernels of each family of operators, for specs that were checked. All functions
// throw `unsupported` with the reason.
#ifndef PATCHBAY_KIT_PORTABLE_FAMILIES_HPP_
#define PATCHBAY_KIT_PORTABLE_FAMILIES_HPP_

#include <memory>

#include "patchbay/plugin/kernels/operators.h"

#include "kit/portable/base/backend.hpp"

namespace patchbay::portable {

using Prepared = std::unique_ptr<plugin::Kernel>;

Prepared prepare_factor(Backend& backend, const patchbay_kernel_spec& spec);
Prepared prepare_permutation(Backend& backend);
Prepared prepare_random(Backend& backend, const patchbay_kernel_spec& spec);
Prepared prepare_reduction(Backend& backend, const patchbay_kernel_spec& spec);

// The operators with a kernel of their own.
#define PATCHBAY_DECLARED(name, ...) \
  Prepared prepare_##name(Backend& backend, const patchbay_kernel_spec& spec);
PATCHBAY_OPERATORS_DIMENSION(PATCHBAY_DECLARED)
PATCHBAY_OPERATORS_MATRIX(PATCHBAY_DECLARED)
PATCHBAY_OPERATORS_WINDOW(PATCHBAY_DECLARED)
PATCHBAY_OPERATORS_ROW(PATCHBAY_DECLARED)
PATCHBAY_OPERATORS_TRANSFORM(PATCHBAY_DECLARED)
#undef PATCHBAY_DECLARED

// Composite operators with a kernel in the dialect.
Prepared prepare_max_pool2d_input(Backend& backend, const patchbay_kernel_spec& spec);
Prepared prepare_moment(Backend& backend, const patchbay_kernel_spec& spec);

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_FAMILIES_HPP_
