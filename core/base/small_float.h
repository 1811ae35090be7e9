// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Converts the 16-bit floating formats.
#ifndef PATCHBAY_CORE_BASE_SMALL_FLOAT_H_
#define PATCHBAY_CORE_BASE_SMALL_FLOAT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace patchbay::base {

/// Sign, exponent and mantissa, from the highest bit down, as in IEEE 754.
struct SmallFloat {
  int exponent_bits, mantissa_bits;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint16_t infinity() const {
    return static_cast<std::uint16_t>(((1u << exponent_bits) - 1) << mantissa_bits);
  }
};
inline constexpr SmallFloat kHalf{5, 10};
inline constexpr SmallFloat kBrain{8, 7};

/// Rounds once, to nearest even. Infinity if the value is too large.
inline std::uint16_t encode(SmallFloat format, double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000u : 0u);
  const std::uint16_t infinity = format.infinity();
  if (std::isnan(value)) return static_cast<std::uint16_t>(infinity | 1u << 6);
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);
  // Below the smallest normal number the exponent stays and the mantissa loses its leading one.
  exponent = std::max(exponent - 1, 1 - format.bias());
  const double scaled = std::ldexp(std::fabs(value), format.mantissa_bits - exponent);
  // The leading one of a normal number adds itself to the exponent field, and so does a carry.
  const double bits =
      std::nearbyint(scaled) + std::ldexp(exponent + format.bias() - 1, format.mantissa_bits);
  const double limited = std::min(bits, static_cast<double>(infinity));
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(limited));
}

inline double decode(SmallFloat format, std::uint16_t bits) {
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  const int exponent = (bits & 0x7fff) >> format.mantissa_bits;
  double value = 0;
  if (exponent == (1 << format.exponent_bits) - 1) {
    value = mantissa != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - format.bias() - format.mantissa_bits);
  } else {
    value = std::ldexp(mantissa + (1 << format.mantissa_bits),
                       exponent - format.bias() - format.mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

}  // namespace patchbay::base

#endif  // PATCHBAY_CORE_BASE_SMALL_FLOAT_H_
