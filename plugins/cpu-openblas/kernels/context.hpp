// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_CONTEXT_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_CONTEXT_HPP_

#include <cstdint>
#include <memory>
#include <string>

#include "patchbay/plugin/kernels/operators.h"
#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/products/libraries.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// What a kernel is made from.
struct Context {
  const patchbay_kernel_spec& spec;
  Workers& workers;
  Libraries& libraries;

  std::string name() const { return std::string(plugin::from_abi(spec.op)); }
  const SimdTable& simd() const { return libraries.simd(); }
  const patchbay_argument_spec& argument(int i) const { return spec.arguments[i]; }
  std::uint8_t dtype(int i) const { return spec.arguments[i].dtype; }
};

/// The index of the dtype's row; unknown dtypes have the empty row 0.
inline int index_of(std::uint8_t dtype) { return dtype < kNumDtypes ? dtype : 0; }
/// Throws `unsupported`: the operator has no kernel for the dtype.
[[noreturn]] inline void refuse(const Context& context, std::uint8_t dtype) {
  plugin::unsupported(context.name() + " has no kernel for " + dtype_name(dtype) + " on cpu");
}
/// The loop of that dtype. Throws `unsupported` if there is none.
inline Row checked(const Context& context, const Row (&rows)[kNumDtypes], std::uint8_t dtype) {
  const Row row = rows[index_of(dtype)];
  if (row == nullptr) refuse(context, dtype);
  return row;
}

std::unique_ptr<plugin::Kernel> prepare_arange(const Context& context);
std::unique_ptr<plugin::Kernel> prepare_permutation(const Context& context);
enum RandomOp { kUniform, kNormal, kIntegers, kMask };
/// `op`: a RandomOp.
std::unique_ptr<plugin::Kernel> prepare_random(const Context& context, int op);

// The operators along a dimension. Each function is in the file named after its operator.
#define PATCHBAY_DECLARED(name, ...) \
  std::unique_ptr<plugin::Kernel> prepare_##name(const Context& context);
PATCHBAY_OPERATORS_DIMENSION(PATCHBAY_DECLARED)
#undef PATCHBAY_DECLARED

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_CONTEXT_HPP_
