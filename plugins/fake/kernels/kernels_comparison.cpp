// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Comparison and logic: the result is bool.
#include <array>

#include "fake/kernels/expressions.hpp"

namespace fake {
namespace {

template <class T>
T value_of(T x) {
  return x;
}
bool value_of(Boolean x) { return x.byte != 0; }

template <class T, class Op>
void unary(Views views) {
  Boolean* const out = views[0].elements<Boolean>();
  const T* const a = views[1].elements<T>();
  for_each<2>({&views[0], &views[1]}, [=](const auto& at) {
    out[at[0]] = {static_cast<std::uint8_t>(Op::apply(value_of(a[at[1]])))};
  });
}

template <class T, class Op>
void binary(Views views) {
  Boolean* const out = views[0].elements<Boolean>();
  const T* const a = views[1].elements<T>();
  const T* const b = views[2].elements<T>();
  for_each<3>({&views[0], &views[1], &views[2]}, [=](const auto& at) {
    out[at[0]] = {static_cast<std::uint8_t>(Op::apply(value_of(a[at[1]]), value_of(b[at[2]])))};
  });
}

template <class Op>
Function choose_comparison(Specs specs) {
  // A scalar does not say whether its u8 stands for a bool; the tensor does.
  const std::uint8_t dtype = specs[1].kind == PATCHBAY_TENSOR ? specs[1].dtype : specs[2].dtype;
  if (specs[0].dtype != PATCHBAY_BOOL || !all_have_dtype(specs.subspan(1), dtype)) return nullptr;
  return for_all(dtype, [](auto x) -> Function { return binary<decltype(x), Op>; });
}

// By the number of operands.
template <class Op>
Function choose_logic_1(Specs specs) {
  return all_have_dtype(specs, PATCHBAY_BOOL) ? unary<Boolean, Op> : nullptr;
}
template <class Op>
Function choose_logic_2(Specs specs) {
  return all_have_dtype(specs, PATCHBAY_BOOL) ? binary<Boolean, Op> : nullptr;
}

#define PATCHBAY_COMPARE(name, dtypes, expression) \
  struct Compare_##name {                          \
    template <class T>                             \
    static bool apply(T a, T b) {                  \
      return expression;                           \
    }                                              \
  };
#define PATCHBAY_LOGIC(name, num_operands, expression)                                \
  struct Logical_##name {                                                             \
    static bool apply(bool a, [[maybe_unused]] bool b = false) { return expression; } \
  };
PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE)
PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)
#undef PATCHBAY_COMPARE
#undef PATCHBAY_LOGIC

#define PATCHBAY_COMPARE(name, dtypes, expression) \
  Operator{#name ".1", "oaa", choose_comparison<Compare_##name>, check_same_shapes},
#define PATCHBAY_LOGIC(name, num_operands, expression)     \
  Operator{#name ".1", (num_operands) == 1 ? "ot" : "oaa", \
           choose_logic_##num_operands<Logical_##name>, check_same_shapes},
constexpr auto kOperators =
    std::to_array<Operator>({PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE)  //
                             PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)});

}  // namespace

std::span<const Operator> comparison_operators() { return kOperators; }

}  // namespace fake
