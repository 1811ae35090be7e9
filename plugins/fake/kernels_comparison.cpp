// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_not: the result is bool.
#include <array>
#include <functional>

#include "dtypes.hpp"

namespace fake {
namespace {

template <class T>
T value_of(T x) {
  return x;
}
std::uint8_t value_of(Boolean x) { return static_cast<std::uint8_t>(x.byte != 0); }

template <class T, class Op>
void compare(Views views) {
  Boolean* const out = views[0].elements<Boolean>();
  const T* const a = views[1].elements<T>();
  const T* const b = views[2].elements<T>();
  for_each<3>({&views[0], &views[1], &views[2]}, [=](const auto& at) {
    out[at[0]] = {static_cast<std::uint8_t>(Op()(value_of(a[at[1]]), value_of(b[at[2]])))};
  });
}

void logical_not(Views views) {
  Boolean* const out = views[0].elements<Boolean>();
  const Boolean* const in = views[1].elements<Boolean>();
  for_each<2>({&views[0], &views[1]}, [=](const auto& at) {
    out[at[0]] = {static_cast<std::uint8_t>(in[at[1]].byte == 0)};
  });
}

template <class Op>
Function choose_comparison(Specs specs) {
  // A scalar does not say whether its u8 stands for a bool; the tensor does.
  const std::uint8_t dtype = specs[1].kind == PATCHBAY_TENSOR ? specs[1].dtype : specs[2].dtype;
  if (specs[0].dtype != PATCHBAY_BOOL || !all_have_dtype(specs.subspan(1), dtype)) return nullptr;
  return for_all(dtype, [](auto x) -> Function { return compare<decltype(x), Op>; });
}

template <class Op>
Function choose_logic(Specs specs) {
  return all_have_dtype(specs, PATCHBAY_BOOL) ? compare<Boolean, Op> : nullptr;
}

Function choose_not(Specs specs) {
  return all_have_dtype(specs, PATCHBAY_BOOL) ? logical_not : nullptr;
}

constexpr std::array<Operator, 9> kOperators = {
    {{"eq.1", "oaa", choose_comparison<std::equal_to<>>, check_same_shapes},
     {"ne.1", "oaa", choose_comparison<std::not_equal_to<>>, check_same_shapes},
     {"lt.1", "oaa", choose_comparison<std::less<>>, check_same_shapes},
     {"le.1", "oaa", choose_comparison<std::less_equal<>>, check_same_shapes},
     {"gt.1", "oaa", choose_comparison<std::greater<>>, check_same_shapes},
     {"ge.1", "oaa", choose_comparison<std::greater_equal<>>, check_same_shapes},
     {"logical_and.1", "oaa", choose_logic<std::logical_and<>>, check_same_shapes},
     {"logical_or.1", "oaa", choose_logic<std::logical_or<>>, check_same_shapes},
     {"logical_not.1", "ot", choose_not, check_same_shapes}}};

}  // namespace

std::span<const Operator> comparison_operators() { return kOperators; }

}  // namespace fake
