// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Arithmetic, functions, comparisons and logic, element by element.
#include <cmath>
#include <type_traits>

#include <patchbay/ops.h>

#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

using Unary = Tensor (*)(const Tensor&);
using UnaryOut = const Tensor& (*)(const Tensor&, const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);
using BinaryOut = const Tensor& (*)(const Tensor&, const Tensor&, const Tensor&);

// ------------------------------------------------------------------------------- references
// On exact values of floats; on integers as they wrap.

template <class T>
T wrapped(std::uint64_t bits) {
  return static_cast<T>(bits);
}
template <class T>
std::uint64_t bits_of(T value) {
  return static_cast<std::uint64_t>(value);
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>)
      return a + b;
    else
      return wrapped<T>(bits_of(a) + bits_of(b));
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>)
      return a - b;
    else
      return wrapped<T>(bits_of(a) - bits_of(b));
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>)
      return a * b;
    else
      return wrapped<T>(bits_of(a) * bits_of(b));
  }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (kIsFloat<T>) {
      return a / b;
    } else {
      if (b == 0) return 0;
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return wrapped<T>(0 - bits_of(a));
      return static_cast<T>(a / b);
    }
  }
};
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    if (a != a) return a;
    return b != b || b > a ? b : a;
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    if (a != a) return a;
    return b != b || b < a ? b : a;
  }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    if constexpr (kIsFloat<T>)
      return -a;
    else
      return wrapped<T>(0 - bits_of(a));
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    if constexpr (kIsFloat<T>)
      return std::fabs(a);
    else
      return a < 0 ? Neg()(a) : a;
  }
};
struct Square {
  template <class T>
  T operator()(T a) const {
    return Mul()(a, a);
  }
};
struct Relu {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? T(0) : a;
  }
};
constexpr auto kPow = [](auto a, auto b) { return std::pow(a, b); };
constexpr auto kRsqrt = [](auto a) { return 1 / std::sqrt(a); };
constexpr auto kSigmoid = [](auto a) { return 1 / (1 + std::exp(-a)); };
constexpr auto kTanh = [](auto a) { return std::tanh(a); };
constexpr auto kErf = [](auto a) { return std::erf(a); };
/// erfc keeps its digits where 1 + erf cancels.
constexpr auto kGelu = [](auto a) { return a / 2 * std::erfc(-a / std::sqrt(decltype(a)(2))); };
constexpr auto kSqrt = [](auto a) { return std::sqrt(a); };
constexpr auto kExp = [](auto a) { return std::exp(a); };
constexpr auto kLog = [](auto a) { return std::log(a); };

constexpr auto kSin = [](auto a) { return std::sin(a); };
constexpr auto kCos = [](auto a) { return std::cos(a); };
constexpr auto kTan = [](auto a) { return std::tan(a); };
constexpr auto kAtan2 = [](auto a, auto b) { return std::atan2(a, b); };
constexpr auto kExp2 = [](auto a) { return std::exp2(a); };
constexpr auto kExpm1 = [](auto a) { return std::expm1(a); };
constexpr auto kLog1p = [](auto a) { return std::log1p(a); };
constexpr auto kLog2 = [](auto a) { return std::log2(a); };
constexpr auto kSilu = [](auto a) { return a / (1 + std::exp(-a)); };
constexpr auto kSoftplus = [](auto a) {
  return a > 0 ? a + std::log1p(std::exp(-a)) : std::log1p(std::exp(a));
};
constexpr auto kLeakyRelu = [](auto a, auto b) { return a > 0 ? a : a * b; };
constexpr auto kElu = [](auto a, auto b) { return a > 0 ? a : b * std::expm1(a); };
constexpr auto kSign = [](auto a) { return decltype(a)(a > 0 ? 1 : a < 0 ? -1 : 0); };
/// Integers stay.
template <class Function>
constexpr auto of_floats(Function function) {
  return [function](auto a) {
    if constexpr (std::is_floating_point_v<decltype(a)>)
      return function(a);
    else
      return a;
  };
}
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else {
      if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return 0;
      const auto rest = static_cast<T>(a % b);
      return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
    }
  }
};

