// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions of one float: within the bounds of their records.
#include <cmath>

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

struct Function {
  const char* name;
  long double (*exact)(long double);
  double low, high;  // the range of ordinary operands
};
constexpr Function kFunctions[] = {
    {"rsqrt", [](long double a) { return 1 / std::sqrt(a); }, -100, 100},
    {"sigmoid", [](long double a) { return 1 / (1 + std::exp(-a)); }, -80, 80},
    {"tanh", [](long double a) { return std::tanh(a); }, -10, 10},
    {"erf", [](long double a) { return std::erf(a); }, -5, 5},
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
     -80, 80}};

template <class T>
T result_of(const Function& function, T a) {
  return static_cast<T>(function.exact(a));
}

/// Special values, then ones between low and high, every eighth a thousand times smaller. Where f16
/// has too few exponents for the result, every second is halved until it has enough.
template <class T>
T operand_of(const Function& function, std::size_t index) {
  if (index < special_values<T>().size()) return mixed_value<T>(0, index);
  const double place = static_cast<double>(mix(index) >> 11) * 0x1p-53;
  const double scale = index % 8 == 0 ? 1e-3 : 1;
  auto a = static_cast<T>((function.low + (function.high - function.low) * place) * scale);
  const auto is_out_of_range = [&] {
    const T result = result_of(function, a);
    return std::isinf(result) || std::fabs(result) < std::numeric_limits<T>::min();
  };
  while (index % 2 == 0 && std::fabs(a) > 1 && is_out_of_range()) a = a / 2;
  return a;
}

template <class T>
void check_function(const Device& device, const Function& function) {
  check_unary<T, T>(
      device, std::string(function.name) + ".1", [&](T a) { return result_of(function, a); },
      bound_of<T>(function.name),
      [&](int, std::size_t index) { return operand_of<T>(function, index); });
}

}  // namespace

std::vector<Check> function_checks() {
  std::vector<Check> checks;
  for (const Function& function : kFunctions) {
    add_floats(checks, function.name, [&](const Device& device, const std::string&, auto zero) {
      check_function<decltype(zero)>(device, function);
    });
  }
  return checks;
}

}  // namespace patchbay::conformance
