// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The functions that the elementwise table uses, without branches and tables, so that loops can be
// vectorised. Unless stated otherwise, coefficients are from Moshier, Cephes Mathematical Library
// 2.8 (exp, log, tanh, ndtr; single and double precision).
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_FUNCTIONS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_FUNCTIONS_HPP_

#include "target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

PATCHBAY_INLINE std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
PATCHBAY_INLINE std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
PATCHBAY_INLINE float from_bits(std::uint32_t x) { return __builtin_bit_cast(float, x); }
PATCHBAY_INLINE double from_bits(std::uint64_t x) { return __builtin_bit_cast(double, x); }

/// condition ? x : y. For floats the compiler can't turn it into a branch around x or y.
template <class T>
PATCHBAY_INLINE T select(bool condition, T x, T y) {
  if constexpr (kIsFloat<T>) {
    using Bits = decltype(bits_of(x));
    const Bits mask = Bits{0} - static_cast<Bits>(condition);
    return from_bits((bits_of(x) & mask) | (bits_of(y) & ~mask));
  } else {
    return condition ? x : y;
  }
}

PATCHBAY_INLINE float fabs(float x) { return __builtin_fabsf(x); }
PATCHBAY_INLINE double fabs(double x) { return __builtin_fabs(x); }
PATCHBAY_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
PATCHBAY_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
// Without the instruction: the product is exact in f64, and the second rounding is negligible.
PATCHBAY_INLINE float fma(float x, float y, float z) {
#if defined(__FMA__) || !defined(__x86_64__)
  return __builtin_fmaf(x, y, z);
#else
  return static_cast<float>(static_cast<double>(x) * static_cast<double>(y) +
                            static_cast<double>(z));
#endif
}
PATCHBAY_INLINE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
PATCHBAY_INLINE float floor(float x) { return __builtin_floorf(x); }
PATCHBAY_INLINE double floor(double x) { return __builtin_floor(x); }
PATCHBAY_INLINE float ceil(float x) { return __builtin_ceilf(x); }
PATCHBAY_INLINE double ceil(double x) { return __builtin_ceil(x); }
PATCHBAY_INLINE float trunc(float x) { return __builtin_truncf(x); }
PATCHBAY_INLINE double trunc(double x) { return __builtin_trunc(x); }
PATCHBAY_INLINE float rint(float x) { return __builtin_rintf(x); }
PATCHBAY_INLINE double rint(double x) { return __builtin_rint(x); }

