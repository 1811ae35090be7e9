// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/operands/operand.hpp"

#include <cstring>
#include <string>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/operands/half.hpp"

namespace patchbay::cpu {

ScalarCell cell_of(std::uint8_t dtype, double value) {
  ScalarCell cell;
  const auto narrow = static_cast<float>(value);
  if (dtype == PATCHBAY_F64) {
    std::memcpy(&cell.bits, &value, sizeof value);
  } else {
    std::memcpy(&cell.bits, &narrow, sizeof narrow);
  }
  return cell;
}

ScalarCell convert_scalar(const patchbay_argument& scalar, std::uint8_t to_dtype) {
  const std::uint64_t bits = scalar.value.bits;
  const auto half = static_cast<std::uint16_t>(bits);
  if (scalar.dtype == to_dtype) return {bits};
  if (scalar.dtype == PATCHBAY_U8 && to_dtype == PATCHBAY_BOOL)
    return {(bits & 0xff) != 0 ? 1U : 0};
  if (to_dtype == PATCHBAY_F32) {
    if (scalar.dtype == PATCHBAY_F16) return {bits_of_f32(to_f32(F16{half}))};
    if (scalar.dtype == PATCHBAY_BF16) return {bits_of_f32(to_f32(Bf16{half}))};
  }
  plugin::invalid_argument("a scalar of " + dtype_name(scalar.dtype) + " where one of " +
                           dtype_name(to_dtype) + " is expected");
}

}  // namespace patchbay::cpu
