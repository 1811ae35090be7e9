// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// sin, cos, tan and atan2. Coefficients are from Moshier, Cephes Mathematical Library 2.8 (sin,
// sinf, atan, atanf), the parts of pi / 2 from Sun Microsystems, fdlibm (e_rem_pio2).
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TRIGONOMETRY_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TRIGONOMETRY_HPP_

#include "functions.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

/// An angle less `quadrant` right angles: `high` + `low`, at most pi / 4 in size.
template <class T>
struct Angle {
  T high, low;
  Bits<T> quadrant;  // modulo 4
};

/// Up to here n * kRight1 and n * kRight2 are exact. Larger angles take `huge_angle`.
constexpr double kOrdinary = 1e6;

template <class T>
PATCHBAY_INLINE bool is_ordinary_angle(T x) {
  return fabs(x) <= T(kOrdinary);  // false for NaN
}

// pi / 2: parts of 33 bits, each with what remains.
constexpr double kRight1 = 1.57079632673412561417, kRight2 = 6.07710050630396597660e-11,
                 kRight3 = 2.02226624871116645580e-21, kRightRest1 = 6.07710050650619224932e-11,
                 kRightRest3 = 8.47842766036889956997e-32;
constexpr double kPerRight = 0.63661977236758134308;  // 2 / pi

/// In f64, which makes one part and its rest enough.
PATCHBAY_INLINE Angle<float> ordinary_angle(float x) {
  const double wide = x;
  const double n = (wide * kPerRight + kRound64) - kRound64;
  const double r = (wide - n * kRight1) - n * kRightRest1;
  return {static_cast<float>(r), 0.0f, static_cast<std::uint32_t>(static_cast<std::int32_t>(n))};
}

/// Near a multiple of pi / 2 the first two differences cancel exactly.
PATCHBAY_INLINE Angle<double> ordinary_angle(double x) {
  const double shifted = x * kPerRight + kRound64;
  const double n = shifted - kRound64;
  const double first = x - n * kRight1;
  const double more = n * kRight2;
  const double second = first - more;
  const double third = n * kRight3;
  const double near = second - third;
  const double rest = (((first - second) - more) + ((second - near) - third)) - n * kRightRest3;
  const double high = near + rest;
  return {high, (near - high) + rest, bits_of(shifted)};
}

