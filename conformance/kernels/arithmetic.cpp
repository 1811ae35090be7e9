// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// add sub mul div maximum minimum: floats are rounded once, integers wrap around. pow: floats.
#include <cmath>

#include "patchbay/operators.h"

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

template <class T>
T divide(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      // The only quotient that overflows wraps around to itself.
      if (b == -1) return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
    }
    return static_cast<T>(a / b);
  }
}

template <class T, class Operation>
T compute(T a, T b, Operation operation) {
  if constexpr (kIsFloat<T>) {
    return operation(a, b);
  } else {
    return static_cast<T>(operation(static_cast<Wrapping<T>>(a), static_cast<Wrapping<T>>(b)));
  }
}

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
std::function<T(T, T)> reference_of(const std::string& name) {
  if (name == "add") return [](T a, T b) { return compute(a, b, std::plus<>()); };
  if (name == "sub") return [](T a, T b) { return compute(a, b, std::minus<>()); };
  if (name == "mul") return [](T a, T b) { return compute(a, b, std::multiplies<>()); };
  if (name == "div") return divide<T>;
  if (name == "maximum") return larger<T>;
  return smaller<T>;
}

template <class T>
void check_one(const Device& device, const std::string& name) {
  check_binary<T, T>(device, name + ".1", reference_of<T>(name));
}

/// Pairs of special values, then results within the range of normal numbers of 32 bits.
template <class T>
T power_value(int operand, std::size_t index) {
  const std::size_t count = special_values<T>().size();
  if (index < count * count) return mixed_value<T>(operand, index);
  const T value = ordinary_value<T>(index * 2 + static_cast<std::size_t>(operand));  // below 100
  if (operand == 0) return index % 4 == 0 ? value : T(std::fabs(value) / 10 + T(0.01));
  return index % 4 == 0 ? std::trunc(value / 10) : value / 10;
}

template <class T>
void check_pow(const Device& device) {
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  const auto exact = [](T a, T b) { return static_cast<T>(std::pow(Wide(a), Wide(b))); };
  for (const ElementwiseCase& one : elementwise_cases()) {
    check_tensor_pair<T, T>(device, "pow.1", exact, one,
                            find_operator("pow").bound.of(dtype_of_element<T>()), power_value<T>);
  }
}

}  // namespace

std::vector<Check> arithmetic_checks() {
  std::vector<Check> checks;
  for (const char* name : {"add", "sub", "mul", "div", "maximum", "minimum"}) {
    add_numbers(checks, name, [](const Device& device, const std::string& op, auto zero) {
      check_one<decltype(zero)>(device, op);
    });
  }
  add_floats(checks, "pow", [](const Device& device, const std::string&, auto zero) {
    check_pow<decltype(zero)>(device);
  });
  return checks;
}

}  // namespace patchbay::conformance
