// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// add sub mul div maximum minimum: floats rounded once, integers wrapping around.
#include "conformance/suite/kernels/elementwise.h"
#include "conformance/suite/kernels/parts.h"

namespace patchbay::conformance {
namespace {

template <class T>
T divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      // The one quotient that does not fit wraps around to itself.
      if (b == -1) return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
    }
    return static_cast<T>(a / b);
  }
}

template <class T, class Operation>
T compute(T a, T b, Operation operation) {
  if constexpr (std::is_floating_point_v<T>) {
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

void check_required(const Device& device, const std::string& name) {
  check_one<float>(device, name);
  check_one<std::int32_t>(device, name);
  check_one<std::int64_t>(device, name);
  check_one<std::uint8_t>(device, name);
}

}  // namespace

std::vector<Check> arithmetic_checks() {
  std::vector<Check> checks;
  for (const char* name : {"add", "sub", "mul", "div", "maximum", "minimum"}) {
    add_pair(checks, name, check_required, check_one<double>);
  }
  return checks;
}

}  // namespace patchbay::conformance
