// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "expressions.hpp"
#include "half_rows.hpp"
#include "powers.hpp"
#include "trigonometry.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  struct Binary_##name {                                                        \
    template <class T>                                                          \
    static T apply(T a, T b) {                                                  \
      using W [[maybe_unused]] = Wrap<T>;                                       \
      if constexpr (kIsFloat<T>)                                                \
        return floats;                                                          \
      else                                                                      \
        return integers;                                                        \
    }                                                                           \
  };
PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)
#undef PATCHBAY_BINARY

template <>
struct Ordinary<Binary_remainder, float> : OrdinaryRemainder<float> {};
#if defined(__FMA__) || !defined(__x86_64__)
template <>
struct Ordinary<Binary_remainder, double> : OrdinaryRemainder<double> {};
#endif

template <class Op>
auto rows_of(Row* rows) {
  return [rows](auto x) {
    using T = decltype(x);
    rows[DtypeOf<T>::value] = binary_row<Op, T, T, T>;
    if constexpr (kSame<T, float>) set_half_rows<binary_row<Op, T, T, T>, 2>(rows);
  };
}

}  // namespace

void fill_arithmetic(SimdTable& table) {
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  for_##dtypes(rows_of<Binary_##name>(table.binary[number_of(BinaryOp::name)]));
  PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)
#undef PATCHBAY_BINARY
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
