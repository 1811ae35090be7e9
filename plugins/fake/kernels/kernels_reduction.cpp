// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// sum, min, max, argmin, argmax, sum_squares, sum_abs, max_abs. A dimension in which the output has
// extent 1 and the input another is reduced.
#include <array>
#include <cmath>
#include <string>

#include "patchbay/plugin/kit/error.hpp"

#include "fake/kernels/dtypes.hpp"

namespace fake {
namespace {

/// Sums of f32 are kept in f64, those of f64 in what the host has beyond, for they are made one
/// after the other; those of integers wrap around in 64 bits.
template <class T>
struct WideOf {
  using type = std::uint64_t;
};
template <>
struct WideOf<float> {
  using type = double;
};
template <>
struct WideOf<double> {
  using type = long double;
};
template <class T>
using Wide = typename WideOf<T>::type;
/// What sums of T are given as.
template <class T>
using Total = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;

template <class T>
Wide<T> magnitude(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(Wide<T>{x});
  else
    return x < 0 ? std::uint64_t{0} - static_cast<Wide<T>>(x) : static_cast<Wide<T>>(x);
}

// Each fold sees the elements of one result in row-major order.
template <class T>
struct Sum {
  using Out = Total<T>;
  Wide<T> total{};
  void add(T x) { total += static_cast<Wide<T>>(x); }
  Out result() const { return static_cast<Out>(total); }
};

template <class T>
struct SumSquares : Sum<T> {
  void add(T x) { this->total += static_cast<Wide<T>>(x) * static_cast<Wide<T>>(x); }
};

template <class T>
struct SumAbs : Sum<T> {
  void add(T x) { this->total += magnitude(x); }
};

template <class T>
struct MaxAbs {
  using Out = Total<T>;
  Wide<T> most{};
  void add(T x) {
    const Wide<T> size = magnitude(x);
    if (most == most && !(size <= most)) most = size;  // also if size is NaN
  }
  Out result() const { return static_cast<Out>(most); }
};

/// The first of the extremes; a NaN beats all.
template <class T, int kSign>
struct Extreme {
  T best{};
  std::int64_t index = -1, count = 0;
  void add(T x) {
    const bool beats = kSign > 0 ? x > best : x < best;
    if (index < 0 || (best == best && (beats || x != x))) {
      best = x;
      index = count;
    }
    ++count;
  }
};

template <class T>
struct Min : Extreme<T, -1> {
  using Out = T;
  Out result() const { return this->best; }
};
template <class T>
struct Max : Extreme<T, 1> {
  using Out = T;
  Out result() const { return this->best; }
};
template <class T>
struct ArgMin : Extreme<T, -1> {
  using Out = std::int64_t;
  Out result() const { return this->index; }
};
template <class T>
struct ArgMax : Extreme<T, 1> {
  using Out = std::int64_t;
  Out result() const { return this->index; }
};

template <class T, class Fold>
void reduce(Views views) {
  using Out = typename Fold::Out;
  Out* const out = views[0].elements<Out>();
  const T* const in = views[1].elements<T>();
  View inner = views[1];  // the elements of one result
  View first = views[1];  // for each result, where they begin
  for (std::size_t d = 0; d < static_cast<std::size_t>(inner.rank); ++d) {
    if (views[0].shape[d] == views[1].shape[d])
      inner.shape[d] = 1;
    else
      first.strides[d] = 0;
  }
  for_each<2>({&views[0], &first}, [&](const auto& at) {
    Fold fold;
    for_each<1>({&inner}, [&](const auto& of) { fold.add(in[at[1] + of[0]]); });
    out[at[0]] = fold.result();
  });
}

template <class T>
constexpr std::uint8_t dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return PATCHBAY_F32;
  else if constexpr (std::is_same_v<T, double>)
    return PATCHBAY_F64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return PATCHBAY_I32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return PATCHBAY_I64;
  else
    return PATCHBAY_U8;
}

template <template <class> class Fold>
Function choose(Specs specs) {
  const std::uint8_t in = specs[1].dtype;
  return for_numbers(in == PATCHBAY_BOOL ? std::uint8_t{PATCHBAY_U8} : in, [&](auto x) -> Function {
    using T = decltype(x);
    using Out = typename Fold<T>::Out;
    // The least and the greatest of bools are bools.
    const std::uint8_t out = std::is_same_v<T, Out> ? in : dtype_of<Out>();
    return specs[0].dtype == out ? reduce<T, Fold<T>> : nullptr;
  });
}

void check_reduction(Views views) {
  const View &out = views[0], &in = views[1];
  if (out.rank != in.rank) patchbay::plugin::invalid_argument("reduction: ranks differ");
  for (std::size_t d = 0; d < static_cast<std::size_t>(in.rank); ++d) {
    if (out.shape[d] == in.shape[d] || out.shape[d] == 1) continue;
    patchbay::plugin::invalid_argument("reduction: dimension " + std::to_string(d) + " of " +
                                       std::to_string(in.shape[d]) + " elements to " +
                                       std::to_string(out.shape[d]));
  }
}

/// Of no elements there is no extreme.
void check_extreme(Views views) {
  check_reduction(views);
  for (std::size_t d = 0; d < static_cast<std::size_t>(views[1].rank); ++d) {
    if (views[1].shape[d] == 0 && views[0].shape[d] != 0) {
      patchbay::plugin::invalid_argument("reduction: the extreme of no elements");
    }
  }
}

constexpr std::array<Operator, 8> kOperators = {
    {{"sum.1", "ot", choose<Sum>, check_reduction},
     {"min.1", "ot", choose<Min>, check_extreme},
     {"max.1", "ot", choose<Max>, check_extreme},
     {"argmin.1", "ot", choose<ArgMin>, check_extreme},
     {"argmax.1", "ot", choose<ArgMax>, check_extreme},
     {"sum_squares.1", "ot", choose<SumSquares>, check_reduction},
     {"sum_abs.1", "ot", choose<SumAbs>, check_reduction},
     {"max_abs.1", "ot", choose<MaxAbs>, check_reduction}}};

}  // namespace

std::span<const Operator> reduction_operators() { return kOperators; }

}  // namespace fake