// ------------------------------------------------------------------------------- runs

/// Values of T as what references take.
template <class T>
std::vector<Exact<T>> exact(const Values<T>& values) {
  std::vector<Exact<T>> result;
  result.reserve(values.size());
  for (const auto value : values) result.push_back(static_cast<Exact<T>>(value));
  return result;
}

template <class R, class T, class Reference>
void check_unary(const Device& device, const OperatorInfo& record, Unary op, UnaryOut op_out,
                 Reference reference) {
  for (const Arrangement& at : arrangements()) {
    const std::string what = std::string(record.name) + ' ' + at.name;
    const Values<T> values = random_values<T>(count_of(at.shape), 7);
    const Tensor a = arrange<T>(values, at.shape, at.a, device);
    std::vector<Exact<R>> expected;
    for (const Exact<T> value : exact<T>(values)) expected.push_back(reference(value));
    const double ulps = record.bound.of(dtype_of<R>());
    expect_within<R>(download<R>(op(a)), expected, ulps, what);
    const Tensor out = arrange<R>(Values<R>(values.size()), at.shape, at.b, device);
    expect_within<R>(download<R>(op_out(out, a)), expected, ulps, what + " out");
  }
}

/// `a` and `b` broadcast to rows and columns of a plane.
template <class R, class T, class Reference>
void check_broadcast(const Device& device, const OperatorInfo& record, Binary op,
                     Reference reference) {
  const Values<T> row = random_values<T>(37, 1), column = random_values<T>(19, 2);
  std::vector<Exact<R>> expected;
  for (const Exact<T> y : exact<T>(column)) {
    for (const Exact<T> x : exact<T>(row)) expected.push_back(reference(x, y));
  }
  const Tensor a = upload<T>(row, {37}, device), b = upload<T>(column, {19, 1}, device);
  expect_within<R>(download<R>(op(a, b)), expected, record.bound.of(dtype_of<R>()),
                   std::string(record.name) + " broadcast");
}

template <class R, class T, class Reference>
void check_binary(const Device& device, const OperatorInfo& record, Binary op, BinaryOut op_out,
                  Reference reference) {
  for (const Arrangement& at : arrangements()) {
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
  }
  check_broadcast<R, T>(device, record, op, reference);
}

/// Operators that keep the dtype. `floats_only`: there is no reference for the others.
template <bool floats_only, class Reference>
OperatorCase unary(std::string_view name, Unary op, UnaryOut op_out, Reference reference) {
  return {name, [=](const Device& device, DType dtype, const OperatorInfo& record) {
            with_type(dtype, [&](auto zero) {
              using T = decltype(zero);
              if constexpr (!kIsNumber<T> || (floats_only && !kIsFloat<T>)) {
                FAIL() << name << " has no reference for " << to_string(dtype);
              } else {
                check_unary<T, T>(device, record, op, op_out, reference);
              }
            });
          }};
}
template <class Reference>
OperatorCase binary(std::string_view name, Binary op, BinaryOut op_out, Reference reference) {
  return {name, [=](const Device& device, DType dtype, const OperatorInfo& record) {
            with_type(dtype, [&](auto zero) {
              using T = decltype(zero);
              if constexpr (!kIsNumber<T>) {
                FAIL() << name << " has no reference for " << to_string(dtype);
              } else {
                check_binary<T, T>(device, record, op, op_out, reference);
              }
            });
          }};
}
template <class Reference>
OperatorCase floats_of_two(std::string_view name, Binary op, BinaryOut op_out,
                           Reference reference) {
  return {name, [=](const Device& device, DType dtype, const OperatorInfo& record) {
            with_type(dtype, [&](auto zero) {
              using T = decltype(zero);
              if constexpr (!kIsFloat<T>) {
                FAIL() << name << " has no reference for " << to_string(dtype);
              } else {
                check_binary<T, T>(device, record, op, op_out, reference);
              }
            });
          }};
}

