// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Host arrays, and how far a result is from its reference.
#ifndef PATCHBAY_TESTS_OPERATORS_REFERENCE_H_
#define PATCHBAY_TESTS_OPERATORS_REFERENCE_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/operators.h>
#include <patchbay/tensor.h>

#include "conformance/reference/number.h"

namespace patchbay::test {

using conformance::Bf16;
using conformance::Exact;
using conformance::F16;
using conformance::kIsFloat;
template <class T>
constexpr bool kIsSmall = conformance::kIsHalf<T>;

/// The dtype of a type of elements, F16 and Bf16 included.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, F16>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, Bf16>)
    return DType::bf16;
  else
    return patchbay::dtype_of<T>();
}

/// Elements as vectors hold them: a bool is a byte, a 16-bit float an f32 of its value.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t,
                                  std::conditional_t<kIsSmall<T>, float, T>>;
template <class T>
using Values = std::vector<Stored<T>>;

/// Whether operators compute in it: not in bools, nor in what is only kept.
template <class T>
constexpr bool kIsNumber = kIsFloat<T> || std::is_same_v<T, std::int32_t> ||
                           std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint8_t>;

template <class T>
using Terms = std::vector<conformance::Term<Exact<T>>>;

template <class Body>
void with_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::f32: return body(float{});
    case DType::f64: return body(double{});
    case DType::i32: return body(std::int32_t{});
    case DType::i64: return body(std::int64_t{});
    case DType::u8: return body(std::uint8_t{});
    case DType::boolean: return body(bool{});
    case DType::f16: return body(F16{});
    case DType::bf16: return body(Bf16{});
    case DType::i8: return body(std::int8_t{});
    case DType::i16: return body(std::int16_t{});
    case DType::u16: return body(std::uint16_t{});
    case DType::u32: return body(std::uint32_t{});
    case DType::u64: return body(std::uint64_t{});
    case DType::c64:
    case DType::c128: break;  // kernels compute with the parts
  }
  FAIL() << "no reference for " << to_string(dtype) << ": a device has it, so it needs one";
}

/// Random values, with what arithmetic trips over among them: zeros, infinities, NaN, subnormals,
/// the ends of the range.
template <class T>
Values<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  Values<T> values(count);
  if constexpr (std::is_same_v<T, bool>) {
    for (auto& value : values) value = engine() % 2 == 0 ? 0 : 1;
  } else if constexpr (kIsFloat<T>) {
    using Limits = std::numeric_limits<T>;
    const T specials[] = {T(0),
                          -T(0),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          Limits::denorm_min(),
                          -Limits::min() / 3,
                          Limits::max(),
                          Limits::lowest(),
                          T(1),
                          T(-1)};
    std::normal_distribution<Stored<T>> draw(0, 4);
    for (auto& value : values) {
      value = engine() % 16 == 0 ? specials[engine() % std::size(specials)] : T(draw(engine));
    }
  } else {
    using Limits = std::numeric_limits<T>;
    const T specials[] = {T(0), T(1), static_cast<T>(-1), Limits::max(), Limits::min()};
    std::uniform_int_distribution<int> draw(std::is_signed_v<T> ? -100 : 0, 100);
    for (auto& value : values) {
      value = engine() % 8 == 0 ? specials[engine() % std::size(specials)]
                                : static_cast<T>(draw(engine));
    }
  }
  return values;
}

/// Finite ones of magnitudes near 1, for sums whose terms are to count.
template <class T>
Values<T> tame_values(std::size_t count, unsigned seed) {
  if constexpr (!kIsFloat<T>) {
    return random_values<T>(count, seed);
  } else {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<Stored<T>> draw(-2, 2);
    Values<T> values(count);
    for (auto& value : values) value = T(draw(engine));
    return values;
  }
}

