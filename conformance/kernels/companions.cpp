// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Operators that a plugin may lack because it is older: trigonometry, relatives of exp and log,
// rounding, activations, tests of floats. Functions are within the bounds of their records, the
// others exact.
#include <cmath>

#include "patchbay/operators.h"

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

template <class T>
double bound_of(const char* name) {
  return find_operator(name).bound.of(dtype_of_element<T>());
}

/// Special values, then ones between low and high; at every eighth place within a thousandth of 0.
template <class T>
ValueAt<T> values_between(double low, double high) {
  return [=](int operand, std::size_t index) {
    const std::size_t count = special_values<T>().size();
    if (index < count * count) return mixed_value<T>(operand, index);
    const std::size_t seed = index * 2 + static_cast<std::size_t>(operand);
    const double place = static_cast<double>(mix(seed) >> 11) * 0x1p-53;
    const double scale = index % 8 == 0 ? 1e-3 : 1;
    return static_cast<T>((low + (high - low) * place) * scale);
  };
}

struct Function {
  const char* name;
  long double (*exact)(long double);
  double low, high;
};
constexpr Function kFunctions[] = {
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
     -80, 80}};

template <class T>
void check_function(const Device& device, const Function& function) {
  check_unary<T, T>(
      device, std::string(function.name) + ".1",
      [&](T a) { return static_cast<T>(function.exact(a)); }, bound_of<T>(function.name),
      values_between<T>(function.low, function.high));
}

template <class T>
std::function<T(T)> step_of(const std::string& name) {
  if constexpr (kIsFloat<T>) {
    if (name == "floor") return [](T a) { return std::floor(a); };
    if (name == "ceil") return [](T a) { return std::ceil(a); };
    if (name == "round") return [](T a) { return std::nearbyint(a); };
    if (name == "trunc") return [](T a) { return std::trunc(a); };
  } else if (name != "sign") {
    return [](T a) { return a; };
  }
  return [](T a) { return static_cast<T>(a > 0 ? 1 : a < 0 ? -1 : 0); };
}

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

template <class T>
void check_number(const Device& device, const std::string& name) {
  if (name == "remainder") {
    check_binary<T, T>(device, "remainder.1", remainder_of<T>);
  } else {
    check_unary<T, T>(device, name + ".1", step_of<T>(name));
  }
}

template <class T>
T exact_pair(const std::string& name, T a, T b) {
  const long double x = a, y = b;
  if (name == "atan2") return static_cast<T>(std::atan2(x, y));
  if (name == "elu") return static_cast<T>(x > 0 ? x : y * std::expm1(x));
  return static_cast<T>(a > 0 ? x : Computed<T>(a) * Computed<T>(b));  // leaky_relu
}

template <class T>
void check_pair(const Device& device, const std::string& name) {
  for (const ElementwiseCase& one : elementwise_cases()) {
    check_tensor_pair<T, T>(
        device, name + ".1", [&](T a, T b) { return exact_pair(name, a, b); }, one,
        bound_of<T>(name.c_str()), values_between<T>(-20, 20));
  }
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

std::vector<Check> companion_checks() {
  std::vector<Check> checks;
  for (const Function& function : kFunctions) {
    add_floats(checks, function.name, [&](const Device& device, const std::string&, auto zero) {
      check_function<decltype(zero)>(device, function);
    });
  }
  for (const char* name : {"floor", "ceil", "round", "trunc", "sign", "remainder"}) {
    add_numbers(checks, name, [](const Device& device, const std::string& op, auto zero) {
      check_number<decltype(zero)>(device, op);
    });
  }
  for (const char* name : {"atan2", "leaky_relu", "elu"}) {
    add_floats(checks, name, [](const Device& device, const std::string& op, auto zero) {
      check_pair<decltype(zero)>(device, op);
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
