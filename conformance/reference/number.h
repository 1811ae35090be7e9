// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The types of elements, and those in which references are computed.
#ifndef PATCHBAY_CONFORMANCE_REFERENCE_NUMBER_H_
#define PATCHBAY_CONFORMANCE_REFERENCE_NUMBER_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace patchbay::conformance {

/// An element of dtype bool as a byte, because std::vector<bool> has no bytes.
enum class Bool : std::uint8_t { kFalse = 0, kTrue = 1 };

/// A 16-bit float: sign, exponent and fraction from the highest bit down, as in IEEE 754. It
/// converts to float, so that expressions of it are computed in f32, and rounds once when it is
/// made of a result.
template <int kExponentBits, int kFractionBits>
class Half {
 public:
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;

  constexpr Half() = default;
  /// To nearest, of two the even one; too large numbers become infinite.
  template <class Number>
  requires std::is_arithmetic_v<Number> Half(Number value)  // NOLINT(google-explicit-constructor)
      : bits_(rounded(static_cast<long double>(value))) {}
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

  static std::uint16_t rounded(long double value) {
    if (std::isnan(value)) return nan().bits_;
    // The last place of the result has this exponent; 0 stays below the normal numbers.
    const int least = 1 - kBias - kFractionBits;
    const int last = value == 0 || std::isinf(value) ? least : std::ilogb(value) - kFractionBits;
    const int place = std::max(last, least);
    // A carry out of the fraction adds one to the exponent, as the leading bit of a normal number
    // does. Not nearbyint: it restores the flags of the floating-point unit, which takes longer.
    const long double units = std::rint(std::ldexp(std::fabs(value), -place));
    const long double code = units + std::ldexp(place - least, kFractionBits);
    const auto most = static_cast<long double>(kSpecial << kFractionBits);
    const auto size = static_cast<int>(std::min(code, most));
    return static_cast<std::uint16_t>(size | (std::signbit(value) ? 0x8000 : 0));
  }

  std::uint16_t bits_ = 0;
};
using F16 = Half<5, 10>;
using Bf16 = Half<8, 7>;

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, F16> || std::is_same_v<T, Bf16>;
template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsHalf<T>;
template <class T>
inline constexpr bool kIsBool = std::is_same_v<T, bool> || std::is_same_v<T, Bool>;

/// The type in which a kernel computes.
template <class T>
using Computed = std::conditional_t<kIsHalf<T>, float, T>;

/// The type of references: f64 for f32, f16 and bf16, what the host has beyond for f64, and that of
/// the elements for integers, which wrap.
template <class T>
using Exact =
    std::conditional_t<std::is_same_v<T, double>, long double,
                       std::conditional_t<std::is_same_v<T, float> || kIsHalf<T>, double, T>>;

/// What sums of T are: floats and u64 keep their type, all others become i64.
template <class T>
using SumOf = std::conditional_t<kIsFloat<T> || std::is_same_v<T, std::uint64_t>, T, std::int64_t>;

/// A sum of terms, and of their magnitudes, which its error is relative to.
template <class E>
struct Term {
  E value{}, scale{};

  void add(E term) { add(term, std::fabs(term)); }
  void add(E term, E magnitude) {
    value += term;
    scale += magnitude;
  }
};

}  // namespace patchbay::conformance

template <int kExponentBits, int kFractionBits>
class std::numeric_limits<patchbay::conformance::Half<kExponentBits, kFractionBits>> {
  using Half = patchbay::conformance::Half<kExponentBits, kFractionBits>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr int digits = kFractionBits + 1;
  static constexpr int min_exponent = 2 - Half::kBias;
  static constexpr Half min() { return Half::of_bits(1 << kFractionBits); }
  static constexpr Half denorm_min() { return Half::of_bits(1); }
  static constexpr Half max() { return Half::of_bits(Half::infinity().bits() - 1); }
  static constexpr Half lowest() { return Half::of_bits(max().bits() | 0x8000); }
  static constexpr Half infinity() { return Half::infinity(); }
  // NOLINTNEXTLINE(readability-identifier-naming)
  static constexpr Half quiet_NaN() { return Half::nan(); }
  static Half epsilon() { return std::ldexp(1.0, -kFractionBits); }
};

#endif  // PATCHBAY_CONFORMANCE_REFERENCE_NUMBER_H_
