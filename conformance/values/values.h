// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operands for kernels: special values at which arithmetic tends to fail, then ordinary ones.
#ifndef PATCHBAY_CONFORMANCE_VALUES_VALUES_H_
#define PATCHBAY_CONFORMANCE_VALUES_VALUES_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "conformance/support/bytes.h"
#include "conformance/values/element.h"

namespace patchbay::conformance {

/// NaN, infinities, zeros, the ends of the range (nearly, for floats: quotients with the ends are
/// subnormal, and devices may flush these to zero).
template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, Bool>) {
    return {Bool::kFalse, Bool::kTrue};
  } else if constexpr (kIsFloat<T>) {
    const T large = Limits::max() / 16;
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            T(0.5),
            Limits::quiet_NaN(),
            Limits::infinity(),
            large,
            -large,
            T(-2.5),
            -Limits::infinity()};
  } else {
    return {T(0),
            T(1),
            T(2),
            T(7),
            static_cast<T>(-1),
            Limits::max(),
            Limits::min(),
            static_cast<T>(Limits::max() - 1)};
  }
}

/// Floats in [-100, 100); integers of any size, including small ones.
template <class T>
T ordinary_value(std::uint64_t seed) {
  const std::uint64_t bits = mix(seed);
  if constexpr (std::is_same_v<T, Bool>) {
    return bits % 2 == 0 ? Bool::kFalse : Bool::kTrue;
  } else if constexpr (kIsFloat<T>) {
    return static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53 * 200 - 100);
  } else {
    return static_cast<T>(bits % 3 == 0 ? bits / 3 % 16 : bits);
  }
}

/// A whole number of small absolute value, so that sums of many are exact.
template <class T>
T small_integer(std::uint64_t seed) {
  if constexpr (std::is_same_v<T, Bool>)
    return ordinary_value<Bool>(seed);
  else if constexpr (std::is_unsigned_v<T>)
    return static_cast<T>(mix(seed) % 9);
  else
    return static_cast<T>(static_cast<int>(mix(seed) % 9) - 4);
}

/// Like small_integer, but larger in 16-bit floats: sums of their products are exact in f32, and
/// need rounding in 16 bits.
template <class T>
T product_integer(std::uint64_t seed) {
  if constexpr (kIsHalf<T>)
    return static_cast<T>(static_cast<int>(mix(seed) % 63) - 31);
  else
    return small_integer<T>(seed);
}

/// Like ordinary_value, but smaller in 16-bit floats: sums of many are finite in f16.
template <class T>
T moderate_value(std::uint64_t seed) {
  const T value = ordinary_value<T>(seed);
  if constexpr (kIsHalf<T>) return static_cast<T>(value / 64);
  return value;
}

/// The operand number `operand` of element `index`: all pairs of special values come first.
template <class T>
T mixed_value(int operand, std::size_t index) {
  static const std::vector<T> specials = special_values<T>();
  const std::size_t count = specials.size();
  if (index < count * count) return specials[operand == 0 ? index % count : index / count];
  return ordinary_value<T>(index * 2 + static_cast<std::size_t>(operand));
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_VALUES_VALUES_H_