/// 2 / pi: 64 zeros, then the binary digits after the point.
constexpr std::uint64_t kDigits[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/// 64 digits from number `first` on.
PATCHBAY_INLINE std::uint64_t digits_from(unsigned first) {
  const unsigned word = first / 64, bit = first % 64;
  return bit == 0 ? kDigits[word] : kDigits[word] << bit | kDigits[word + 1] >> (64 - bit);
}

/// Payne and Hanek, Radian Reduction for Trigonometric Functions, SIGNUM Newsletter 18 (1983):
/// leading digits of 2 / pi whose product with x is a multiple of 4 are left out, and the next 192
/// are enough. |x| is above kOrdinary.
[[gnu::noinline]] inline Angle<double> huge_angle(double x) {
  __extension__ typedef unsigned __int128 Wide;
  const std::uint64_t bits = bits_of(fabs(x));
  const std::uint64_t m = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  const unsigned first = static_cast<unsigned>(bits >> 52) - 1075 + 62;
  // The product modulo 2^192 has two digits before the point.
  const Wide low = static_cast<Wide>(m) * digits_from(first + 128);
  const Wide middle = static_cast<Wide>(m) * digits_from(first + 64) + (low >> 64);
  const std::uint64_t top = m * digits_from(first) + static_cast<std::uint64_t>(middle >> 64);
  const auto next = static_cast<std::uint64_t>(middle), last = static_cast<std::uint64_t>(low);
  // The digits after the point, with a sign: the nearest whole number may be the next one.
  const Wide fraction = static_cast<Wide>(top << 2 | next >> 62) << 64 | (next << 2 | last >> 62);
  const bool is_above = (top >> 61 & 1) != 0;
  const Wide size = is_above ? -fraction : fraction;
  const auto upper = static_cast<std::uint64_t>(size >> 64);
  const int zeros = upper != 0 ? __builtin_clzll(upper) : 64;
  const auto leading = static_cast<std::uint64_t>(size << zeros >> 64);
  const double scale = from_bits(static_cast<std::uint64_t>(1023 - 64 - zeros) << 52);
  const double r = static_cast<double>(leading) * scale * 1.57079632679489661923;
  const std::uint64_t quadrant = (top >> 62) + (is_above ? 1 : 0);
  const bool is_negative = x < 0.0;
  return {is_above != is_negative ? -r : r, 0.0, is_negative ? 0 - quadrant : quadrant};
}

/// Exact for every finite angle; NaN for others.
PATCHBAY_INLINE Angle<double> any_angle(double x) {
  if (is_ordinary_angle(x)) return ordinary_angle(x);
  if (!(fabs(x) < __builtin_inf())) return {__builtin_nan(""), 0.0, 0};
  return huge_angle(x);
}
PATCHBAY_INLINE Angle<float> any_angle(float x) {
  if (is_ordinary_angle(x)) return ordinary_angle(x);
  const Angle<double> angle = any_angle(static_cast<double>(x));
  return {static_cast<float>(angle.high), 0.0f, static_cast<std::uint32_t>(angle.quadrant)};
}

template <class T>
struct SineCosine {
  T sine, cosine;
};
PATCHBAY_INLINE SineCosine<float> small_sine_cosine(float r, float) {
  const float z = r * r;
  const float s = polynomial(z, {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f});
  const float c =
      polynomial(z, {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f});
  return {s * z * r + r, c * z * z - 0.5f * z + 1.0f};
}
PATCHBAY_INLINE SineCosine<double> small_sine_cosine(double r, double low) {
  const double z = r * r, half = 0.5 * z;
  const double s = polynomial(
      z, {1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
          -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1});
  const double c = polynomial(
      z, {-1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
          2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2});
  const double whole = 1.0 - half;
  return {r + (s * z * r + low * whole), whole + (((1.0 - whole) - half) + (c * z * z - r * low))};
}

/// The sine where the quadrant is even, else the cosine; negative in the quadrants 2 and 3.
template <class T>
PATCHBAY_INLINE T turned_sine(const SineCosine<T>& of, Bits<T> quadrant) {
  const T size = (quadrant & 1) != 0 ? of.cosine : of.sine;
  return from_bits(bits_of(size) ^ (quadrant & 2) << (8 * sizeof(T) - 2));
}

// Of an angle and what it is reduced to. -0 stays.
struct Sine {
  template <class T>
  PATCHBAY_INLINE static T of(T x, const Angle<T>& angle) {
    const T result = turned_sine(small_sine_cosine(angle.high, angle.low), angle.quadrant);
    return x == T(0) ? x : result;
  }
};
struct Cosine {
  template <class T>
  PATCHBAY_INLINE static T of(T, const Angle<T>& angle) {
    return turned_sine(small_sine_cosine(angle.high, angle.low), angle.quadrant + 1);
  }
};
struct Tangent {
  template <class T>
  PATCHBAY_INLINE static T of(T x, const Angle<T>& angle) {
    const SineCosine<T> of = small_sine_cosine(angle.high, angle.low);
    const bool is_odd = (angle.quadrant & 1) != 0;
    const T result = (is_odd ? -of.cosine : of.sine) / (is_odd ? of.sine : of.cosine);
    return x == T(0) ? x : result;
  }
};

template <class T>
PATCHBAY_INLINE T sin(T x) {
  return Sine::of(x, any_angle(x));
}
template <class T>
PATCHBAY_INLINE T cos(T x) {
  return Cosine::of(x, any_angle(x));
}
template <class T>
PATCHBAY_INLINE T tan(T x) {
  return Tangent::of(x, any_angle(x));
}

/// For loops without the branch; Function is one of the three.
template <class Function>
struct OfOrdinaryAngles {
  static constexpr bool kExists = true;
  template <class T>
  PATCHBAY_INLINE static bool takes(T x) {
    return is_ordinary_angle(x);
  }
  template <class T>
  PATCHBAY_INLINE static T apply(T x) {
    return Function::of(x, ordinary_angle(x));
  }
};

/// The arc tangent of q, |q| <= kNearOne.
template <class T>
struct SmallAtan;
template <>
struct SmallAtan<float> {
  static constexpr float kNearOne = 0.41421356f;  // tan(pi / 8)
  PATCHBAY_INLINE static float of(float q) {
    const float z = q * q;
    return polynomial(
               z, {8.05374449538e-2f, -1.38776856032e-1f, 1.99777106478e-1f, -3.33329491539e-1f}) *
               z * q +
           q;
  }
};
template <>
struct SmallAtan<double> {
  static constexpr double kNearOne = 0.66;
  PATCHBAY_INLINE static double of(double q) {
    const double z = q * q;
    const double p = polynomial(
        z, {-8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
            -1.228866684490136173410e2, -6.485021904942025371773e1});
    const double d = polynomial(
        z, {1.0, 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2,
            4.853903996359136964868e2, 1.945506571482613964425e2});
    return q * (z * p / d) + q;
  }
};

/// The arc tangent of small / large is in [0, pi / 4]; above kNearOne it is
/// pi / 4 + atan((small - large) / (small + large)).
template <class T>
PATCHBAY_INLINE T atan2(T y, T x) {
  constexpr T kQuarter = T(0.78539816339744830962), kHalf = 2 * kQuarter, kWhole = 4 * kQuarter;
  constexpr T kRest = kSame<T, float> ? T(-2.18556941e-8) : T(3.061616997868383e-17);
  constexpr auto kInfinity = static_cast<T>(__builtin_inf());
  constexpr T kLarge = kSame<T, float> ? T(1e38) : T(1e308);  // the sum does not overflow
  // Products with subnormal numbers lose bits.
  constexpr T kTiny = kSame<T, float> ? T(1e-30) : T(1e-290),
              kUp = kSame<T, float> ? T(1e20) : T(1e40);
  const T height = fabs(y), width = fabs(x);
  const bool is_steep = height > width;
  T large = is_steep ? height : width, small = is_steep ? width : height;
  const bool are_infinite = small == kInfinity;
  small = are_infinite ? T(1) : small;
  large = are_infinite | (large == T(0)) ? T(1) : large;
  const T scale = large > kLarge ? T(0.25) : large < kTiny ? kUp : T(1);
  large *= scale;
  small *= scale;
  const bool is_near = small > SmallAtan<T>::kNearOne * large;
  const T q = (is_near ? small - large : small) / (is_near ? small + large : large);
  T angle = SmallAtan<T>::of(q);
  angle = is_near ? kQuarter + (angle + kRest) : angle;
  angle = is_steep ? kHalf - (angle - 2 * kRest) : angle;
  angle = bits_of(x) >> (8 * sizeof(T) - 1) != 0 ? kWhole - (angle - 4 * kRest) : angle;
  angle = from_bits(bits_of(angle) | (bits_of(y) & Bits<T>{1} << (8 * sizeof(T) - 1)));
  return ((x != x) | (y != y)) ? static_cast<T>(__builtin_nan("")) : angle;
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TRIGONOMETRY_HPP_
