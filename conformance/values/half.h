// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The 16-bit floats as element types. They convert to float, so that expressions of them are
// computed in f32, and round once when they are made of a result.
#ifndef PATCHBAY_CONFORMANCE_VALUES_HALF_H_
#define PATCHBAY_CONFORMANCE_VALUES_HALF_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <patchbay/patchbay.h>

namespace patchbay::conformance {

/// Sign, exponent and fraction from the highest bit down, as in IEEE 754.
template <DType dtype, int kExponentBits, int kFractionBits>
class Half {
 public:
  static constexpr DType kDtype = dtype;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;

  constexpr Half() = default;
  /// To nearest, of two the even one; too large numbers become infinite.
  template <class Number>
  requires std::is_arithmetic_v<Number> Half(Number value)  // NOLINT(google-explicit-constructor)
      : bits_(rounded(static_cast<double>(value))) {}
  operator float() const {  // NOLINT(google-explicit-constructor)
    const int exponent = (bits_ & 0x7fff) >> kFractionBits;
    const int fraction = bits_ & ((1 << kFractionBits) - 1);
    float size = 0;
    if (exponent == kSpecial) {
      using Limits = std::numeric_limits<float>;
      size = fraction == 0 ? Limits::infinity() : Limits::quiet_NaN();
    } else {
      const int leading = exponent == 0 ? 0 : 1 << kFractionBits;
      size = std::ldexp(static_cast<float>(fraction + leading),
                        std::max(exponent, 1) - kBias - kFractionBits);
    }
    return (bits_ & 0x8000) != 0 ? -size : size;
  }

  static constexpr Half of_bits(int bits) {
    Half result;
    result.bits_ = static_cast<std::uint16_t>(bits);
    return result;
  }
  constexpr std::uint16_t bits() const { return bits_; }

  static constexpr Half infinity() { return of_bits(kSpecial << kFractionBits); }
  static constexpr Half nan() { return of_bits((kSpecial << kFractionBits) + 1); }

 private:
  static constexpr int kSpecial = (1 << kExponentBits) - 1;

  static std::uint16_t rounded(double value) {
    if (std::isnan(value)) return nan().bits_;
    // The last place of the result has this exponent; 0 stays below the normal numbers.
    const int least = 1 - kBias - kFractionBits;
    const int last = value == 0 || std::isinf(value) ? least : std::ilogb(value) - kFractionBits;
    const int place = std::max(last, least);
    // A carry out of the fraction adds one to the exponent, as the leading bit of a normal number
    // does.
    const double units = std::nearbyint(std::ldexp(std::fabs(value), -place));
    const double code = units + std::ldexp(place - least, kFractionBits);
    const auto size = static_cast<int>(std::min(code, double{kSpecial << kFractionBits}));
    return static_cast<std::uint16_t>(size | (std::signbit(value) ? 0x8000 : 0));
  }

  std::uint16_t bits_ = 0;
};
using F16 = Half<DType::f16, 5, 10>;
using Bf16 = Half<DType::bf16, 8, 7>;

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, F16> || std::is_same_v<T, Bf16>;
template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsHalf<T>;

/// The type in which a kernel computes.
template <class T>
using Computed = std::conditional_t<kIsHalf<T>, float, T>;

}  // namespace patchbay::conformance

template <patchbay::DType dtype, int kExponentBits, int kFractionBits>
class std::numeric_limits<patchbay::conformance::Half<dtype, kExponentBits, kFractionBits>> {
  using Half = patchbay::conformance::Half<dtype, kExponentBits, kFractionBits>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr int min_exponent = 2 - Half::kBias;
  static constexpr Half min() { return Half::of_bits(1 << kFractionBits); }
  static constexpr Half max() { return Half::of_bits(Half::infinity().bits() - 1); }
  static constexpr Half infinity() { return Half::infinity(); }
  // NOLINTNEXTLINE(readability-identifier-naming)
  static constexpr Half quiet_NaN() { return Half::nan(); }
  static Half epsilon() { return std::ldexp(1.0, -kFractionBits); }
};

#endif  // PATCHBAY_CONFORMANCE_VALUES_HALF_H_
