// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

struct Neg {
  template <class T>
  static T apply(T a) {
    if constexpr (kIsFloat<T>) return -a;
    return static_cast<T>(Wrap<T>{0} - static_cast<Wrap<T>>(a));
  }
};

struct Abs {
  static float apply(float a) { return __builtin_fabsf(a); }
  static double apply(double a) { return __builtin_fabs(a); }
  template <class T>
  static T apply(T a) {
    return a < T(0) ? Neg::apply(a) : a;
  }
};

struct Square {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(a));
  }
};

struct Sqrt {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};

/// 2^n for n in [-126, 127].
inline float power_of_two(std::int32_t n) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(n + 127) << 23);
}

/// exp(x) = 2^n exp(r), |r| <= ln 2 / 2. Polynomial and constants: Cephes expf.
struct Exp {
  static float apply(float x) {
    constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    float limited = x > 89.0f ? 89.0f : x;
    limited = limited < -104.0f ? -104.0f : limited;
    const float shifted = limited * 1.44269504088896341f + kRound;
    const float n = shifted - kRound;
    // ln 2 in two parts, the first of so few bits that n times it is exact.
    const float r = (limited - n * 0.693359375f) - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    const float y = (p * (r * r) + r) + 1.0f;
    // In two steps, so that results below the normal range, and infinity, come out right.
    const std::int32_t exponent = static_cast<std::int32_t>(
        __builtin_bit_cast(std::uint32_t, shifted) - __builtin_bit_cast(std::uint32_t, kRound));
    const std::int32_t half = exponent >> 1;
    return y * power_of_two(half) * power_of_two(exponent - half);
  }
  static double apply(double x) { return __builtin_exp(x); }
};

/// log(x) = e ln 2 + log(1 + f), 1 + f in [sqrt(1/2), sqrt(2)). Polynomial: Cephes logf.
struct Log {
  static float apply(float x) {
    constexpr float kSmallestNormal = 1.17549435e-38f;
    const bool tiny = x < kSmallestNormal;
    const float scaled = tiny ? x * 8388608.0f : x;  // 2^23
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, scaled);
    float m = __builtin_bit_cast(float, (bits & 0x007fffffu) | 0x3f800000u);
    const bool large = m > 1.41421356237f;
    m = large ? m * 0.5f : m;
    const std::int32_t exponent =
        static_cast<std::int32_t>(bits >> 23) - (large ? 126 : 127) - (tiny ? 23 : 0);
    const float e = static_cast<float>(exponent);
    const float f = m - 1.0f;
    const float z = f * f;
    float p = 7.0376836292e-2f;
    p = p * f + -1.1514610310e-1f;
    p = p * f + 1.1676998740e-1f;
    p = p * f + -1.2420140846e-1f;
    p = p * f + 1.4249322787e-1f;
    p = p * f + -1.6668057665e-1f;
    p = p * f + 2.0000714765e-1f;
    p = p * f + -2.4999993993e-1f;
    p = p * f + 3.3333331174e-1f;
    float y = p * f * z;
    y = y + e * -2.12194440e-4f;
    y = y - 0.5f * z;
    float result = (f + y) + e * 0.693359375f;
    result = x == __builtin_inff() ? x : result;
    result = x == 0.0f ? -__builtin_inff() : result;
    return ((x < 0.0f) | (x != x)) ? __builtin_nanf("") : result;
  }
  static double apply(double x) { return __builtin_log(x); }
};

template <class T>
void fill_number(SimdTable& table) {
  constexpr int dtype = DtypeOf<T>::value;
  table.unary[kNeg][dtype] = unary_row<Neg, T, T>;
  table.unary[kAbs][dtype] = unary_row<Abs, T, T>;
  table.unary[kSquare][dtype] = unary_row<Square, T, T>;
}

template <class T>
void fill_float(SimdTable& table) {
  constexpr int dtype = DtypeOf<T>::value;
  table.unary[kSqrt][dtype] = unary_row<Sqrt, T, T>;
  table.unary[kExp][dtype] = unary_row<Exp, T, T>;
  table.unary[kLog][dtype] = unary_row<Log, T, T>;
}

}  // namespace

void fill_unary(SimdTable& table) {
  fill_number<float>(table);
  fill_number<double>(table);
  fill_number<std::int32_t>(table);
  fill_number<std::int64_t>(table);
  fill_number<std::uint8_t>(table);
  fill_float<float>(table);
  fill_float<double>(table);
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