template <class T>
void check_where(const Device& device) {
  for (const Arrangement& at : arrangements()) {
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
  }
}

void run_where(const Device& device, DType dtype, const OperatorInfo&) {
  with_type(dtype, [&](auto zero) { check_where<decltype(zero)>(device); });
}

void run_clamp(const Device& device, DType dtype, const OperatorInfo& record) {
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!kIsNumber<T>) {
      FAIL() << "clamp has no reference for " << to_string(dtype);
    } else {
      const auto bounded = [](auto a) {
        return a < 1 ? decltype(a)(1) : a > 3 ? decltype(a)(3) : a;
      };
      check_unary<T, T>(
          device, record, [](const Tensor& a) { return clamp(a, 1, 3); },
          [](const Tensor& out, const Tensor& a) -> const Tensor& {
            return clamp_out(out, a, 1, 3);
          },
          bounded);
    }
  });
}

template <class Reference>
OperatorCase comparison(std::string_view name, Binary op, BinaryOut op_out, Reference reference) {
  return {name, [=](const Device& device, DType dtype, const OperatorInfo& record) {
            with_type(dtype, [&](auto zero) {
              check_binary<bool, decltype(zero)>(device, record, op, op_out, reference);
            });
          }};
}
template <class Reference>
OperatorCase logic(std::string_view name, Binary op, BinaryOut op_out, Reference reference) {
  return {name, [=](const Device& device, DType, const OperatorInfo& record) {
            check_binary<bool, bool>(device, record, op, op_out, reference);
          }};
}

template <class Reference>
OperatorCase test_of_floats(std::string_view name, Unary op, UnaryOut op_out, Reference reference) {
  return {name, [=](const Device& device, DType dtype, const OperatorInfo& record) {
            with_type(dtype, [&](auto zero) {
              using T = decltype(zero);
              if constexpr (!kIsFloat<T>) {
                FAIL() << name << " has no reference for " << to_string(dtype);
              } else {
                check_unary<bool, T>(device, record, op, op_out, reference);
              }
            });
          }};
}

}  // namespace

// The functions of ops.h are overloaded: the types choose.
#define PATCHBAY_OVERLOADS(kind, name) \
#name, static_cast < kind>(name), static_cast < kind##Out>(name##_out)

