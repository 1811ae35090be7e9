// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operators of one number.
#include <array>

#include "fake/kernels/expressions.hpp"

namespace fake {
namespace {

template <class T, class Op>
void unary(Views views) {
  T* const out = views[0].elements<T>();
  const T* const in = views[1].elements<T>();
  for_each<2>({&views[0], &views[1]}, [=](const auto& at) { out[at[0]] = Op::apply(in[at[1]]); });
}

#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient)                                \
  struct Unary_##name {                                                                         \
    template <class T>                                                                          \
    static T apply(T a) {                                                                       \
      using W [[maybe_unused]] = Wrap<T>;                                                       \
      if constexpr (std::is_floating_point_v<T>)                                                \
        return floats;                                                                          \
      else                                                                                      \
        return integers;                                                                        \
    }                                                                                           \
    static Function choose(Specs specs) {                                                       \
      if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;                               \
      return for_##dtypes(specs[0].dtype,                                                       \
                          [](auto x) -> Function { return unary<decltype(x), Unary_##name>; }); \
    }                                                                                           \
  };
PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)
#undef PATCHBAY_UNARY

#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient) \
  Operator{#name ".1", "ot", Unary_##name::choose, check_same_shapes},
constexpr auto kOperators = std::to_array<Operator>({PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)});

}  // namespace

std::span<const Operator> unary_operators() { return kOperators; }

}  // namespace fake
