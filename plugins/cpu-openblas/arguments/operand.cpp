// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/arguments/operand.hpp"

#include <cstring>
#include <string>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/arguments/half.hpp"

namespace patchbay::cpu {
namespace {

std::uint16_t value_bits(const patchbay_argument& scalar) {
  return static_cast<std::uint16_t>(scalar.value.bits);
}

template <class T>
T read_as(const patchbay_argument& scalar) {
  const auto value = [&](auto zero) {
    std::memcpy(&zero, &scalar.value.bits, sizeof(zero));
    return static_cast<T>(zero);
  };
  switch (scalar.dtype) {
    case PATCHBAY_F32: return value(float{});
    case PATCHBAY_F64: return value(double{});
    case PATCHBAY_F16: return static_cast<T>(to_f32(F16{value_bits(scalar)}));
    case PATCHBAY_BF16: return static_cast<T>(to_f32(Bf16{value_bits(scalar)}));
    case PATCHBAY_I32: return value(std::int32_t{});
    case PATCHBAY_I64: return value(std::int64_t{});
    case PATCHBAY_U8: return value(std::uint8_t{});
    default: plugin::invalid_argument("a scalar can't be of type " + dtype_name(scalar.dtype));
  }
}

template <class T>
ScalarCell cell_of(T value) {
  ScalarCell cell;
  std::memcpy(&cell.bits, &value, sizeof(value));
  return cell;
}

}  // namespace

ScalarCell convert_scalar(const patchbay_argument& scalar, std::uint8_t to_dtype) {
  if (scalar.dtype == to_dtype) return {scalar.value.bits};
  switch (to_dtype) {
    case PATCHBAY_F32: return cell_of(read_as<float>(scalar));
    case PATCHBAY_F64: return cell_of(read_as<double>(scalar));
    case PATCHBAY_F16: return cell_of(to_f16(to_odd_f32(read_as<double>(scalar))));
    case PATCHBAY_BF16: return cell_of(to_bf16(to_odd_f32(read_as<double>(scalar))));
    case PATCHBAY_I32: return cell_of(read_as<std::int32_t>(scalar));
    case PATCHBAY_I64: return cell_of(read_as<std::int64_t>(scalar));
    case PATCHBAY_U8: return cell_of(read_as<std::uint8_t>(scalar));
    case PATCHBAY_BOOL: return cell_of<std::uint8_t>(read_as<double>(scalar) != 0.0 ? 1 : 0);
    default: plugin::invalid_argument("no scalar of type " + dtype_name(to_dtype));
  }
}

}  // namespace patchbay::cpu
