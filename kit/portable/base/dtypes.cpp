// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/base/dtypes.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "patchbay/plugin/kernels/operators.h"

#include "kSmallFloatsText.text.h"
#include "kit/portable/base/text.hpp"

namespace patchbay::portable {
namespace {

std::string list(Specs specs) {
  std::string text = "(";
  for (const auto& spec : specs) {
    if (text.size() > 1) text += ", ";
    if (spec.kind == PATCHBAY_SCALAR) text += "scalar ";
    text += dtype_name(spec.dtype);
  }
  return text + ")";
}

std::string hexadecimal(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

/// The decimal point is a point in every locale; that of "%a" is not.
std::string hexadecimal(double number) {
  char text[40];
  const auto written =
      std::to_chars(text, text + sizeof text, std::fabs(number), std::chars_format::hex);
  return (std::signbit(number) ? "-0x" : "0x") + std::string(text, written.ptr);
}

std::string f64_text(double value) {
  if (std::isnan(value)) return "(f64)PATCHBAY_NAN";
  if (std::isinf(value)) return value > 0 ? "(f64)PATCHBAY_INFINITY" : "-(f64)PATCHBAY_INFINITY";
  return hexadecimal(value);
}

}  // namespace

std::string element_type(std::uint8_t dtype) {
  return std::string(kernels::find_dtype(dtype)->element_type);
}

std::string value_type(std::uint8_t dtype) {
  return is_small_float(dtype) ? "f32" : element_type(dtype);
}

std::string wrapping_type(std::uint8_t dtype) {
  if (is_float(dtype)) return value_type(dtype);
  return element_bytes(dtype) == 8 ? "u64" : "u32";
}

std::string loaded(std::uint8_t dtype, const std::string& element) {
  if (is_small_float(dtype)) return "of_" + dtype_name(dtype) + "(" + element + ")";
  return dtype == PATCHBAY_BOOL ? "(u8)(" + element + " != 0 ? 1 : 0)" : element;
}

std::string stored(std::uint8_t dtype, const std::string& value) {
  return is_small_float(dtype) ? "to_" + dtype_name(dtype) + "(" + value + ")" : value;
}

std::string conversions_of(std::uint8_t dtype, const Traits& device) {
  if (!is_small_float(dtype)) return {};
  return define("HAS_F64", device.has_f64 ? 1 : 0) + kSmallFloatsText + "#undef HAS_F64\n";
}

std::string most_text(std::uint8_t dtype) {
  const std::size_t sign_bits = is_signed_integer(dtype) ? 1 : 0;
  const std::uint64_t most = UINT64_MAX >> (64 - 8 * element_bytes(dtype) + sign_bits);
  return "(" + element_type(dtype) + ")" + hexadecimal(most);
}
std::string least_text(std::uint8_t dtype) {
  return is_signed_integer(dtype) ? "(-" + most_text(dtype) + " - 1)"
                                  : "(" + element_type(dtype) + ")0";
}

std::string constant_text(std::uint8_t dtype, std::uint64_t bits) {
  static_assert(PATCHBAY_SET_FLOATS ==
                (PATCHBAY_SET_WIDE_FLOATS | PATCHBAY_BIT(F16) | PATCHBAY_BIT(BF16)));
  switch (dtype) {
    case PATCHBAY_F32: return "PATCHBAY_FROM_BITS(" + hexadecimal(bits) + "u)";
    case PATCHBAY_F64: return f64_text(std::bit_cast<double>(bits));
    case PATCHBAY_F16:
    case PATCHBAY_BF16: return loaded(dtype, "(u16)" + hexadecimal(bits));
    default: return "(" + element_type(dtype) + ")" + hexadecimal(bits);
  }
}

void check_device(std::string_view op, Specs specs, const Traits& device) {
  for (const auto& spec : specs) {
    if (spec.dtype == PATCHBAY_F64 && !device.has_f64) {
      plugin::unsupported(std::string(op) + ": this device (" + device.name + ") has no f64");
    }
    if (!is_known(spec.dtype)) refuse(op, specs);
  }
}

void refuse(std::string_view op, Specs specs) {
  plugin::unsupported(std::string(op) + ": no kernel for " + list(specs));
}

}  // namespace patchbay::portable
