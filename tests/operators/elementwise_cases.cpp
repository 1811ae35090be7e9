// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Arithmetic, functions, comparisons and logic, element by element.
#include <cmath>
#include <functional>
#include <optional>
#include <type_traits>

#include <patchbay/ops.h>

#include "conformance/reference/elementwise.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

using Unary = Tensor (*)(const Tensor&);
using UnaryOut = const Tensor& (*)(const Tensor&, const Tensor&);
using AnyUnary = std::function<Tensor(const Tensor&)>;
using AnyUnaryOut = std::function<const Tensor&(const Tensor&, const Tensor&)>;
using Binary = Tensor (*)(const Tensor&, const Tensor&);
using BinaryOut = const Tensor& (*)(const Tensor&, const Tensor&, const Tensor&);

/// Values of T as what references take.
template <class T>
std::vector<Exact<T>> exact(const Values<T>& values) {
  std::vector<Exact<T>> result;
  result.reserve(values.size());
  for (const auto value : values) result.push_back(static_cast<Exact<T>>(value));
  return result;
}

template <class R, class T>
using OfOne = std::function<Exact<R>(Exact<T>)>;
template <class R, class T>
using OfTwo = std::function<Exact<R>(Exact<T>, Exact<T>)>;

template <class R, class T>
void check_values(const Device& device, const OperatorInfo& record, const AnyUnary& op,
                  const AnyUnaryOut& op_out, const OfOne<R, T>& reference, const Values<T>& values,
                  const Arrangement& at) {
  const std::string what = std::string(record.name) + ' ' + at.name;
  const Tensor a = arrange<T>(values, at.shape, at.a, device);
  std::vector<Exact<R>> expected;
  for (const Exact<T> value : exact<T>(values)) expected.push_back(reference(value));
  const double ulps = record.bound.of(dtype_of<R>());
  expect_within<R>(download<R>(op(a)), expected, ulps, what);
  const Tensor out = arrange<R>(Values<R>(values.size()), at.shape, at.b, device);
  expect_within<R>(download<R>(op_out(out, a)), expected, ulps, what + " out");
  if constexpr (std::is_same_v<R, T>) {
    expect_within<R>(download<R>(op_out(a, a)), expected, ulps, what + " in place");
  }
}

template <class R, class T>
void check_unary(const Device& device, const OperatorInfo& record, const AnyUnary& op,
                 const AnyUnaryOut& op_out, const OfOne<R, T>& reference) {
  std::vector<Arrangement> all = arrangements();
  for (const Layout layout : kLayouts) all.push_back({"plane", {2, 33}, layout, layout});
  for (const Arrangement& at : all) {
    const Values<T> values = random_values<T>(count_of(at.shape), 7);
    check_values<R, T>(device, record, op, op_out, reference, values, at);
  }
}

/// Evenly spread over the ordinary operands of a function; an odd number of work-groups.
template <class T>
void check_range(const Device& device, const OperatorInfo& record, const AnyUnary& op,
                 const AnyUnaryOut& op_out, const OfOne<T, T>& reference) {
  if (record.name == "sqrt") return;
  const conformance::Function& function = conformance::find_function(record.name);
  if (function.low == function.high) return;
  constexpr int kCount = 20001;
  Values<T> values;
  for (int i = 0; i < kCount; ++i) {
    const double part = static_cast<double>(i) / (kCount - 1);
    values.push_back(T(function.low + (function.high - function.low) * part));
  }
  check_values<T, T>(device, record, op, op_out, reference, values, {"range", {kCount}});
}

/// `a` and `b` broadcast to rows and columns of a plane.
template <class R, class T>
void check_broadcast(const Device& device, const OperatorInfo& record, Binary op,
                     const OfTwo<R, T>& reference) {
  const Values<T> row = random_values<T>(37, 1), column = random_values<T>(19, 2);
  std::vector<Exact<R>> expected;
  for (const Exact<T> y : exact<T>(column)) {
    for (const Exact<T> x : exact<T>(row)) expected.push_back(reference(x, y));
  }
  const Tensor a = upload<T>(row, {37}, device), b = upload<T>(column, {19, 1}, device);
  expect_within<R>(download<R>(op(a, b)), expected, record.bound.of(dtype_of<R>()),
                   std::string(record.name) + " broadcast");
}

