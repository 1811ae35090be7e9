// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// neg, abs, square of numbers; sqrt, exp, log of floats.
#include <array>
#include <cmath>

#include "dtypes.hpp"

namespace fake {
namespace {

struct Neg {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return -x;
    else
      return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(x));
  }
};

struct Abs {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(x);
    else
      return x < 0 ? Neg()(x) : x;
  }
};

struct Square {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return x * x;
    else
      return static_cast<T>(static_cast<Unsigned<T>>(x) * static_cast<Unsigned<T>>(x));
  }
};

struct Sqrt {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};

struct Exp {
  template <class T>
  T operator()(T x) const {
    return std::exp(x);
  }
};

struct Log {
  template <class T>
  T operator()(T x) const {
    return std::log(x);
  }
};

template <class T, class Op>
void unary(Views views) {
  T* const out = views[0].elements<T>();
  const T* const in = views[1].elements<T>();
  for_each<2>({&views[0], &views[1]}, [=](const auto& at) { out[at[0]] = Op()(in[at[1]]); });
}

template <class Op>
Function choose_number(Specs specs) {
  if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;
  return for_numbers(specs[0].dtype, [](auto x) -> Function { return unary<decltype(x), Op>; });
}

template <class Op>
Function choose_float(Specs specs) {
  if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;
  return for_floats(specs[0].dtype, [](auto x) -> Function { return unary<decltype(x), Op>; });
}

constexpr std::array<Operator, 6> kOperators = {
    {{"neg.1", "ot", choose_number<Neg>, check_same_shapes},
     {"abs.1", "ot", choose_number<Abs>, check_same_shapes},
     {"square.1", "ot", choose_number<Square>, check_same_shapes},
     {"sqrt.1", "ot", choose_float<Sqrt>, check_same_shapes},
     {"exp.1", "ot", choose_float<Exp>, check_same_shapes},
     {"log.1", "ot", choose_float<Log>, check_same_shapes}}};

}  // namespace

std::span<const Operator> unary_operators() { return kOperators; }

}  // namespace fake