/// a b + c, rounded once if the processor can. Loops are then vectorised only if the compiler can't
/// turn a selection into a branch around it.
template <class T>
PATCHBAY_INLINE T multiply_add(T a, T b, T c) {
#ifdef __FMA__
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// c[0] x^(n-1) + ... + c[n-1].
template <class T, int n>
PATCHBAY_INLINE T polynomial(T x, const T (&c)[n]) {
  T y = c[0];
#pragma GCC unroll 16
  for (int i = 1; i < n; ++i) y = multiply_add(y, x, c[i]);
  return y;
}

template <class T>
PATCHBAY_INLINE T limited(T x, T low, T high) {
  const T below = x > high ? high : x;
  return below < low ? low : below;
}

// Adding one of these rounds to an integer, which the low bits then contain.
constexpr float kRound32 = 12582912.0f;          // 1.5 * 2^23
constexpr double kRound64 = 6755399441055744.0;  // 1.5 * 2^52
/// Rounds to an even integer; the low bits then contain half of it.
constexpr float kRoundToEven32 = 25165824.0f;  // 1.5 * 2^24
constexpr float kNoRest = -0.0f;               // compilers drop its addition

/// y 2^n for the n that `shifted` contains. In two steps, so that subnormal results and infinity
/// are correct.
PATCHBAY_INLINE float times_power(float y, float shifted) {
  const auto exponent = static_cast<std::int32_t>(bits_of(shifted) - bits_of(kRound32));
  const std::int32_t half = exponent >> 1;
  const auto power = [](std::int32_t e) {
    return from_bits(static_cast<std::uint32_t>(e + 127) << 23);
  };
  return y * power(half) * power(exponent - half);
}
PATCHBAY_INLINE double times_power(double y, double shifted) {
  // Few processors shift signed 64-bit words; 2048 keeps them positive.
  const std::uint64_t biased = bits_of(shifted) - bits_of(kRound64) + 2048;
  const std::uint64_t half = biased >> 1;
  const auto power = [](std::uint64_t e) { return from_bits((e - 1) << 52); };  // 2^(e - 1024)
  return y * power(half) * power(biased - half);
}

/// exp(r) - 1 for |r| <= ln 2 / 2.
PATCHBAY_INLINE float small_expm1(float r) {
  const float p = polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  return multiply_add(p, r * r, r);
}

/// x - n ln 2. ln 2 is in two parts; the first has so few bits that its product with n is exact.
PATCHBAY_INLINE float without_powers(float x, float n) {
  return multiply_add(n, 2.12194440e-4f, multiply_add(n, -0.693359375f, x));
}

/// 2^(i - 127) for the integer i in the low bits.
PATCHBAY_INLINE float power_in(float shifted) { return from_bits(bits_of(shifted) << 23); }

/// exp(x + rest) = 2^n exp(r) for an even n, so that |r| <= ln 2. x is between -104 and 89, the
/// rest is small. Two products with 2^(n / 2) round subnormal results once. The polynomial
/// minimises the relative error of the exponential by Lawson's iteration: 2^-30.7.
PATCHBAY_INLINE float exp_of_sum(float x, float rest) {
  constexpr float kBiased = kRoundToEven32 + 2 * 127.0f;
  const float shifted = multiply_add(x + rest, 1.44269504088896341f, kBiased);
  const float r = without_powers(x, shifted - kBiased) + rest;
  const float p = polynomial(r, {2.443981416e-5f, 2.011006307e-4f, 1.389371146e-3f, 8.332526367e-3f,
                                 4.166652519e-2f, 1.666667388e-1f, 5.000000107e-1f});
  const float power = power_in(shifted);
  return (multiply_add(p, r * r, r) + 1.0f) * power * power;
}

/// exp(x) - 1 for |x| <= 87, as 2^n (exp(r) - 1) + (2^n - 1).
PATCHBAY_INLINE float ordinary_expm1(float x) {
  constexpr float kBiased = kRound32 + 127.0f;
  const float shifted = multiply_add(x, 1.44269504088896341f, kBiased);
  const float small = small_expm1(without_powers(x, shifted - kBiased));
  const float power = power_in(shifted);
  return multiply_add(small, power, power - 1.0f);
}

/// 2^64 exp(x + rest) for x from -104 to 0, and a rest that does not change n. The factor keeps the
/// power of 2 normal; a multiplication by 2^-64 then rounds subnormal results once.
PATCHBAY_INLINE float scaled_exp_of_sum(float x, float rest) {
  constexpr float kBiased = kRound32 + 127.0f + 64.0f;
  const float shifted = multiply_add(x, 1.44269504088896341f, kBiased);
  const float r = without_powers(x, shifted - kBiased) + rest;
  return (small_expm1(r) + 1.0f) * power_in(shifted);
}

/// exp(r) - 1 for |r| <= ln 2 / 2.
PATCHBAY_INLINE double small_expm1(double r) {
  const double z = r * r;
  const double p = r * polynomial(z, {1.26177193074810590878e-4, 3.02994407707441961300e-2,
                                      9.99999999999999999910e-1});
  const double q = polynomial(z, {3.00198505138664455042e-6, 2.52448340349684104192e-3,
                                  2.27265548208155028766e-1, 2.00000000000000000009e0});
  return (p + p) / (q - p);  // exact for subnormal r
}

/// exp(x + rest) for x between -746 and 710.
PATCHBAY_INLINE double exp_of_sum(double x, double rest) {
  const double shifted = (x + rest) * 1.4426950408889634 + kRound64;
  const double n = shifted - kRound64;
  const double r = ((x - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6) + rest;
  return times_power(1.0 + small_expm1(r), shifted);
}

PATCHBAY_INLINE float exp(float x) { return exp_of_sum(limited(x, -104.0f, 89.0f), kNoRest); }
PATCHBAY_INLINE double exp(double x) { return exp_of_sum(limited(x, -746.0, 710.0), 0.0); }

struct Split {
  double exponent, mantissa;  // in [sqrt(1/2), sqrt(2))
};
/// For a positive normal number. Converts an integer below 2^52 to double through its bits, because
/// few processors convert 64-bit words.
PATCHBAY_INLINE Split split(double x) {
  const std::uint64_t bits = bits_of(x);
  const double e = from_bits((bits >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
  const double m = from_bits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  const bool large = m > 1.4142135623730951;
  return {large ? e + 1.0 : e, large ? m * 0.5 : m};
}

/// log(x) = e ln 2 + f + rest, 1 + f in [sqrt(1/2), sqrt(2)).
template <class T>
struct LogParts {
  T e, f, rest;
};
/// For a positive normal number. The rest is f^2 (p(f) f - 1/2), whose p minimises the relative
/// error of log(1 + f) by Lawson's iteration: 2^-27.3.
PATCHBAY_INLINE LogParts<float> log_parts_of_normal(float x) {
  const std::uint32_t bits = bits_of(x);
  const std::uint32_t exponent = (bits - 0x3f3504f3u) & 0xff800000u;  // sqrt(1/2)
  const float e = static_cast<float>(static_cast<std::int32_t>(exponent)) * 0x1p-23f;
  const float f = from_bits(bits - exponent) - 1.0f;
  const float p =
      polynomial(f, {-7.633274247e-2f, 1.276207388e-1f, -1.316084501e-1f, 1.420173594e-1f,
                     -1.662329222e-1f, 2.000122561e-1f, -2.500082270e-1f, 3.333333174e-1f});
  return {e, f, multiply_add(p, f, -0.5f) * (f * f)};
}
PATCHBAY_INLINE LogParts<float> log_parts(float x) {
  const bool tiny = x < 1.17549435e-38f;  // the smallest normal number
  const LogParts<float> parts = log_parts_of_normal(tiny ? x * 8388608.0f : x);  // 2^23
  return {parts.e - (tiny ? 23.0f : 0.0f), parts.f, parts.rest};
}
PATCHBAY_INLINE LogParts<double> log_parts(double x) {
  const bool tiny = x < 2.2250738585072014e-308;
  const Split parts = split(tiny ? x * 18014398509481984.0 : x);  // 2^54
  const double f = parts.mantissa - 1.0;
  const double p =
      polynomial(f, {1.01875663804580931796e-4, 4.97494994976747001425e-1, 4.70579119878881725854e0,
                     1.44989225341610930846e1, 1.79368678507819816313e1, 7.70838733755885391666e0});
  const double q =
      polynomial(f, {1.0, 1.12873587189167450590e1, 4.52279145837532221105e1,
                     8.29875266912776603211e1, 7.11544750618563894466e1, 2.31251620126765340583e1});
  return {tiny ? parts.exponent - 54.0 : parts.exponent, f, f * (f * f * p / q) - 0.5 * (f * f)};
}

/// A logarithm of x: `result`, but infinity at infinity, -infinity at 0, and NaN below 0.
template <class T>
PATCHBAY_INLINE T log_or_edge(T x, T result) {
  const auto infinity = static_cast<T>(__builtin_inf());
  result = x == infinity ? x : result;
  result = x == T(0) ? -infinity : result;
  return ((x < T(0)) | (x != x)) ? static_cast<T>(__builtin_nan("")) : result;
}

/// The sum of the parts and a small number. ln 2 is in two parts.
template <class T>
PATCHBAY_INLINE T log_of(const LogParts<T>& parts, T more) {
  constexpr T kLow = kSame<T, float> ? T(-2.12194440e-4f) : T(-2.121944400546905827679e-4);
  const T y = multiply_add(parts.e, kLow, parts.rest) + more;
  return multiply_add(parts.e, T(0.693359375), parts.f + y);
}
template <class T>
PATCHBAY_INLINE T log(T x) {
  return log_or_edge(x, log_of(log_parts(x), T(-0.0)));
}

/// The smaller of |x| and `most`, also for NaN. A minimum of integers needs no branch.
PATCHBAY_INLINE float limited_size(float x, float most) {
  const std::uint32_t bits = bits_of(fabs(x)), highest = bits_of(most);
  return from_bits(bits < highest ? bits : highest);
}

/// e / (e + 2), e = exp(2 |x|) - 1. From 9.02 on it is 1.
PATCHBAY_INLINE float tanh(float x) {
  const float e = ordinary_expm1(2.0f * limited_size(x, 9.02f));
  return __builtin_copysignf(x != x ? x : e / (e + 2.0f), x);
}

PATCHBAY_INLINE double tanh(double x) {
  const double size = fabs(x);
  const double z = x * x;
  const double p = polynomial(
      z, {-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3});
  const double q = polynomial(
      z, {1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3});
  const double large = 1.0 - 2.0 / (exp(2.0 * size) + 1.0);
  return __builtin_copysign(size < 0.625 ? x * z * (p / q) + x : large, x);
}

/// exp(-x^2) for |x| <= 12, or 28. The square has two parts; exp would amplify its rounding error.
PATCHBAY_INLINE float exp_of_square(float x) {
  const float high = from_bits(bits_of(x) & 0xfffff000u);
  return exp_of_sum(limited(-(high * high), -104.0f, 0.0f), -((x - high) * (x + high)));
}
PATCHBAY_INLINE double exp_of_square(double x) {
  const double high = from_bits(bits_of(x) & 0xfffffffff8000000u);
  return exp_of_sum(limited(-(high * high), -746.0, 0.0), -((x - high) * (x + high)));
}

/// erf(x) - x for |x| < 1.
PATCHBAY_INLINE float small_erf(float x) {
  return x * polynomial(x * x, {7.853861353153693e-5f, -8.010193625184903e-4f,
                                5.188327685732524e-3f, -2.685381193529856e-2f,
                                1.128358514861418e-1f, -3.761262582423300e-1f, 0.128379165726710f});
}
/// The numerator is that of Cephes minus the denominator.
PATCHBAY_INLINE double small_erf(double x) {
  const double z = x * x;
  const double p =
      polynomial(z, {-1.0, -23.95674042487979357721, -431.3319300597684108733,
                     -2362.31848376295808761, -15625.67492026104266987, 6324.9070401759041682});
  const double q =
      polynomial(z, {1.0, 3.35617141647503099647e1, 5.21357949780152679795e2,
                     4.59432382970980127987e3, 2.26290000613890934246e4, 4.92673942608635921086e4});
  return x * (p / q);
}

/// erfc(x) for x >= 1.
PATCHBAY_INLINE float large_erfc(float x) {
  const float near = x > 12.0f ? 12.0f : x;
  const float q = 1.0f / near;
  const float y = q * q;
  const float below_2 =
      polynomial(y, {2.326819970068386e-2f, -1.387039388740657e-1f, 3.687424674597105e-1f,
                     -5.824733027278666e-1f, 6.210004621745983e-1f, -4.944515323274145e-1f,
                     3.404879937665872e-1f, -2.741127028184656e-1f, 5.638259427386472e-1f});
  const float above_2 =
      polynomial(y, {-1.047766399936249e1f, 1.297719955372516e1f, -7.495518717768503e0f,
                     2.921019019210786e0f, -1.015265279202700e0f, 4.218463358204948e-1f,
                     -2.820767439740514e-1f, 5.641895067754075e-1f});
  return exp_of_square(near) * (q * (near < 2.0f ? below_2 : above_2));
}
PATCHBAY_INLINE double large_erfc(double x) {
  const double near = x > 28.0 ? 28.0 : x;
  const double p_below_8 = polynomial(
      near, {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
             4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
             9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2});
  const double q_below_8 = polynomial(
      near, {1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
             9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3,
             1.65666309194161350182e3, 5.57535340817727675546e2});
  const double p_above_8 = polynomial(
      near, {5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
             6.16021097993053585195e0, 7.40974269950448939160e0, 2.97886665372100240670e0});
  const double q_above_8 = polynomial(
      near, {1.0, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
             1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0});
  const bool below_8 = near < 8.0;
  return exp_of_square(near) *
         ((below_8 ? p_below_8 : p_above_8) / (below_8 ? q_below_8 : q_above_8));
}

/// x p(x^2) / q(x^2), at most 1. The quotient minimises the relative error by Lawson's iteration:
/// 2^-28.5 up to 4. Its coefficients were then moved by units in the last place to the least error
/// of the sums in f32. At 4.3 it is above 1, with and without fused multiplications.
PATCHBAY_INLINE float erf(float x) {
  const float near = limited_size(x, 4.3f), z = near * near;
  const float p = polynomial(z, {6.79137338e-6f, 4.11278364e-4f, 4.22649691e-3f, 5.57495691e-2f,
                                 1.92878932e-1f, 1.12837923f});
  const float q = polynomial(z, {2.60486104e-7f, 7.25639693e-5f, 1.42120896e-3f, 1.62951555e-2f,
                                 1.17495440e-1f, 5.04267931e-1f, 1.0f});
  const float size = limited_size(near * p / q, 1.0f);
  return __builtin_copysignf(x != x ? x : size, x);
}
PATCHBAY_INLINE double erf(double x) {
  const double size = fabs(x), large = 1.0 - large_erfc(size);
  return size < 1.0 ? x + small_erf(x) : __builtin_copysign(large, x);
}

/// 1 - x - (erf(x) - x); the first difference is exact for x >= 1/2.
template <class T>
PATCHBAY_INLINE T erfc(T x) {
  const T size = fabs(x);
  const T large = large_erfc(size);
  return size < T(1) ? (T(1) - x) - small_erf(x) : (x < T(0) ? T(2) - large : large);
}

PATCHBAY_INLINE float sigmoid(float a) {
  const float e = scaled_exp_of_sum(-limited_size(a, 104.0f), kNoRest) * 0x1p-64f;
  const float positive = a >= 0.0f ? 1.0f : a;  // NaN stays
  return (a < 0.0f ? e : positive) / (1.0f + e);
}

/// x^2 in two parts, of which the second is small. x is at most 2^15.
struct Square {
  float value, rest;
};
PATCHBAY_INLINE Square square_of(float x) {
#ifdef __FMA__
  const float value = x * x;
  return {value, fma(x, x, -value)};
#else
  const float high = from_bits(bits_of(x) & 0xfffff000u);
  return {high * high, (x - high) * (x + high)};
#endif
}

/// a / 2 erfc(-a / sqrt 2) with one exponential: max(a, 0) minus the tail, which is
/// size exp(-size^2 / 2) erfcx(size / sqrt 2) / 2. The last two factors are p(size) / q(size),
/// whose greatest relative error was minimised by Lawson's iteration: 2^-27.3.
PATCHBAY_INLINE float gelu(float a) {
  const float size = limited_size(a, 14.4f);  // the tail is 0 from here on; NaN is restored below
  const float p = polynomial(
      size, {4.108951616e-3f, 4.058371994e-2f, 1.830883640e-1f, 4.380969498e-1f, 5.000000029e-1f});
  const float q = polynomial(
      size, {1.029949288e-2f, 1.017348150e-1f, 4.690831266e-1f, 1.201893679f, 1.674078876f, 1.0f});
  const Square square = square_of(size);
  const float e = scaled_exp_of_sum(-0.5f * square.value, -0.5f * square.rest);
  const float tail = (size * p / q) * e * 0x1p-64f;
  return (a < 0.0f ? a * 0.0f : a) - tail;  // NaN for -infinity, like the table
}

/// |a|^b = exp(b log |a|) in f64, by the series of the inverse hyperbolic tangent and exponential:
/// Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 4.6.33 and 4.2.1.
PATCHBAY_INLINE double power_of_size(double size, double b) {
  const Split parts = split(size);
  const double s = (parts.mantissa - 1.0) / (parts.mantissa + 1.0);
  const double z = s * s;
  const double series =
      polynomial(z, {2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0});
  double logarithm = parts.exponent * 0.69314718055994531 + s * series;
  logarithm = size == 0.0 ? -__builtin_inf() : logarithm;
  logarithm = size == __builtin_inf() ? size : logarithm;
  // 1 to the power of infinity is 1.
  const double x = limited(logarithm == 0.0 ? 0.0 : b * logarithm, -700.0, 700.0);
  const double shifted = x * 1.4426950408889634 + kRound64;
  const double r = x - (shifted - kRound64) * 0.69314718055994531;
  const double y = polynomial(r, {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                  1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1.0, 1.0});
  return y * from_bits((bits_of(shifted) - bits_of(kRound64) + 1023) << 52);
}

PATCHBAY_INLINE float pow(float a, float b) {
  const double base = a, exponent = b;
  const auto size = static_cast<float>(power_of_size(fabs(base), exponent));
  const float half = 0.5f * b;
  const bool whole = __builtin_truncf(b) == b;
  const bool odd = whole & (__builtin_truncf(half) != half);
  float result = odd ? __builtin_copysignf(size, a) : size;
  result = ((a < 0.0f) & (a != -__builtin_inff()) & !whole) ? __builtin_nanf("") : result;
  result = ((a != a) | (b != b)) ? __builtin_nanf("") : result;
  return ((a == 1.0f) | (b == 0.0f)) ? 1.0f : result;
}
PATCHBAY_INLINE double pow(double a, double b) { return __builtin_pow(a, b); }

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_FUNCTIONS_HPP_