OperatorCases elementwise_cases() {
  const auto equal = [](auto a, auto b) { return a == b; };
  const auto unequal = [](auto a, auto b) { return a != b; };
  return {
      binary(PATCHBAY_OVERLOADS(Binary, add), Add()),
      binary(PATCHBAY_OVERLOADS(Binary, sub), Sub()),
      binary(PATCHBAY_OVERLOADS(Binary, mul), Mul()),
      binary(PATCHBAY_OVERLOADS(Binary, div), Div()),
      binary(PATCHBAY_OVERLOADS(Binary, maximum), Maximum()),
      binary(PATCHBAY_OVERLOADS(Binary, minimum), Minimum()),
      unary<false>(PATCHBAY_OVERLOADS(Unary, neg), Neg()),
      unary<false>(PATCHBAY_OVERLOADS(Unary, abs), Abs()),
      unary<false>(PATCHBAY_OVERLOADS(Unary, square), Square()),
      floats_of_two(PATCHBAY_OVERLOADS(Binary, pow), kPow),
      unary<false>(PATCHBAY_OVERLOADS(Unary, relu), Relu()),
      unary<true>(PATCHBAY_OVERLOADS(Unary, rsqrt), kRsqrt),
      unary<true>(PATCHBAY_OVERLOADS(Unary, sigmoid), kSigmoid),
      unary<true>(PATCHBAY_OVERLOADS(Unary, tanh), kTanh),
      unary<true>(PATCHBAY_OVERLOADS(Unary, erf), kErf),
      unary<true>(PATCHBAY_OVERLOADS(Unary, gelu), kGelu),
      floats_of_two(PATCHBAY_OVERLOADS(Binary, atan2), kAtan2),
      binary(PATCHBAY_OVERLOADS(Binary, remainder), Remainder()),
      floats_of_two(PATCHBAY_OVERLOADS(Binary, leaky_relu), kLeakyRelu),
      floats_of_two(PATCHBAY_OVERLOADS(Binary, elu), kElu),
      unary<true>(PATCHBAY_OVERLOADS(Unary, sin), kSin),
      unary<true>(PATCHBAY_OVERLOADS(Unary, cos), kCos),
      unary<true>(PATCHBAY_OVERLOADS(Unary, tan), kTan),
      unary<true>(PATCHBAY_OVERLOADS(Unary, exp2), kExp2),
      unary<true>(PATCHBAY_OVERLOADS(Unary, expm1), kExpm1),
      unary<true>(PATCHBAY_OVERLOADS(Unary, log1p), kLog1p),
      unary<true>(PATCHBAY_OVERLOADS(Unary, log2), kLog2),
      unary<false>(PATCHBAY_OVERLOADS(Unary, floor),
                   of_floats([](auto a) { return std::floor(a); })),
      unary<false>(PATCHBAY_OVERLOADS(Unary, ceil), of_floats([](auto a) { return std::ceil(a); })),
      unary<false>(PATCHBAY_OVERLOADS(Unary, round),
                   of_floats([](auto a) { return std::nearbyint(a); })),
      unary<false>(PATCHBAY_OVERLOADS(Unary, trunc),
                   of_floats([](auto a) { return std::trunc(a); })),
      unary<false>(PATCHBAY_OVERLOADS(Unary, sign), kSign),
      unary<true>(PATCHBAY_OVERLOADS(Unary, silu), kSilu),
      unary<true>(PATCHBAY_OVERLOADS(Unary, softplus), kSoftplus),
      test_of_floats(PATCHBAY_OVERLOADS(Unary, isnan), [](auto a) { return std::isnan(a); }),
      test_of_floats(PATCHBAY_OVERLOADS(Unary, isinf), [](auto a) { return std::isinf(a); }),
      test_of_floats(PATCHBAY_OVERLOADS(Unary, isfinite), [](auto a) { return std::isfinite(a); }),
      {"where", run_where},
      {"clamp", run_clamp},
      unary<true>(PATCHBAY_OVERLOADS(Unary, sqrt), kSqrt),
      unary<true>(PATCHBAY_OVERLOADS(Unary, exp), kExp),
      unary<true>(PATCHBAY_OVERLOADS(Unary, log), kLog),
      comparison(PATCHBAY_OVERLOADS(Binary, eq), equal),
      comparison(PATCHBAY_OVERLOADS(Binary, ne), unequal),
      comparison(PATCHBAY_OVERLOADS(Binary, lt), [](auto a, auto b) { return a < b; }),
      comparison(PATCHBAY_OVERLOADS(Binary, le), [](auto a, auto b) { return a <= b; }),
      comparison(PATCHBAY_OVERLOADS(Binary, gt), [](auto a, auto b) { return a > b; }),
      comparison(PATCHBAY_OVERLOADS(Binary, ge), [](auto a, auto b) { return a >= b; }),
      logic(PATCHBAY_OVERLOADS(Binary, logical_and), [](bool a, bool b) { return a && b; }),
      logic(PATCHBAY_OVERLOADS(Binary, logical_or), [](bool a, bool b) { return a || b; }),
      {"logical_not",
       [](const Device& device, DType, const OperatorInfo& record) {
         check_unary<bool, bool>(device, record, logical_not, logical_not_out,
                                 [](bool a) { return !a; });
       }},
  };
}

}  // namespace patchbay::test