template <class R, class T>
void check_binary(const Device& device, const OperatorInfo& record, Binary op, BinaryOut op_out,
                  const OfTwo<R, T>& reference) {
  for (const Arrangement& at : arrangements_of_two()) {
    const std::string what = std::string(record.name) + ' ' + at.name;
    const Values<T> x = random_values<T>(count_of(at.shape), 11);
    const Values<T> y = random_values<T>(count_of(at.shape), 12);
    const Tensor a = arrange<T>(x, at.shape, at.a, device);
    const Tensor b = arrange<T>(y, at.shape, at.b, device);
    const auto left = exact<T>(x), right = exact<T>(y);
    std::vector<Exact<R>> expected;
    for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(reference(left[i], right[i]));
    const double ulps = record.bound.of(dtype_of<R>());
    expect_within<R>(download<R>(op(a, b)), expected, ulps, what);
    const Tensor out = arrange<R>(Values<R>(x.size()), at.shape, at.b, device);
    expect_within<R>(download<R>(op_out(out, a, b)), expected, ulps, what + " out");
    if constexpr (std::is_same_v<R, T>) {
      expect_within<R>(download<R>(op_out(a, a, b)), expected, ulps, what + " in place");
    }
  }
  check_broadcast<R, T>(device, record, op, reference);
}

/// Operators that keep the dtype.
template <Types kTypes>
OperatorCase unary(std::string_view name, Unary op, UnaryOut op_out) {
  return case_of<kTypes>(name, [=](const Device& device, const OperatorInfo& record, auto zero) {
    using T = decltype(zero);
    const auto reference = conformance::function_of_one<Exact<T>>(name);
    check_unary<T, T>(device, record, op, op_out, reference);
    if constexpr (kTypes == Types::kFloats) check_range<T>(device, record, op, op_out, reference);
  });
}
template <Types kTypes>
OperatorCase binary(std::string_view name, Binary op, BinaryOut op_out) {
  return case_of<kTypes>(name, [=](const Device& device, const OperatorInfo& record, auto zero) {
    using T = decltype(zero);
    check_binary<T, T>(device, record, op, op_out, conformance::function_of_two<Exact<T>>(name));
  });
}

template <class T>
void check_where(const Device& device, const OperatorInfo&) {
  for (const Arrangement& at : arrangements_of_two()) {
    const std::size_t count = count_of(at.shape);
    const Values<bool> conditions = random_values<bool>(count, 21);
    const Values<T> x = random_values<T>(count, 22), y = random_values<T>(count, 23);
    const Tensor condition = arrange<bool>(conditions, at.shape, at.b, device);
    const Tensor a = arrange<T>(x, at.shape, at.a, device);
    const Tensor b = arrange<T>(y, at.shape, at.b, device);
    std::vector<Exact<T>> expected, with_number;
    const auto number = static_cast<Stored<T>>(1);
    for (std::size_t i = 0; i < count; ++i) {
      expected.push_back(static_cast<Exact<T>>(conditions[i] != 0 ? x[i] : y[i]));
      with_number.push_back(static_cast<Exact<T>>(conditions[i] != 0 ? x[i] : number));
    }
    expect_within<T>(download<T>(where(condition, a, b)), expected, 0, "where " + at.name);
    const Tensor out = arrange<T>(Values<T>(count), at.shape, at.a, device);
    expect_within<T>(download<T>(where_out(out, condition, a, b)), expected, 0, "where out");
    expect_within<T>(download<T>(where(condition, a, number)), with_number, 0, "where number");
    expect_within<T>(download<T>(where_out(a, condition, a, b)), expected, 0, "where in place");
  }
}

template <class T>
void check_clamp(const Device& device, const OperatorInfo& record) {
  using Bound = std::optional<Scalar>;
  const auto check = [&](const Bound& low, const Bound& high, auto bounded) {
    check_unary<T, T>(
        device, record, [&](const Tensor& a) { return clamp(a, low, high); },
        [&](const Tensor& out, const Tensor& a) -> const Tensor& {
          return clamp_out(out, a, low, high);
        },
        bounded);
  };
  using E = Exact<T>;
  check(1, 3, [](E a) { return a < 1 ? E(1) : a > 3 ? E(3) : a; });
  check(1, {}, [](E a) { return a < 1 ? E(1) : a; });
  check({}, 3, [](E a) { return a > 3 ? E(3) : a; });
  check(4, 4, [](E a) { return a != a ? a : E(4); });
}

