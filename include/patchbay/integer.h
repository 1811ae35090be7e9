// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Integer parameters that accept neither bools nor floating-point numbers.
#ifndef PATCHBAY_INTEGER_H_
#define PATCHBAY_INTEGER_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace patchbay {

/// Integers and unscoped enumerators; no bool, no floating-point number.
template <class N>
concept AnyInteger = (std::integral<N> && !std::same_as<N, bool>) ||
                     (std::is_enum_v<N> && std::convertible_to<N, std::int64_t>);

/// A parameter that takes any integer: `sum(a, true)` and `a[1.5]` do not compile. An integer
/// beyond the range of T becomes its lowest or highest value, which is never a valid dimension or
/// index.
template <std::signed_integral T>
class Integer {
 public:
  template <AnyInteger N>
  constexpr Integer(N value) {  // NOLINT(google-explicit-constructor): a.size(1)
    const auto number = +value;
    if (std::cmp_less(number, std::numeric_limits<T>::min())) {
      value_ = std::numeric_limits<T>::min();
    } else if (std::cmp_greater(number, std::numeric_limits<T>::max())) {
      value_ = std::numeric_limits<T>::max();
    } else {
      value_ = static_cast<T>(number);
    }
  }
  constexpr operator T() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  T value_ = 0;
};

/// The number of a dimension; negative ones count from the end.
using Dim = Integer<int>;
/// An index along a dimension; negative ones count from the end.
using Index = Integer<std::int64_t>;

}  // namespace patchbay

#endif  // PATCHBAY_INTEGER_H_
