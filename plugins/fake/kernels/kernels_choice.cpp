// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operators of three operands.
#include <array>

#include "fake/kernels/expressions.hpp"

namespace fake {
namespace {

template <class First, class T, class Op>
void ternary(Views views) {
  T* const out = views[0].elements<T>();
  const First* const x = views[1].elements<First>();
  const T* const y = views[2].elements<T>();
  const T* const z = views[3].elements<T>();
  for_each<4>({&views[0], &views[1], &views[2], &views[3]},
              [=](const auto& at) { out[at[0]] = Op::apply(x[at[1]], y[at[2]], z[at[3]]); });
}

#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b)                          \
  struct Choice_##name {                                                                           \
    template <class T>                                                                             \
    static T apply(Boolean first, T a, T b) {                                                      \
      const bool condition = first.byte != 0;                                                      \
      return expression;                                                                           \
    }                                                                                              \
    static Function choose(Specs specs) {                                                          \
      const std::uint8_t dtype = specs[0].dtype;                                                   \
      if (specs[1].dtype != PATCHBAY_BOOL || !all_have_dtype(specs.subspan(2), dtype))             \
        return nullptr;                                                                            \
      return for_##dtypes(                                                                         \
          dtype, [](auto x) -> Function { return ternary<Boolean, decltype(x), Choice_##name>; }); \
    }                                                                                              \
  };
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient)       \
  struct Bounded_##name {                                          \
    template <class T>                                             \
    static T apply(T a, T low, T high) {                           \
      return expression;                                           \
    }                                                              \
    static Function choose(Specs specs) {                          \
      if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;  \
      return for_##dtypes(specs[0].dtype, [](auto x) -> Function { \
        return ternary<decltype(x), decltype(x), Bounded_##name>;  \
      });                                                          \
    }                                                              \
  };
PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)
PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)
#undef PATCHBAY_CHOICE
#undef PATCHBAY_BOUNDED

#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  Operator{#name ".1", "otaa", Choice_##name::choose, check_same_shapes},
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  Operator{#name ".1", "otss", Bounded_##name::choose, check_same_shapes},
constexpr auto kOperators =
    std::to_array<Operator>({PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)  //
                             PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)});

}  // namespace

std::span<const Operator> choice_operators() { return kOperators; }

}  // namespace fake