/// Operators that return bools.
template <Types kTypes, class Reference>
OperatorCase comparison(std::string_view name, Binary op, BinaryOut op_out, Reference reference) {
  return case_of<kTypes>(name, [=](const Device& device, const OperatorInfo& record, auto zero) {
    check_binary<bool, decltype(zero)>(device, record, op, op_out, reference);
  });
}
template <Types kTypes, class Reference>
OperatorCase test_of_one(std::string_view name, Unary op, UnaryOut op_out, Reference reference) {
  return case_of<kTypes>(name, [=](const Device& device, const OperatorInfo& record, auto zero) {
    check_unary<bool, decltype(zero)>(device, record, op, op_out, reference);
  });
}

}  // namespace

// The functions of ops.h are overloaded: the types choose.
// clang-format off
#define PATCHBAY_OVERLOADS(kind, name) \
  #name, static_cast<kind>(name), static_cast<kind##Out>(name##_out)
// clang-format on
#define PATCHBAY_UNARY(name) unary<Types::kNumbers>(PATCHBAY_OVERLOADS(Unary, name))
#define PATCHBAY_FUNCTION(name) unary<Types::kFloats>(PATCHBAY_OVERLOADS(Unary, name))
#define PATCHBAY_BINARY(name) binary<Types::kNumbers>(PATCHBAY_OVERLOADS(Binary, name))
#define PATCHBAY_FUNCTION_OF_TWO(name) binary<Types::kFloats>(PATCHBAY_OVERLOADS(Binary, name))
#define PATCHBAY_TEST(types, name, ...) \
  test_of_one<Types::types>(PATCHBAY_OVERLOADS(Unary, name), __VA_ARGS__)
#define PATCHBAY_COMPARISON(types, name, op) \
  comparison<Types::types>(PATCHBAY_OVERLOADS(Binary, name), [](auto a, auto b) { return a op b; })

OperatorCases elementwise_cases() {
  // clang-format off
  return {
      PATCHBAY_BINARY(add), PATCHBAY_BINARY(sub), PATCHBAY_BINARY(mul), PATCHBAY_BINARY(div),
      PATCHBAY_BINARY(maximum), PATCHBAY_BINARY(minimum), PATCHBAY_BINARY(remainder),
      PATCHBAY_FUNCTION_OF_TWO(pow), PATCHBAY_FUNCTION_OF_TWO(atan2),
      PATCHBAY_FUNCTION_OF_TWO(leaky_relu), PATCHBAY_FUNCTION_OF_TWO(elu),
      PATCHBAY_UNARY(neg), PATCHBAY_UNARY(abs), PATCHBAY_UNARY(square), PATCHBAY_UNARY(relu),
      PATCHBAY_UNARY(floor), PATCHBAY_UNARY(ceil), PATCHBAY_UNARY(round), PATCHBAY_UNARY(trunc),
      PATCHBAY_UNARY(sign),
      PATCHBAY_FUNCTION(sqrt), PATCHBAY_FUNCTION(exp), PATCHBAY_FUNCTION(log),
      PATCHBAY_FUNCTION(rsqrt), PATCHBAY_FUNCTION(sigmoid), PATCHBAY_FUNCTION(tanh),
      PATCHBAY_FUNCTION(erf), PATCHBAY_FUNCTION(gelu), PATCHBAY_FUNCTION(sin),
      PATCHBAY_FUNCTION(cos), PATCHBAY_FUNCTION(tan), PATCHBAY_FUNCTION(exp2),
      PATCHBAY_FUNCTION(expm1), PATCHBAY_FUNCTION(log1p), PATCHBAY_FUNCTION(log2),
      PATCHBAY_FUNCTION(silu), PATCHBAY_FUNCTION(softplus),
      PATCHBAY_TEST(kFloats, isnan, [](auto a) { return std::isnan(a); }),
      PATCHBAY_TEST(kFloats, isinf, [](auto a) { return std::isinf(a); }),
      PATCHBAY_TEST(kFloats, isfinite, [](auto a) { return std::isfinite(a); }),
      PATCHBAY_TEST(kBools, logical_not, std::logical_not<>()),
      case_of<Types::kAll>("where", PATCHBAY_OF_TYPES(check_where)),
      case_of<Types::kNumbers>("clamp", PATCHBAY_OF_TYPES(check_clamp)),
      PATCHBAY_COMPARISON(kAll, eq, ==), PATCHBAY_COMPARISON(kAll, ne, !=),
      PATCHBAY_COMPARISON(kAll, lt, <), PATCHBAY_COMPARISON(kAll, le, <=),
      PATCHBAY_COMPARISON(kAll, gt, >), PATCHBAY_COMPARISON(kAll, ge, >=),
      PATCHBAY_COMPARISON(kBools, logical_and, &&), PATCHBAY_COMPARISON(kBools, logical_or, ||)};
  // clang-format on
}

}  // namespace patchbay::test
