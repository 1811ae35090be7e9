// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "expressions.hpp"
#include "half_rows.hpp"
#include "powers.hpp"
#include "trigonometry.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient) \
  struct Unary_##name {                                          \
    template <class T>                                           \
    [[gnu::always_inline]] static T apply(T a) {                 \
      using W [[maybe_unused]] = Wrap<T>;                        \
      if constexpr (kIsFloat<T>)                                 \
        return floats;                                           \
      else                                                       \
        return integers;                                         \
    }                                                            \
  };
PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)
#undef PATCHBAY_UNARY

template <class T>
struct Ordinary<Unary_sin, T> : OfOrdinaryAngles<Sine> {};
template <class T>
struct Ordinary<Unary_cos, T> : OfOrdinaryAngles<Cosine> {};
template <class T>
struct Ordinary<Unary_tan, T> : OfOrdinaryAngles<Tangent> {};
template <>
struct Ordinary<Unary_log, float> : OrdinaryLog {};

// Single precision needs fewer steps than the table's formulas.
struct SingleGelu {
  [[gnu::always_inline]] static float apply(float a) { return gelu(a); }
};
struct SingleSigmoid {
  [[gnu::always_inline]] static float apply(float a) { return sigmoid(a); }
};

template <class Op>
auto rows_of(Row* rows) {
  return [rows](auto x) {
    using T = decltype(x);
    rows[DtypeOf<T>::value] = unary_row<Op, T, T>;
    if constexpr (kSame<T, float>) set_half_rows<unary_row<Op, T, T>, 1>(rows);
  };
}

}  // namespace

void fill_unary(SimdTable& table) {
#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient) \
  for_##dtypes(rows_of<Unary_##name>(table.unary[number_of(UnaryOp::name)]));
  PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)
#undef PATCHBAY_UNARY
  table.unary[number_of(UnaryOp::gelu)][DtypeOf<float>::value] =
      unary_row<SingleGelu, float, float>;
  table.unary[number_of(UnaryOp::sigmoid)][DtypeOf<float>::value] =
      unary_row<SingleSigmoid, float, float>;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
