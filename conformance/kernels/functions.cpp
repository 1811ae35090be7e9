// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Arithmetic, steps and tests: exact. Functions of floats: within the bounds of their records.
#include <cmath>

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

template <class T>
void check_of_one(const Device& device, const std::string& name, const ValueAt<T>& value) {
  check_unary<T, T>(device, name + ".1", function_of_one<T>(name), bound_of<T>(name), value);
}
template <class T>
void check_of_two(const Device& device, const std::string& name, const ValueAt<T>& value) {
  for (const ElementwiseCase& one : elementwise_cases()) {
    check_tensor_pair<T, T>(device, name + ".1", function_of_two<T>(name), one, bound_of<T>(name),
                            value);
  }
}

double part_of(std::size_t index) { return static_cast<double>(mix(index) >> 11) * 0x1p-53; }

/// From normal results to infinite ones.
template <class T>
void check_exp(const Device& device, const std::string& name) {
  const T lowest = std::trunc(std::log(double{std::numeric_limits<T>::min()}));
  const auto highest = static_cast<T>(std::log(double{std::numeric_limits<T>::max()}) * 1.1);
  check_of_one<T>(device, name, [=](int operand, std::size_t index) {
    if (index < special_values<T>().size()) return mixed_value<T>(operand, index);
    return static_cast<T>(lowest + (highest - lowest) * static_cast<T>(part_of(index)));
  });
}

/// The whole range of exponents; negative operands give NaN.
template <class T>
void check_log(const Device& device, const std::string& name) {
  const int span = -2 * std::numeric_limits<T>::min_exponent;
  check_of_one<T>(device, name, [=](int operand, std::size_t index) {
    const T value = mixed_value<T>(operand, index);
    if (index % 2 == 0) return value;
    const auto exponent = static_cast<int>(mix(index) % static_cast<unsigned>(span));
    return T(std::ldexp(T(1) + std::fabs(value) / T(100), exponent - span / 2));
  });
}

/// Special values, then ones between low and high, every eighth a thousand times smaller. Where f16
/// has too few exponents for the result, every second is halved until it has enough.
template <class T>
void check_function(const Device& device, const Function& function) {
  const std::string name(function.name);
  const std::function<T(T)> exact = function_of_one<T>(name);
  check_of_one<T>(device, name, [&](int, std::size_t index) {
    if (index < special_values<T>().size()) return mixed_value<T>(0, index);
    const double scale = index % 8 == 0 ? 1e-3 : 1;
    auto a =
        static_cast<T>((function.low + (function.high - function.low) * part_of(index)) * scale);
    const auto is_out_of_range = [&] {
      const T result = exact(a);
      return std::isinf(result) || std::fabs(result) < std::numeric_limits<T>::min();
    };
    while (index % 2 == 0 && std::fabs(a) > 1 && is_out_of_range()) a = a / 2;
    return a;
  });
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

/// Ordinary values are between -20 and 20, so that exp(a) has all magnitudes; every eighth is close
/// to 0, where exp(a) - 1 cancels.
template <class T>
T smaller_value(int operand, std::size_t index) {
  const std::size_t count = special_values<T>().size();
  const T value = mixed_value<T>(operand, index);
  if (index < count * count) return value;
  return T(value / (index % 8 == 0 ? 5000 : 5));
}

template <class T>
void check_test(const Device& device, const std::string& name) {
  check_unary<Bool, T>(device, name + ".1", [&](T a) {
    const bool is = name == "isnan"   ? std::isnan(a)
                    : name == "isinf" ? std::isinf(a)
                                      : std::isfinite(a);
    return is ? Bool::kTrue : Bool::kFalse;
  });
}

}  // namespace

std::vector<Check> function_checks() {
  std::vector<Check> checks;
  const auto of_one = [](const Device& device, const std::string& name, auto zero) {
    using T = decltype(zero);
    check_unary<T, T>(device, name + ".1", function_of_one<T>(name));
  };
  const auto of_two = [](const Device& device, const std::string& name, auto zero) {
    using T = decltype(zero);
    check_binary<T, T>(device, name + ".1", function_of_two<T>(name));
  };
  for (const char* name : {"add", "sub", "mul", "div", "maximum", "minimum", "remainder"}) {
    add_numbers(checks, name, of_two);
  }
  for (const char* name :
       {"neg", "abs", "square", "relu", "floor", "ceil", "round", "trunc", "sign"}) {
    add_numbers(checks, name, of_one);
  }
  add_floats(checks, "sqrt", of_one);
  add_floats(checks, "exp", [](const Device& device, const std::string& name, auto zero) {
    check_exp<decltype(zero)>(device, name);
  });
  add_floats(checks, "log", [](const Device& device, const std::string& name, auto zero) {
    check_log<decltype(zero)>(device, name);
  });
  for (const Function& function : kFunctions) {
    if (function.low == function.high) continue;
    add_floats(checks, std::string(function.name),
               [&](const Device& device, const std::string&, auto zero) {
                 check_function<decltype(zero)>(device, function);
               });
  }
  add_floats(checks, "pow", [](const Device& device, const std::string& name, auto zero) {
    check_of_two<decltype(zero)>(device, name, power_value<decltype(zero)>);
  });
  for (const char* name : {"atan2", "leaky_relu", "elu"}) {
    add_floats(checks, name, [](const Device& device, const std::string& op, auto zero) {
      check_of_two<decltype(zero)>(device, op, smaller_value<decltype(zero)>);
    });
  }
  for (const char* name : {"isnan", "isinf", "isfinite"}) {
    add_floats(checks, name, [](const Device& device, const std::string& op, auto zero) {
      check_test<decltype(zero)>(device, op);
    });
  }
  return checks;
}

}  // namespace patchbay::conformance
