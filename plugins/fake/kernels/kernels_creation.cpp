// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// fill, arange, copy, cast.
#include <array>
#include <cmath>
#include <limits>

#include "patchbay/plugin/kit/error.hpp"

#include "fake/kernels/dtypes.hpp"

namespace fake {
namespace {

template <class T>
void fill(Views views) {
  T* const out = views[0].elements<T>();
  const T value = *views[1].elements<T>();
  for_each<1>({&views[0]}, [=](const auto& at) { out[at[0]] = value; });
}

template <class T>
void arange(Views views) {
  T* const out = views[0].elements<T>();
  const T start = *views[1].elements<T>(), step = *views[2].elements<T>();
  std::uint64_t i = 0;
  for_each<1>({&views[0]}, [=, &i](const auto& at) {
    if constexpr (std::is_floating_point_v<T>) {
      out[at[0]] = static_cast<T>(double{start} + double{step} * static_cast<double>(i));
    } else {
      out[at[0]] =
          static_cast<T>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(step) * i);
    }
    ++i;
  });
}

/// Floats become integers by truncation and saturate, NaN becomes 0; integers wrap around.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<From, Boolean>) {
    return convert<To>(static_cast<std::uint8_t>(value.byte != 0));
  } else if constexpr (std::is_same_v<To, Boolean>) {
    return {static_cast<std::uint8_t>(value != 0)};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    if (value <= static_cast<From>(std::numeric_limits<To>::min())) {
      return std::numeric_limits<To>::min();
    }
    if (value >= static_cast<From>(std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void cast(Views views) {
  To* const out = views[0].elements<To>();
  const From* const in = views[1].elements<From>();
  for_each<2>({&views[0], &views[1]},
              [=](const auto& at) { out[at[0]] = convert<To, From>(in[at[1]]); });
}

template <class T>
void copy(Views views) {
  T* const out = views[0].elements<T>();
  const T* const in = views[1].elements<T>();
  for_each<2>({&views[0], &views[1]}, [=](const auto& at) { out[at[0]] = in[at[1]]; });
}

Function choose_fill(Specs specs) {
  if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;
  return for_all(specs[0].dtype, [](auto x) -> Function { return fill<decltype(x)>; });
}

Function choose_arange(Specs specs) {
  if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;
  return for_numbers(specs[0].dtype, [](auto x) -> Function { return arange<decltype(x)>; });
}

Function choose_copy(Specs specs) {
  if (!all_have_dtype(specs, specs[0].dtype)) return nullptr;
  return for_all(specs[0].dtype, [](auto x) -> Function { return copy<decltype(x)>; });
}

Function choose_cast(Specs specs) {
  return for_all(specs[0].dtype, [&](auto to) {
    return for_all(specs[1].dtype,
                   [](auto from) -> Function { return cast<decltype(to), decltype(from)>; });
  });
}

void check_arange(Views views) {
  if (views[0].rank != 1) patchbay::plugin::invalid_argument("arange.1: expected rank 1");
}

constexpr std::array<Operator, 4> kOperators = {{{"fill.1", "os", choose_fill, check_same_shapes},
                                                 {"arange.1", "oss", choose_arange, check_arange},
                                                 {"copy.1", "ot", choose_copy, check_same_shapes},
                                                 {"cast.1", "ot", choose_cast, check_same_shapes}}};

}  // namespace

std::span<const Operator> creation_operators() { return kOperators; }

}  // namespace fake
