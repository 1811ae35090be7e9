// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operators with three inputs.
#include "expressions.hpp"
#include "half_rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  struct Choice_##name {                                                  \
    template <class T>                                                    \
    static T apply(Bool byte, T a, T b) {                                 \
      const bool condition = byte != 0;                                   \
      return expression;                                                  \
    }                                                                     \
  };
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  struct Bounded_##name {                                    \
    template <class T>                                       \
    static T apply(T a, T low, T high) {                     \
      return expression;                                     \
    }                                                        \
  };
PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)
PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)
#undef PATCHBAY_CHOICE
#undef PATCHBAY_BOUNDED

/// Elements are copied without conversion, so only their size counts.
template <class Op>
void fill_choices(Row3* rows) {
#define PATCHBAY_ROW(name, printed, NAME, number, size_bytes, ...)                         \
  rows[number] = ternary_row<Op, BitsOf<size_bytes>::type, Bool, BitsOf<size_bytes>::type, \
                             BitsOf<size_bytes>::type>;
  PATCHBAY_DTYPES(PATCHBAY_ROW)
#undef PATCHBAY_ROW
}

template <class Op>
auto bounded_of(Row3* rows) {
  return [rows](auto x) {
    using T = decltype(x);
    rows[DtypeOf<T>::value] = ternary_row<Op, T, T, T, T>;
    if constexpr (kSame<T, float>) {
      rows[PATCHBAY_F16] = tiled_row3<ternary_row<Op, T, T, T, T>, F16>;
      rows[PATCHBAY_BF16] = tiled_row3<ternary_row<Op, T, T, T, T>, Bf16>;
    }
  };
}

}  // namespace

void fill_choice(SimdTable& table) {
#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  fill_choices<Choice_##name>(table.choice[number_of(ChoiceOp::name)]);
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  for_##dtypes(bounded_of<Bounded_##name>(table.bounded[number_of(BoundedOp::name)]));
  PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)
  PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)
#undef PATCHBAY_CHOICE
#undef PATCHBAY_BOUNDED
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
