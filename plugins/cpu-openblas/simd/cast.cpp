// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "half_rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

template <class T>
struct Limits;
template <>
struct Limits<std::int32_t> {
  static constexpr std::int32_t kLowest = INT32_MIN, kHighest = INT32_MAX;
  static constexpr double kEnd = 2147483648.0;  // the highest value + 1
};
template <>
struct Limits<std::int64_t> {
  static constexpr std::int64_t kLowest = INT64_MIN, kHighest = INT64_MAX;
  static constexpr double kEnd = 9223372036854775808.0;
};
template <>
struct Limits<std::uint8_t> {
  static constexpr std::uint8_t kLowest = 0, kHighest = 255;
  static constexpr double kEnd = 256.0;
};

/// Truncates; saturates values out of range; NaN gives 0.
template <class To, class From>
To to_integer(From x) {
  constexpr From kEnd = static_cast<From>(Limits<To>::kEnd);
  constexpr From kLowest = static_cast<From>(Limits<To>::kLowest);
  const bool too_high = x >= kEnd;
  const bool fits = (x > kLowest) & (x < kEnd);
  // Convert only values in range: other conversions are undefined.
  const To inside = static_cast<To>(fits ? x : From(0));
  const To outside = too_high ? Limits<To>::kHighest : (x <= kLowest ? Limits<To>::kLowest : To(0));
  return fits ? inside : outside;
}

template <class To>
struct CastTo {
  template <class From>
  static To apply(From x) {
    if constexpr (kIsFloat<From> && !kIsFloat<To>) {
      return to_integer<To>(x);
    } else {
      return static_cast<To>(x);
    }
  }
};

struct CastToBool {
  template <class From>
  static std::uint8_t apply(From x) {
    return x != From(0) ? 1 : 0;
  }
};

template <class To>
struct CastFromBool {
  static To apply(std::uint8_t x) { return x != 0 ? To(1) : To(0); }
};

// From and to halves: through f32, rounded once.
struct CastToOdd {
  template <class From>
  static float apply(From x) {
    return to_odd_f32(x);
  }
};
struct CastBoolToFloat {
  static float apply(std::uint8_t x) { return x != 0 ? 1.0F : 0.0F; }
};

template <class H>
void widen_row(std::int64_t n, void* out, const void* a, const void*, const Steps& steps) {
  const H* x = static_cast<const H*>(a);
  float* o = static_cast<float*>(out);
  if (steps.out == 1 && steps.a == 1) return widen(n, x, o);
  for (std::int64_t i = 0; i < n; ++i) o[i * steps.out] = to_f32(x[i * steps.a]);
}

template <class H>
void narrow_row(std::int64_t n, void* out, const void* a, const void*, const Steps& steps) {
  const float* x = static_cast<const float*>(a);
  H* o = static_cast<H*>(out);
  if (steps.out == 1 && steps.a == 1) return narrow(n, x, o);
  for (std::int64_t i = 0; i < n; ++i) narrow_one(x[i * steps.a], o[i * steps.out]);
}

template <class H, class T>
void fill_half_pair(SimdTable& table) {
  constexpr int half = DtypeOf<H>::value, other = DtypeOf<T>::value;
  table.cast[other][half] = tiled_row<unary_row<CastTo<T>, T, float>, H, T, 1>;
  table.cast[half][other] = tiled_row<unary_row<CastToOdd, float, T>, T, H, 1>;
}

template <class H, class Other>
void fill_half(SimdTable& table) {
  constexpr int half = DtypeOf<H>::value;
  fill_half_pair<H, double>(table);
  fill_half_pair<H, std::int32_t>(table);
  fill_half_pair<H, std::int64_t>(table);
  fill_half_pair<H, std::uint8_t>(table);
  table.cast[PATCHBAY_F32][half] = widen_row<H>;
  table.cast[half][PATCHBAY_F32] = narrow_row<H>;
  table.cast[DtypeOf<Other>::value][half] =
      tiled_row<unary_row<CastTo<float>, float, float>, H, Other, 1>;
  table.cast[PATCHBAY_BOOL][half] =
      tiled_row<unary_row<CastToBool, std::uint8_t, float>, H, std::uint8_t, 1>;
  table.cast[half][PATCHBAY_BOOL] =
      tiled_row<unary_row<CastBoolToFloat, float, std::uint8_t>, std::uint8_t, H, 1>;
}

template <class To, class From>
void fill_pair(SimdTable& table) {
  table.cast[DtypeOf<To>::value][DtypeOf<From>::value] = unary_row<CastTo<To>, To, From>;
}

template <class T>
void fill_type(SimdTable& table) {
  fill_pair<float, T>(table);
  fill_pair<double, T>(table);
  fill_pair<std::int32_t, T>(table);
  fill_pair<std::int64_t, T>(table);
  fill_pair<std::uint8_t, T>(table);
  table.cast[PATCHBAY_BOOL][DtypeOf<T>::value] = unary_row<CastToBool, std::uint8_t, T>;
  table.cast[DtypeOf<T>::value][PATCHBAY_BOOL] = unary_row<CastFromBool<T>, T, std::uint8_t>;
}

}  // namespace

void fill_cast(SimdTable& table) {
  fill_type<float>(table);
  fill_type<double>(table);
  fill_type<std::int32_t>(table);
  fill_type<std::int64_t>(table);
  fill_type<std::uint8_t>(table);
  fill_half<F16, Bf16>(table);
  fill_half<Bf16, F16>(table);
  table.cast[PATCHBAY_BOOL][PATCHBAY_BOOL] = unary_row<CastToBool, std::uint8_t, std::uint8_t>;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
