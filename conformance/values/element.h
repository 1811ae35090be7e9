// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The dtypes of element types, and how elements are compared.
#ifndef PATCHBAY_CONFORMANCE_VALUES_ELEMENT_H_
#define PATCHBAY_CONFORMANCE_VALUES_ELEMENT_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include <patchbay/patchbay.h>

#include "conformance/reference/elementwise.h"

namespace patchbay::conformance {

template <class T>
constexpr DType dtype_of_element() {
  if constexpr (std::is_same_v<T, Bool>)
    return DType::boolean;
  else if constexpr (std::is_same_v<T, F16>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, Bf16>)
    return DType::bf16;
  else
    return dtype_of<T>();
}

/// Calls body with a value of each storage type.
template <class Body>
void for_storage_types(const Body& body) {
  body(std::int8_t{});
  body(std::int16_t{});
  body(std::uint16_t{});
  body(std::uint32_t{});
  body(std::uint64_t{});
}

template <class T>
std::string show_element(T value) {
  if constexpr (std::is_same_v<T, Bool>)
    return std::to_string(static_cast<int>(value));
  else
    return fmt::format("{}", Computed<T>(value));
}

/// The distance of two floats in units of the last place; 0 for two NaNs and for -0 and +0.
template <class T>
double ulps_between(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
  }
  using Bits = std::conditional_t<sizeof(T) == 2, std::int16_t,
                                  std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  const auto ordered = [](T value) {
    const auto bits = std::bit_cast<Bits>(value);
    return static_cast<long double>(bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits);
  };
  return static_cast<double>(std::fabs(ordered(a) - ordered(b)));
}

/// Integers and bools must be equal; floats may differ by `ulps` units of the last place.
/// 16-bit results below the normal numbers are not checked, because devices may flush them.
template <class T>
bool is_close(T got, T expected, double ulps) {
  if constexpr (kIsHalf<T>) {
    constexpr T kNormal = std::numeric_limits<T>::min();
    if (std::fabs(expected) < kNormal && std::fabs(got) <= kNormal) return true;
  }
  if constexpr (kIsFloat<T>)
    return ulps_between(got, expected) <= ulps;
  else
    return got == expected;
}

/// How far a result may be from `value`, the exact one: so many units of the precision in which it
/// is computed, relative to the magnitude of its terms. 16-bit floats are rounded once more, by
/// half a unit at most; below the normal ones they may be flushed.
template <class T>
double room_for(double value, double magnitude, double units) {
  const double own = units * magnitude * double{std::numeric_limits<Computed<T>>::epsilon()};
  if constexpr (!kIsHalf<T>) return own;
  const double least = double{std::numeric_limits<T>::min()}, size = std::fabs(value) + own;
  return own + (size < least ? least : size * double{std::numeric_limits<T>::epsilon()} / 2);
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_VALUES_ELEMENT_H_
