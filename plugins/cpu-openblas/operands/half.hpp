// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The 16-bit floats, element by element and without branches, so that loops can be vectorised. In
// an unnamed namespace, because the files of simd/ include it.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_HALF_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_HALF_HPP_

#include <cstdint>

namespace patchbay::cpu {
namespace {

/// IEEE 754 binary16.
struct F16 {
  std::uint16_t bits;
};
/// The upper half of an f32.
struct Bf16 {
  std::uint16_t bits;
};

[[gnu::always_inline]] inline std::uint32_t bits_of_f32(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
[[gnu::always_inline]] inline float f32_of_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

[[gnu::always_inline]] inline float to_f32(Bf16 x) {
  return f32_of_bits(std::uint32_t{x.bits} << 16);
}

/// The bits, moved to their places in f32, give a value 2^112 times too small; infinities and NaN
/// also lack the upper bits of the exponent.
[[gnu::always_inline]] inline float to_f32(F16 x) {
  const std::uint32_t magnitude = (x.bits & 0x7fffu) << 13;
  const std::uint32_t finite = bits_of_f32(f32_of_bits(magnitude) * 0x1p112F);
  const std::uint32_t value = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : finite;
  return f32_of_bits(value | (x.bits & 0x8000u) << 16);
}

// Rounds to nearest even; NaN stays NaN.
[[gnu::always_inline]] inline Bf16 to_bf16(float x) {
  const std::uint32_t bits = bits_of_f32(x);
  const std::uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1u);
  return {static_cast<std::uint16_t>((x != x ? bits | 0x400000u : rounded) >> 16)};
}

[[gnu::always_inline]] inline F16 to_f16(float x) {
  const std::uint32_t bits = bits_of_f32(x);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - 0x38000000u) >> 13;
  // Near 0.5 an f32 has the unit of f16's subnormal numbers, so the addition rounds to them.
  const std::uint32_t subnormal = bits_of_f32(f32_of_bits(magnitude) + 0.5F) - 0x3f000000u;
  std::uint32_t value = magnitude < 0x38800000u ? subnormal : normal;
  value = magnitude >= 0x477ff000u ? 0x7c00u : value;  // at least 65520
  value = magnitude > 0x7f800000u ? 0x7e00u : value;   // NaN
  return {static_cast<std::uint16_t>(value | (bits >> 16 & 0x8000u))};
}

[[gnu::always_inline]] inline void narrow_one(float x, Bf16& to) { to = to_bf16(x); }
[[gnu::always_inline]] inline void narrow_one(float x, F16& to) { to = to_f16(x); }

/// Rounds to f32 toward zero and sets the last bit if that is inexact: the result rounds to 16 bits
/// like x (Boldo and Melquiond, When Double Rounding Is Odd, 2005).
[[gnu::always_inline]] inline float to_odd_f32(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  const std::uint32_t bits = bits_of_f32(nearest);
  const bool is_beyond = __builtin_fabs(back) > __builtin_fabs(x);
  const std::uint32_t toward_zero = is_beyond ? bits - 1 : bits;
  return f32_of_bits(back != x ? toward_zero | 1u : bits);
}
[[gnu::always_inline]] inline float to_odd_f32(float x) { return x; }
/// Integers. Bits that do not fit in f64 set its last bit.
template <class T>
[[gnu::always_inline]] inline float to_odd_f32(T x) {
  if constexpr (sizeof(T) < 4) {
    return static_cast<float>(x);
  } else if constexpr (sizeof(T) < 8) {
    return to_odd_f32(static_cast<double>(x));
  } else {
    const std::uint64_t bits = static_cast<std::uint64_t>(x), kept = bits & ~std::uint64_t{0x7ff};
    const std::uint64_t sticky = (bits & 0x7ffu) != 0 ? 0x800u : 0u;
    const bool is_negative = x < T(1) && x != T(0);
    const std::uint64_t magnitude = is_negative ? 0 - bits : bits;
    const bool is_large = magnitude >= std::uint64_t{1} << 53;
    return to_odd_f32(static_cast<double>(static_cast<T>(is_large ? kept | sticky : bits)));
  }
}

}  // namespace
}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_HALF_HPP_
