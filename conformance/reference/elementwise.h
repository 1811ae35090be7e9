// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What operators make of one element or two, by the names of their records. Arithmetic is rounded
// once and integers wrap around; functions of floats are computed in long double.
#ifndef PATCHBAY_CONFORMANCE_REFERENCE_ELEMENTWISE_H_
#define PATCHBAY_CONFORMANCE_REFERENCE_ELEMENTWISE_H_

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "conformance/reference/number.h"

namespace patchbay::conformance {

struct Function {
  std::string_view name;
  long double (*exact)(long double);
  double low = 0, high = 0;  // the range of ordinary operands; empty: all
};
inline constexpr Function kFunctions[] = {
    {"rsqrt", [](long double a) { return 1 / std::sqrt(a); }, -100, 100},
    {"sigmoid", [](long double a) { return 1 / (1 + std::exp(-a)); }, -80, 80},
    {"tanh", [](long double a) { return std::tanh(a); }, -10, 10},
    {"erf", [](long double a) { return std::erf(a); }, -5, 5},
    // erfc keeps its digits where 1 + erf cancels.
    {"gelu", [](long double a) { return a / 2 * std::erfc(-a / std::sqrt(2.0L)); }, -12, 12},
    {"sin", [](long double a) { return std::sin(a); }, -1e4, 1e4},
    {"cos", [](long double a) { return std::cos(a); }, -1e4, 1e4},
    {"tan", [](long double a) { return std::tan(a); }, -1e4, 1e4},
    {"exp2", [](long double a) { return std::exp2(a); }, -120, 130},
    {"expm1", [](long double a) { return std::expm1(a); }, -20, 90},
    {"log1p", [](long double a) { return std::log1p(a); }, -1, 1e4},
    {"log2", [](long double a) { return std::log2(a); }, -1, 1e4},
    {"silu", [](long double a) { return a / (1 + std::exp(-a)); }, -80, 80},
    {"softplus",
     [](long double a) { return std::log1p(std::exp(-std::fabs(a))) + (a > 0 || a != a ? a : 0); },
     -80, 80},
    {"exp", [](long double a) { return std::exp(a); }},
    {"log", [](long double a) { return std::log(a); }}};

inline const Function& find_function(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return function;
  }
  throw std::invalid_argument("no reference for " + std::string(name));
}

/// Applies it to floats, or to the same bits as unsigned integers, because signed overflow is
/// undefined.
template <class T, class Operation>
T wrapping(T a, T b, Operation operation) {
  if constexpr (kIsFloat<T>)
    return operation(Computed<T>(a), Computed<T>(b));
  else
    return static_cast<T>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}
template <class T>
T sum_of(T a, T b) {
  return wrapping(a, b, std::plus<>());
}
template <class T>
T product_of(T a, T b) {
  return wrapping(a, b, std::multiplies<>());
}

/// 0 where b is 0; the only quotient that overflows wraps around to itself.
template <class T>
T quotient_of(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return wrapping(T{0}, a, std::minus<>());
    return static_cast<T>(a / b);
  }
}

/// With the sign of b.
template <class T>
T remainder_of(T a, T b) {
  if constexpr (kIsFloat<T>) {
    const Computed<T> divisor = b, rest = std::fmod(Computed<T>(a), divisor);
    return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
  } else {
    if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return 0;
    const auto rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
}

/// The first NaN wins.
template <class T>
T larger(T a, T b) {
  if (a != a) return a;
  return b != b || b > a ? b : a;
}
template <class T>
T smaller(T a, T b) {
  if (a != a) return a;
  return b != b || b < a ? b : a;
}

template <class T>
std::function<T(T, T)> function_of_two(std::string_view name) {
  if (name == "add") return sum_of<T>;
  if (name == "sub") return [](T a, T b) { return wrapping(a, b, std::minus<>()); };
  if (name == "mul") return product_of<T>;
  if (name == "div") return quotient_of<T>;
  if (name == "remainder") return remainder_of<T>;
  if (name == "maximum") return larger<T>;
  if (name == "minimum") return smaller<T>;
  if constexpr (kIsFloat<T>) {
    using Wide = long double;
    if (name == "pow") return [](T a, T b) { return static_cast<T>(std::pow(Wide(a), Wide(b))); };
    if (name == "atan2") {
      return [](T a, T b) { return static_cast<T>(std::atan2(Wide(a), Wide(b))); };
    }
    if (name == "elu") {
      return [](T a, T b) { return a > 0 ? a : static_cast<T>(Wide(b) * std::expm1(Wide(a))); };
    }
    if (name == "leaky_relu") return [](T a, T b) { return a > 0 ? a : product_of(a, b); };
  }
  throw std::invalid_argument("no reference for " + std::string(name));
}

/// Integers stay what they are where floats are rounded to whole numbers.
template <class T>
std::function<T(T)> function_of_one(std::string_view name) {
  if (name == "neg") {
    return [](T a) -> T {
      if constexpr (kIsFloat<T>) return -a;
      return wrapping(T(0), a, std::minus<>());
    };
  }
  if (name == "abs") {
    return [](T a) -> T {
      if constexpr (kIsFloat<T>) return std::fabs(a);
      return a < 0 ? wrapping(T(0), a, std::minus<>()) : a;
    };
  }
  if (name == "square") return [](T a) { return product_of(a, a); };
  if (name == "relu") return [](T a) { return a < 0 ? T(0) : a; };
  if (name == "sign") return [](T a) { return static_cast<T>(a > 0 ? 1 : a < 0 ? -1 : 0); };
  if constexpr (kIsFloat<T>) {
    using C = Computed<T>;
    if (name == "floor") return [](T a) { return T(std::floor(C(a))); };
    if (name == "ceil") return [](T a) { return T(std::ceil(C(a))); };
    if (name == "round") return [](T a) { return T(std::nearbyint(C(a))); };
    if (name == "trunc") return [](T a) { return T(std::trunc(C(a))); };
    if (name == "sqrt") return [](T a) { return T(std::sqrt(C(a))); };
    return [exact = find_function(name).exact](T a) {
      return static_cast<T>(exact(static_cast<long double>(a)));
    };
  } else {
    return [](T a) { return a; };
  }
}

/// What a cast makes of a value. Floats are truncated to integers and saturate, NaN becomes 0;
/// wider integers lose their high bits; everything except 0 becomes true.
template <class Out, class In>
Out converted(In value) {
  if constexpr (std::is_same_v<In, Out>) {
    return value;
  } else if constexpr (kIsBool<In>) {
    return static_cast<Out>(value == In{} ? 0 : 1);
  } else if constexpr (kIsBool<Out>) {
    return static_cast<Out>(value != In(0) ? 1 : 0);
  } else if constexpr (kIsFloat<In> && !kIsFloat<Out>) {
    using Limits = std::numeric_limits<Out>;
    if (std::isnan(value)) return 0;
    const long double exact = std::trunc(static_cast<long double>(value));
    if (exact <= static_cast<long double>(Limits::min())) return Limits::min();
    if (exact >= static_cast<long double>(Limits::max())) return Limits::max();
    return static_cast<Out>(exact);
  } else {
    return static_cast<Out>(Computed<In>(value));
  }
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_REFERENCE_ELEMENTWISE_H_
