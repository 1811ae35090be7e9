// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "common/portable/gemm_problem.hpp"

#include <utility>

namespace patchbay::portable {
namespace {

void check_shapes(const patchbay_argument& out, const patchbay_argument& a,
                  const patchbay_argument& b) {
  const bool fit = out.rank == 2 && a.rank == 2 && b.rank == 2 && out.shape[0] == a.shape[0] &&
                   out.shape[1] == b.shape[1] && a.shape[1] == b.shape[0];
  if (!fit) plugin::invalid_argument("gemm.1: expected [m, n], [m, k], [k, n]");
  for (const patchbay_argument* matrix : {&out, &a, &b}) {
    const bool row = matrix->shape[1] <= 1 || matrix->strides[1] == 1;
    const bool column = matrix->shape[0] <= 1 || matrix->strides[0] == 1;
    if (!row && !column) plugin::invalid_argument("gemm.1: a matrix has no unit stride");
  }
}

}  // namespace

std::uint8_t check_gemm(Specs specs, const Traits& traits) {
  check_specs("gemm.1", "ottss", specs, traits);
  const std::uint8_t dtype = specs[0].dtype;
  for (const auto& argument : specs) {
    if (argument.dtype != dtype) refuse("gemm.1", specs);
  }
  if (!is_float(dtype) && !is_signed_integer(dtype)) refuse("gemm.1", specs);
  return dtype;
}

GemmProblem gemm_problem(plugin::Arguments arguments) {
  patchbay_argument out = arguments[0], a = arguments[1], b = arguments[2];
  check_shapes(out, a, b);
  if (out.strides[1] != 1 && out.shape[1] != 1) {
    std::swap(a, b);
    for (patchbay_argument* matrix : {&out, &a, &b}) {
      std::swap(matrix->shape[0], matrix->shape[1]);
      std::swap(matrix->strides[0], matrix->strides[1]);
    }
  }
  const GemmSizes sizes = {out.shape[0], out.shape[1], a.shape[1],   a.strides[0],
                           a.strides[1], b.strides[0], b.strides[1], out.strides[0]};
  const bool nothing = sizes.k == 0;
  return {sizes, out.value.memory, nothing ? out.value.memory : a.value.memory,
          nothing ? out.value.memory : b.value.memory};
}

std::string gemm_type(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_I32: return "u32";
    case PATCHBAY_I64: return "u64";
    default: return element_type(dtype);
  }
}

}  // namespace patchbay::portable
