// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "half_rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

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
  for_plain([&](auto x) {
    if constexpr (!kSame<decltype(x), float>) fill_half_pair<H, decltype(x)>(table);
  });
  table.cast[PATCHBAY_F32][half] = widen_row<H>;
  table.cast[half][PATCHBAY_F32] = narrow_row<H>;
  table.cast[DtypeOf<Other>::value][half] =
      tiled_row<unary_row<CastTo<float>, float, float>, H, Other, 1>;
  table.cast[PATCHBAY_BOOL][half] =
      tiled_row<unary_row<CastToBool, std::uint8_t, float>, H, std::uint8_t, 1>;
  table.cast[half][PATCHBAY_BOOL] =
      tiled_row<unary_row<CastBoolToFloat, float, std::uint8_t>, std::uint8_t, H, 1>;
}

template <bool kFirst, class A, class B>
struct Choice {
  using type = A;
};
template <class A, class B>
struct Choice<false, A, B> {
  using type = B;
};
/// The type as which a value may be read or written where only its low bits count.
template <class T>
using Low = typename Choice<kIsFloat<T>, T, Bits<T>>::type;

/// Between integers the sign counts only where the result is wider, so that most pairs share a
/// loop.
template <class To, class From>
constexpr Row pair_row() {
  if constexpr (kIsFloat<To> || kIsFloat<From>) {
    return unary_row<CastTo<To>, To, From>;
  } else {
    using Read = typename Choice<(sizeof(To) > sizeof(From)), From, Bits<From>>::type;
    return unary_row<CastTo<Bits<To>>, Bits<To>, Read>;
  }
}

template <class T>
void fill_type(SimdTable& table) {
  constexpr int own = DtypeOf<T>::value;
  for_plain(
      [&](auto x) { table.cast[DtypeOf<decltype(x)>::value][own] = pair_row<decltype(x), T>(); });
  table.cast[PATCHBAY_BOOL][own] = unary_row<CastToBool, std::uint8_t, Low<T>>;
  table.cast[own][PATCHBAY_BOOL] = unary_row<CastFromBool<Low<T>>, Low<T>, std::uint8_t>;
}

}  // namespace

void fill_cast(SimdTable& table) {
  for_plain([&](auto x) { fill_type<decltype(x)>(table); });
  fill_half<F16, Bf16>(table);
  fill_half<Bf16, F16>(table);
  table.cast[PATCHBAY_BOOL][PATCHBAY_BOOL] = unary_row<CastToBool, std::uint8_t, std::uint8_t>;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
