// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// add, sub, mul, div, maximum, minimum.
#include <array>

#include "dtypes.hpp"

namespace fake {
namespace {

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return a + b;
    else
      return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
  }
};

struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return a - b;
    else
      return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
  }
};

struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return a * b;
    else
      return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
  }
};

struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      if (b == 0) return 0;
      // The one quotient that does not fit: INT_MIN / -1.
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return Sub()(T{0}, a);
      }
      return static_cast<T>(a / b);
    }
  }
};

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return false;
}

struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(a) || (!is_nan(b) && a > b) ? a : b;
  }
};

struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(a) || (!is_nan(b) && a < b) ? a : b;
  }
};

template <class T, class Op>
void binary(Views views) {
  T* const out = views[0].elements<T>();
  const T* const a = views[1].elements<T>();
  const T* const b = views[2].elements<T>();
  for_each<3>({&views[0], &views[1], &views[2]},
              [=](const auto& at) { out[at[0]] = Op()(a[at[1]], b[at[2]]); });
}

template <class Op>
Function choose(Specs specs) {
  if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;
  return for_numbers(specs[0].dtype, [](auto x) -> Function { return binary<decltype(x), Op>; });
}

constexpr std::array<Operator, 6> kOperators = {
    {{"add.1", "oaa", choose<Add>, check_same_shapes},
     {"sub.1", "oaa", choose<Sub>, check_same_shapes},
     {"mul.1", "oaa", choose<Mul>, check_same_shapes},
     {"div.1", "oaa", choose<Div>, check_same_shapes},
     {"maximum.1", "oaa", choose<Maximum>, check_same_shapes},
     {"minimum.1", "oaa", choose<Minimum>, check_same_shapes}}};

}  // namespace

std::span<const Operator> binary_operators() { return kOperators; }

}  // namespace fake
