// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What it takes to turn the expressions of the elementwise table into functions of one element,
// with the functions of the standard library.
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_EXPRESSIONS_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_EXPRESSIONS_HPP_

#include <cmath>

#include "patchbay/plugin/kernels/elementwise.h"

#include "fake/kernels/dtypes.hpp"

// The table's casts are those of C.
#pragma GCC diagnostic ignored "-Wold-style-cast"

#define PATCHBAY_DIVIDE(a, b) ((a) / (b))
#define PATCHBAY_SQRT(a) sqrt(a)

namespace fake {

using std::erf;
using std::erfc;
using std::exp;
using std::fabs;
using std::fma;
using std::log;
using std::pow;
using std::sqrt;
using std::tanh;

/// Stands where the table has no expression; never computed.
constexpr int NONE = 0;

/// Integers wrap around in this type.
template <class T>
struct WrapOf {
  using type = std::conditional_t<(sizeof(T) < 4), std::uint32_t, Unsigned<T>>;
};
template <>
struct WrapOf<float> {
  using type = float;
};
template <>
struct WrapOf<double> {
  using type = double;
};
template <class T>
using Wrap = typename WrapOf<T>::type;

// By the names of the table's lists of dtypes.
template <class Chosen>
Function for_FLOATS(std::uint8_t dtype, Chosen chosen) {
  return for_floats(dtype, chosen);
}
template <class Chosen>
Function for_NUMBERS(std::uint8_t dtype, Chosen chosen) {
  return for_numbers(dtype, chosen);
}
template <class Chosen>
Function for_ALL(std::uint8_t dtype, Chosen chosen) {
  return for_all(dtype, chosen);
}

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_EXPRESSIONS_HPP_
