// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Rounding, remainder, sign and tests of floats: exact. Functions of two floats: within the bounds
// of their records.
#include <cmath>

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

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
void check_pair(const Device& device, const std::string& name) {
  for (const ElementwiseCase& one : elementwise_cases()) {
    check_tensor_pair<T, T>(
        device, name + ".1", [&](T a, T b) { return exact_pair(name, a, b); }, one,
        bound_of<T>(name), smaller_value<T>);
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
