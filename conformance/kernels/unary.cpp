// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// neg abs square relu sqrt: exact. exp and log: within the bounds of their records.
#include <cmath>

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

/// Wide enough to neglect the reference's own error.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class T>
T negated(T a) {
  if constexpr (kIsFloat<T>)
    return -a;
  else
    return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
}

template <class T>
T squared(T a) {
  if constexpr (kIsFloat<T>)
    return a * a;
  else
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(a));
}

template <class T>
T absolute(T a) {
  if constexpr (std::is_unsigned_v<T>)
    return a;
  else if constexpr (kIsFloat<T>)
    return std::fabs(a);
  else
    return a < 0 ? negated(a) : a;
}

template <class T>
std::function<T(T)> reference_of(const std::string& name) {
  if (name == "neg") return negated<T>;
  if (name == "relu") return [](T a) { return a < 0 ? T(0) : a; };
  return name == "abs" ? absolute<T> : squared<T>;
}

template <class T>
void check_one(const Device& device, const std::string& name) {
  check_unary<T, T>(device, name + ".1", reference_of<T>(name));
}

template <class T>
void check_sqrt(const Device& device) {
  check_unary<T, T>(device, "sqrt.1", [](T a) { return std::sqrt(a); });
}

/// From normal results to infinite ones.
template <class T>
void check_exp(const Device& device) {
  const T lowest = std::trunc(std::log(double{std::numeric_limits<T>::min()}));
  const auto highest = static_cast<T>(std::log(double{std::numeric_limits<T>::max()}) * 1.1);
  check_unary<T, T>(
      device, "exp.1", [](T a) { return static_cast<T>(std::exp(Wide<T>(a))); }, bound_of<T>("exp"),
      [=](int operand, std::size_t index) {
        const T value = mixed_value<T>(operand, index);
        if (index < special_values<T>().size()) return value;
        const double place = static_cast<double>(mix(index) >> 11) * 0x1p-53;
        return static_cast<T>(lowest + (highest - lowest) * static_cast<T>(place));
      });
}

/// The whole range of exponents; negative operands give NaN.
template <class T>
void check_log(const Device& device) {
  const int span = -2 * std::numeric_limits<T>::min_exponent;
  check_unary<T, T>(
      device, "log.1", [](T a) { return static_cast<T>(std::log(Wide<T>(a))); }, bound_of<T>("log"),
      [=](int operand, std::size_t index) {
        const T value = mixed_value<T>(operand, index);
        if (index % 2 == 0) return value;
        const auto exponent = static_cast<int>(mix(index) % static_cast<unsigned>(span));
        return T(std::ldexp(T(1) + std::fabs(value) / T(100), exponent - span / 2));
      });
}

}  // namespace

std::vector<Check> unary_checks() {
  std::vector<Check> checks;
  for (const char* name : {"neg", "abs", "square", "relu"}) {
    add_numbers(checks, name, [](const Device& device, const std::string& op, auto zero) {
      check_one<decltype(zero)>(device, op);
    });
  }
  add_floats(checks, "sqrt", [](const Device& device, const std::string&, auto zero) {
    check_sqrt<decltype(zero)>(device);
  });
  add_floats(checks, "exp", [](const Device& device, const std::string&, auto zero) {
    check_exp<decltype(zero)>(device);
  });
  add_floats(checks, "log", [](const Device& device, const std::string&, auto zero) {
    check_log<decltype(zero)>(device);
  });
  return checks;
}

}  // namespace patchbay::conformance
