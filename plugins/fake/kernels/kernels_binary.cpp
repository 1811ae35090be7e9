// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operators of two numbers.
#include <array>

#include "fake/kernels/expressions.hpp"

namespace fake {
namespace {

template <class T, class Op>
void binary(Views views) {
  T* const out = views[0].elements<T>();
  const T* const a = views[1].elements<T>();
  const T* const b = views[2].elements<T>();
  for_each<3>({&views[0], &views[1], &views[2]},
              [=](const auto& at) { out[at[0]] = Op::apply(a[at[1]], b[at[2]]); });
}

#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b)                   \
  struct Binary_##name {                                                                          \
    template <class T>                                                                            \
    static T apply(T a, T b) {                                                                    \
      using W [[maybe_unused]] = Wrap<T>;                                                         \
      if constexpr (std::is_floating_point_v<T>)                                                  \
        return floats;                                                                            \
      else                                                                                        \
        return integers;                                                                          \
    }                                                                                             \
    static Function choose(Specs specs) {                                                         \
      if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;                                 \
      return for_##dtypes(specs[0].dtype,                                                         \
                          [](auto x) -> Function { return binary<decltype(x), Binary_##name>; }); \
    }                                                                                             \
  };
PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)
#undef PATCHBAY_BINARY

#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  Operator{#name ".1", "oaa", Binary_##name::choose, check_same_shapes},
constexpr auto kOperators = std::to_array<Operator>({PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)});

}  // namespace

std::span<const Operator> binary_operators() { return kOperators; }

}  // namespace fake
