// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/kernels/context.hpp"

#include "cpu-openblas/operands/operand.hpp"

namespace patchbay::cpu {

void refuse(const Context& context, std::uint8_t dtype) {
  plugin::unsupported(context.name() + " has no kernel for " + dtype_name(dtype) + " on cpu");
}

Row checked(const Context& context, const Row (&rows)[kNumDtypes], std::uint8_t dtype) {
  const Row row = rows[index_of(dtype)];
  if (row == nullptr) refuse(context, dtype);
  return row;
}

}  // namespace patchbay::cpu