/// Small whole numbers. Their sums and products are exact, and many of them are equal.
template <class T>
Values<T> whole_values(std::size_t count, unsigned seed, int most = 8) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> draw(std::is_signed_v<Stored<T>> ? -most : 0, most);
  Values<T> values(count);
  for (auto& value : values) {
    const int drawn = draw(engine);
    value = static_cast<Stored<T>>(std::is_same_v<T, bool> ? drawn % 2 : drawn);
  }
  return values;
}

template <class T>
Tensor upload(const Values<T>& values, const Shape& shape, const Device& device) {
  if constexpr (kIsSmall<T>) {
    std::vector<std::uint16_t> bits;
    for (const float value : values) bits.push_back(T(value).bits());
    return from_host_bytes(bits.data(), dtype_of<T>(), shape, device);
  } else {
    return from_host_bytes(values.data(), dtype_of<T>(), shape, device);
  }
}
template <class T>
Values<T> download(const Tensor& tensor) {
  using Fetched = std::conditional_t<kIsSmall<T>, float, T>;
  const auto values = tensor.to_vector<Fetched>();
  return Values<T>(values.begin(), values.end());
}

/// One unit in the last place of `exact` among the values of T.
template <class T, class E>
E unit_in_last_place(E exact) {
  using Limits = std::numeric_limits<T>;
  if (!(std::fabs(exact) > Limits::min())) return static_cast<E>(Limits::denorm_min());
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::ldexp(E(1), exponent - Limits::digits);
}

/// Whether `got` is within `ulps` of `exact`; 0: it is the nearest value. `scale`: what the units
/// are of, at least |exact|.
template <class T, class E>
bool is_within(Stored<T> got, E exact, double ulps, E scale) {
  if constexpr (!kIsFloat<T>) {
    return got == static_cast<Stored<T>>(exact);
  } else {
    if (std::isnan(exact)) return std::isnan(got);
    if (std::isinf(exact)) return got == static_cast<Stored<T>>(exact);
    if (std::isnan(got)) return false;
    using Limits = std::numeric_limits<T>;
    const E unit = unit_in_last_place<T>(scale);
    if (std::isinf(got)) {  // where the exact result is, or nearly is, beyond the range
      const E room = (static_cast<E>(ulps) + E(0.5)) * unit_in_last_place<T>(E(Limits::max()));
      return std::signbit(got) == std::signbit(exact) &&
             std::fabs(exact) >= static_cast<E>(Limits::max()) - room;
    }
    // A little more than half a unit, for the reference itself is rounded.
    const E allowed = std::max(static_cast<E>(ulps), E(0.5) + E(1e-3)) * unit;
    return std::fabs(static_cast<E>(got) - exact) <= allowed;
  }
}

template <class E>
conformance::Term<E> term_of(E exact) {
  return {exact, exact};
}
template <class E>
conformance::Term<E> term_of(const conformance::Term<E>& term) {
  return term;
}

/// Asserts it for a whole result. The elements of `expected` are values or terms.
template <class T, class Element>
void expect_within(const Values<T>& got, const std::vector<Element>& expected, double ulps,
                   const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto [value, scale] = term_of(expected[i]);
    const bool fits = is_within<T>(got[i], value, ulps, scale);
    ASSERT_TRUE(fits) << what << " at " << i << ": expected " << +value << " within " << ulps
                      << " ulp, got " << +got[i];
  }
}

/// All elements are equal; a NaN equals any NaN.
template <class T>
void expect_same(const Values<T>& got, const Values<T>& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != got[i] && expected[i] != expected[i]) continue;
    ASSERT_EQ(+got[i], +expected[i]) << what << " at " << i;
  }
}

/// Compares within the bound of the operator's record.
template <class T, class Element>
void expect_terms(const Values<T>& got, const std::vector<Element>& expected,
                  const OperatorInfo& record, const std::string& what) {
  expect_within<T>(got, expected, record.bound.of(dtype_of<T>()), what);
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_OPERATORS_REFERENCE_H_
