// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Creates the kernel for an operator's name and types.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERATORS_OPERATORS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERATORS_OPERATORS_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/products/libraries.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// Throws `unsupported` with the reason if this plugin has no such kernel. Kernels take any shapes
/// and strides; those of the spec are not used.
std::unique_ptr<plugin::Kernel> prepare_operator(const patchbay_kernel_spec& spec, Workers& workers,
                                                 Libraries& libraries);

/// The loop of an elementwise operator ("add.1") whose last operand is of `dtype`, and the
/// cost of an element relative to its memory traffic.
struct ElementwiseRow {
  Row row;    // for one or two operands
  Row3 row3;  // for three operands
  int cost;
};
/// Both are null if there is none.
ElementwiseRow find_row(const SimdTable& simd, std::string_view name, std::uint8_t dtype);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERATORS_OPERATORS_HPP_
