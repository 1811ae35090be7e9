// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Relatives of exp and log, and remainders. Coefficients are from Moshier, Cephes Mathematical
// Library 2.8 (exp2, exp2f), unless stated otherwise.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_POWERS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_POWERS_HPP_

#include "functions.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

/// 2^x = 2^n 2^r, |r| <= 1/2.
PATCHBAY_INLINE float exp2(float x) {
  const float near = limited(x, -151.0f, 129.0f);
  const float shifted = near + kRound32;
  const float r = near - (shifted - kRound32);
  const float p =
      polynomial(r, {1.535336188319500e-4f, 1.339887440266574e-3f, 9.618437357674640e-3f,
                     5.550332471162809e-2f, 2.402264791363012e-1f, 6.931472028550421e-1f});
  return times_power(1.0f + r * p, shifted);
}
PATCHBAY_INLINE double exp2(double x) {
  const double near = limited(x, -1076.0, 1025.0);
  const double shifted = near + kRound64;
  const double r = near - (shifted - kRound64);
  const double z = r * r;
  const double p = r * polynomial(z, {2.30933477057345225087e-2, 2.02020656693165307700e1,
                                      1.51390680115615096133e3});
  const double q = polynomial(z, {1.0, 2.33184211722314911771e2, 4.36821166879210612817e3});
  return times_power(1.0 + 2.0 * (p / (q - p)), shifted);
}

/// The constants of expm1; ln 2 is in two parts.
template <class T>
struct Expm1Of;
template <>
struct Expm1Of<float> {
  static constexpr float kLowest = -20.0f, kHighest = 89.0f, kRound = kRound32, kSmall = 0.3465f;
  static constexpr float kHigh = 0.693359375f, kLow = -2.12194440e-4f;
};
template <>
struct Expm1Of<double> {
  static constexpr double kLowest = -40.0, kHighest = 710.0, kRound = kRound64, kSmall = 0.5;
  static constexpr double kHigh = 6.93145751953125e-1, kLow = 1.42860682030941723212e-6;
};

/// 2^n (exp(r) - 1) + (2^n - 1), r = x - n ln 2. Halves, because 2^n may be infinite.
template <class T>
PATCHBAY_INLINE T expm1(T x) {
  using Of = Expm1Of<T>;
  const T near = limited(x, Of::kLowest, Of::kHighest);
  const T whole = fabs(near) < Of::kSmall ? T(0) : near * T(1.4426950408889634);
  const T shifted = whole + Of::kRound;
  const T n = shifted - Of::kRound;
  const T small = small_expm1((near - n * Of::kHigh) - n * Of::kLow);
  const T half = times_power(T(0.5), shifted);
  const T large = T(2) * (small * half + (half - T(0.5)));
  const T result = n == T(0) ? small : large;
  return x == T(0) ? x : result;  // -0 stays
}

/// log(1 + x): 1 + x is rounded, and the rest of the sum corrects the logarithm.
template <class T>
PATCHBAY_INLINE T log1p(T x) {
  const T sum = T(1) + x;
  const T added = sum - T(1);
  const T rest = (T(1) - (sum - added)) + (x - added);
  const T result = log_or_edge(sum, log_of(log_parts(sum), rest / sum));
  return select(x == T(0), x, result);  // -0 stays
}

/// (f + y) log2(e) + e, with log2(e) as 1 + 0.44...
template <class T>
PATCHBAY_INLINE T log2(T x) {
  constexpr T kMore = T(0.44269504088896340736);  // log2(e) - 1
  const LogParts<T> parts = log_parts(x);
  return log_or_edge(x, ((parts.rest * kMore + parts.f * kMore) + parts.rest + parts.f) + parts.e);
}

PATCHBAY_INLINE float fmod(float x, float y) { return __builtin_fmodf(x, y); }
PATCHBAY_INLINE double fmod(double x, double y) { return __builtin_fmod(x, y); }

/// Logarithms of positive normal numbers, which most operands are.
struct OrdinaryLog {
  static constexpr bool kExists = true;
  PATCHBAY_INLINE static bool takes(float x) { return bits_of(x) - 0x00800000u < 0x7f000000u; }
  PATCHBAY_INLINE static float apply(float x) { return log_of(log_parts_of_normal(x), kNoRest); }
};

/// For quotients below a limit. The rounded quotient may be the next whole number; then what
/// remains has the other sign, like that of a quotient that was rounded up.
template <class T>
struct OrdinaryRemainder;

/// In f64, where the quotient's nearest whole number below is right and its product exact.
template <>
struct OrdinaryRemainder<float> {
  static constexpr bool kExists = true;
  PATCHBAY_INLINE static bool takes(float a, float b) {
    return (fabs(a) < 16777216.0f * fabs(b)) & (fabs(b) < __builtin_inff());  // 2^24
  }
  PATCHBAY_INLINE static float apply(float a, float b) {
    const double wide = a, divisor = b;
    const double rest = wide - trunc(wide / divisor) * divisor;
    const auto r = static_cast<float>(rest);
    return r + ((((r < 0.0f) != (b < 0.0f)) & (r != 0.0f)) ? b : 0.0f);
  }
};

template <>
struct OrdinaryRemainder<double> {
  static constexpr bool kExists = true;
  PATCHBAY_INLINE static bool takes(double a, double b) {
    return (fabs(a) < 1125899906842624.0 * fabs(b)) & (fabs(b) < __builtin_inf());  // 2^50
  }
  PATCHBAY_INLINE static double apply(double a, double b) {
    const double r = fma(-trunc(a / b), b, a);
    return r + ((((r < 0.0) != (b < 0.0)) & (r != 0.0)) ? b : 0.0);
  }
};

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_POWERS_HPP_
