// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The 16-bit floats as types that references can be written in.
#ifndef PATCHBAY_TESTS_OPERATORS_SMALL_FLOAT_H_
#define PATCHBAY_TESTS_OPERATORS_SMALL_FLOAT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <patchbay/dtype.h>

namespace patchbay::test {

/// A number of that format, made by rounding once, to nearest even.
template <int kExponentBits, int kMantissaBits>
class SmallFloat {
 public:
  static constexpr int kMantissa = kMantissaBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;

  SmallFloat() = default;
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  SmallFloat(N value)  // NOLINT(google-explicit-constructor): as of a float
      : value_(rounded(static_cast<long double>(value))) {}
  operator float() const { return value_; }  // NOLINT(google-explicit-constructor): it is exact

  std::uint16_t bits() const {
    const int sign = std::signbit(value_) ? 0x8000 : 0;
    const int infinity = ((1 << kExponentBits) - 1) << kMantissaBits;
    if (std::isnan(value_)) return static_cast<std::uint16_t>(infinity | 1);
    if (std::isinf(value_)) return static_cast<std::uint16_t>(sign | infinity);
    const int exponent = exponent_of(static_cast<long double>(value_));
    const auto units = static_cast<int>(std::ldexp(std::fabs(value_), kMantissaBits - exponent));
    const bool is_normal = units >= 1 << kMantissaBits;
    return static_cast<std::uint16_t>(
        sign | (is_normal ? units + ((exponent + kBias - 1) << kMantissaBits) : units));
  }

 private:
  /// Of the leading bit; subnormal numbers have the least.
  static int exponent_of(long double value) {
    int exponent = 0;
    std::frexp(value, &exponent);
    return value == 0 ? 1 - kBias : std::max(exponent - 1, 1 - kBias);
  }
  static float rounded(long double value) {
    if (!std::isfinite(value)) return static_cast<float>(value);
    const int exponent = exponent_of(value);
    // Not nearbyint: it restores the flags of the floating-point unit, which takes much longer.
    const long double units = std::rint(std::ldexp(value, kMantissaBits - exponent));
    const long double result = std::ldexp(units, exponent - kMantissaBits);
    const long double limit = std::ldexp(1.0L, kBias + 1);
    return static_cast<float>(std::fabs(result) >= limit ? std::copysign(HUGE_VALL, value)
                                                         : result);
  }

  float value_ = 0;
};

using F16 = SmallFloat<5, 10>;
using Bf16 = SmallFloat<8, 7>;

template <class T>
constexpr bool kIsSmall = std::is_same_v<T, F16> || std::is_same_v<T, Bf16>;
template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsSmall<T>;

/// patchbay's, and of these.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, F16>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, Bf16>)
    return DType::bf16;
  else
    return patchbay::dtype_of<T>();
}

}  // namespace patchbay::test

template <int kExponentBits, int kMantissaBits>
class std::numeric_limits<patchbay::test::SmallFloat<kExponentBits, kMantissaBits>> {
 public:
  using T = patchbay::test::SmallFloat<kExponentBits, kMantissaBits>;
  static constexpr int digits = kMantissaBits + 1;
  static T infinity() { return HUGE_VAL; }
  static T quiet_NaN() { return std::nan(""); }
  static T min() { return std::ldexp(1.0, 1 - T::kBias); }
  static T denorm_min() { return std::ldexp(1.0, 1 - T::kBias - kMantissaBits); }
  static T max() { return std::ldexp(2.0 - std::ldexp(1.0, -kMantissaBits), T::kBias); }
  static T lowest() { return -static_cast<float>(max()); }
};

#endif  // PATCHBAY_TESTS_OPERATORS_SMALL_FLOAT_H_
