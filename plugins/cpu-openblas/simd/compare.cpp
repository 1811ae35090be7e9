// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "expressions.hpp"
#include "half_rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

#define PATCHBAY_COMPARE(name, dtypes, expression) \
  struct Compare_##name {                          \
    template <class T>                             \
    static Bool apply(T a, T b) {                  \
      return (expression) ? 1 : 0;                 \
    }                                              \
  };
PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE)
#undef PATCHBAY_COMPARE

#define PATCHBAY_TEST(name, dtypes, expression) \
  struct Test_##name {                          \
    template <class T>                          \
    static Bool apply(T a) {                    \
      return (expression) ? 1 : 0;              \
    }                                           \
  };
PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_TEST)
#undef PATCHBAY_TEST

#define PATCHBAY_LOGIC(name, num_operands, expression)                                          \
  struct Logical_##name {                                                                       \
    static Bool apply(bool a, [[maybe_unused]] bool b = false) { return (expression) ? 1 : 0; } \
  };
PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)
#undef PATCHBAY_LOGIC

// The application's memory may contain bytes other than 0 and 1 for bools.
template <class Op, class T>
struct OfBools {
  static Bool apply(Bool a) { return Op::apply(static_cast<T>(a != 0)); }
  static Bool apply(Bool a, Bool b) {
    return Op::apply(static_cast<T>(a != 0), static_cast<T>(b != 0));
  }
};

/// Calls the row of the mirrored comparison: a > b is b < a.
template <Row row>
void mirrored_row(std::int64_t n, void* out, const void* a, const void* b, const Steps& steps) {
  Steps mirrored = steps;
  mirrored.a = steps.b;
  mirrored.b = steps.a;
  row(n, out, b, a, mirrored);
}

/// The loop over elements of T. Half of the orders are the other half mirrored, and integers are
/// equal if their bits are; this shortens compilation and the library.
template <class Op, class T>
constexpr Row row_of() {
  if constexpr (kSame<Op, Compare_gt>) {
    return mirrored_row<binary_row<Compare_lt, Bool, T, T>>;
  } else if constexpr (kSame<Op, Compare_ge>) {
    return mirrored_row<binary_row<Compare_le, Bool, T, T>>;
  } else if constexpr (!kIsFloat<T> && (kSame<Op, Compare_eq> || kSame<Op, Compare_ne>)) {
    return binary_row<Op, Bool, Bits<T>, Bits<T>>;
  } else {
    return binary_row<Op, Bool, T, T>;
  }
}

template <class Op>
void fill_comparison(Row* rows) {
  for_plain([rows](auto x) {
    using T = decltype(x);
    rows[DtypeOf<T>::value] = row_of<Op, T>();
    if constexpr (kSame<T, float>) {
      rows[PATCHBAY_F16] = tiled_row<row_of<Op, T>(), F16, Bool, 2>;
      rows[PATCHBAY_BF16] = tiled_row<row_of<Op, T>(), Bf16, Bool, 2>;
    }
  });
  rows[PATCHBAY_BOOL] = binary_row<OfBools<Op, Bool>, Bool, Bool, Bool>;
}

/// Tests are of floats.
template <class Op>
void fill_test(Row* rows) {
  for_FLOATS([&](auto x) {
    using T = decltype(x);
    rows[DtypeOf<T>::value] = unary_row<Op, Bool, T>;
  });
  rows[PATCHBAY_F16] = tiled_row<unary_row<Op, Bool, float>, F16, Bool, 1>;
  rows[PATCHBAY_BF16] = tiled_row<unary_row<Op, Bool, float>, Bf16, Bool, 1>;
}

template <class Op>
constexpr Row logic_row_1 = unary_row<OfBools<Op, bool>, Bool, Bool>;
template <class Op>
constexpr Row logic_row_2 = binary_row<OfBools<Op, bool>, Bool, Bool, Bool>;

}  // namespace

void fill_compare(SimdTable& table) {
#define PATCHBAY_COMPARE(name, dtypes, expression) \
  fill_comparison<Compare_##name>(table.compare[number_of(CompareOp::name)]);
  PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE)
#undef PATCHBAY_COMPARE
#define PATCHBAY_TEST(name, dtypes, expression) \
  fill_test<Test_##name>(table.test[number_of(TestOp::name)]);
  PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_TEST)
#undef PATCHBAY_TEST
#define PATCHBAY_LOGIC(name, num_operands, expression) \
  table.logical[number_of(LogicalOp::name)] = logic_row_##num_operands<Logical_##name>;
  PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)
#undef PATCHBAY_LOGIC
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
