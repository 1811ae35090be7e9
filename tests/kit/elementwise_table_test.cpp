// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The gradient columns of the elementwise table: with a symbolic type, so that they use nothing but
// what the table's comment allows, against differences of the expressions.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "patchbay/plugin/kernels/elementwise.h"

// The table is C too.
#pragma GCC diagnostic ignored "-Wold-style-cast"

namespace patchbay::test {
namespace {

/// A number without conversions, and with no operator but the ones that columns may use.
class Symbol {
 public:
  explicit Symbol(double value) : value_(value) {}
  double value() const { return value_; }

 private:
  double value_;
};
class Condition {
 public:
  explicit Condition(bool value) : value_(value) {}
  bool value() const { return value_; }

 private:
  bool value_;
};

Symbol operator+(Symbol x, Symbol y) { return Symbol(x.value() + y.value()); }
Symbol operator-(Symbol x, Symbol y) { return Symbol(x.value() - y.value()); }
Symbol operator*(Symbol x, Symbol y) { return Symbol(x.value() * y.value()); }
Symbol operator/(Symbol x, Symbol y) { return Symbol(x.value() / y.value()); }
Symbol operator-(Symbol x) { return Symbol(-x.value()); }
Condition operator<(Symbol x, Symbol y) { return Condition(x.value() < y.value()); }
Condition operator<=(Symbol x, Symbol y) { return Condition(x.value() <= y.value()); }
Condition operator>(Symbol x, Symbol y) { return Condition(x.value() > y.value()); }
Condition operator>=(Symbol x, Symbol y) { return Condition(x.value() >= y.value()); }
Condition operator==(Symbol x, Symbol y) { return Condition(x.value() == y.value()); }
Condition operator!=(Symbol x, Symbol y) { return Condition(x.value() != y.value()); }
Condition operator|(Condition x, Condition y) { return Condition(x.value() || y.value()); }
Symbol select(Condition condition, Symbol x, Symbol y) { return condition.value() ? x : y; }
// Functions that are operators of the table.
Symbol abs(Symbol x) { return Symbol(std::abs(x.value())); }
Symbol maximum(Symbol x, Symbol y) { return Symbol(std::max(x.value(), y.value())); }
Symbol minimum(Symbol x, Symbol y) { return Symbol(std::min(x.value(), y.value())); }
Symbol exp(Symbol x) { return Symbol(std::exp(x.value())); }
Symbol log(Symbol x) { return Symbol(std::log(x.value())); }
Symbol erf(Symbol x) { return Symbol(std::erf(x.value())); }
Symbol sin(Symbol x) { return Symbol(std::sin(x.value())); }
Symbol cos(Symbol x) { return Symbol(std::cos(x.value())); }
Symbol gelu(Symbol x) {
  return Symbol(0.5 * x.value() * std::erfc(-x.value() / std::numbers::sqrt2));
}
Symbol expm1(Symbol x) { return Symbol(std::expm1(x.value())); }
Symbol round(Symbol x) { return Symbol(std::nearbyint(x.value())); }
Symbol sigmoid(Symbol x) { return Symbol(1 / (1 + std::exp(-x.value()))); }
Symbol pow(Symbol x, Symbol y) { return Symbol(std::pow(x.value(), y.value())); }

using std::atan2;
using std::ceil;
using std::cos;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::fabs;
using std::floor;
using std::fma;
using std::fmod;
using std::log;
using std::log1p;
using std::log2;
using std::pow;
using std::rint;
using std::sin;
using std::sqrt;
using std::tan;
using std::tanh;
using std::trunc;

double select(bool condition, double x, double y) { return condition ? x : y; }

#define PATCHBAY_DIVIDE(a, b) ((a) / (b))
#define PATCHBAY_SQRT(a) sqrt(a)
#define PATCHBAY_SELECT(condition, x, y) select(condition, x, y)

struct Operands {
  double a, b, c;
};
using Function = std::function<double(const Operands&)>;

struct Column {
  std::string name;
  Function value;
  Function gradients[2];  // of a and b, times a gradient of 3
  double Operands::*operands[2] = {&Operands::a, &Operands::b};
};

constexpr double kGrad = 3;

#define PATCHBAY_VALUES                                                 \
  using T [[maybe_unused]] = double;                                    \
  [[maybe_unused]] const T a = at.a, b = at.b, low = at.b, high = at.c; \
  [[maybe_unused]] const bool condition = at.c > 0;
#define PATCHBAY_SYMBOLS(result)                                                              \
  using T = Symbol;                                                                           \
  [[maybe_unused]] const T a(at.a), b(at.b), low(at.b), high(at.c), out(result), grad(kGrad); \
  [[maybe_unused]] const Condition condition(at.c > 0);

#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient)                          \
  const auto value_of_##name = [](const Operands& at) -> double {                         \
    PATCHBAY_VALUES return floats;                                                        \
  };                                                                                      \
  columns.push_back({#name,                                                               \
                     value_of_##name,                                                     \
                     {[=](const Operands& at) {                                           \
                        PATCHBAY_SYMBOLS(value_of_##name(at)) return T(gradient).value(); \
                      },                                                                  \
                      nullptr}});
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b)             \
  const auto value_of_##name = [](const Operands& at) -> double {                           \
    PATCHBAY_VALUES return floats;                                                          \
  };                                                                                        \
  columns.push_back({#name,                                                                 \
                     value_of_##name,                                                       \
                     {[=](const Operands& at) {                                             \
                        PATCHBAY_SYMBOLS(value_of_##name(at)) return T(gradient_a).value(); \
                      },                                                                    \
                      [=](const Operands& at) {                                             \
                        PATCHBAY_SYMBOLS(value_of_##name(at)) return T(gradient_b).value(); \
                      }}});
#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b) \
  PATCHBAY_BINARY(name, dtypes, expression, NONE, gradient_a, gradient_b)
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient) \
  PATCHBAY_UNARY(name, dtypes, expression, NONE, gradient)

std::vector<Column> columns_of_table() {
  std::vector<Column> columns;
  PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)
  PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)
  PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)
  PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)
  return columns;
}

Column column(const std::string& name) {
  for (const Column& one : columns_of_table()) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return {};
}

/// Away from kinks, and where every function is defined.
const std::vector<Operands> kPlaces = {{0.7, 1.3, 2.1}, {2.6, 0.4, 1.9}, {1.6, 1.2, -1},
                                       {0.3, 2.2, 3},   {3.1, 3.7, 4},   {1.1, -0.6, 0.5}};
const std::vector<Operands> kNegativePlaces = {{-0.7, 1.3, 2.1}, {-2.6, -3, -1}, {-1.6, -2.2, 3}};

bool is_defined_below_0(const std::string& name) {
  static const std::set<std::string> above = {"sqrt", "rsqrt", "log", "log1p", "log2", "pow"};
  return !above.contains(name);
}

void check_at(const Column& one, const Operands& at) {
  for (int i = 0; i < 2; ++i) {
    if (one.gradients[i] == nullptr) continue;
    constexpr double kStep = 1e-6;
    Operands above = at, below = at;
    above.*one.operands[i] += kStep;
    below.*one.operands[i] -= kStep;
    const double expected = kGrad * (one.value(above) - one.value(below)) / (2 * kStep);
    EXPECT_NEAR(one.gradients[i](at), expected, 1e-7 * std::max(1.0, std::abs(expected)))
        << one.name << " with respect to operand " << i << " at " << at.a << ", " << at.b << ", "
        << at.c;
  }
}

TEST(ElementwiseTableTest, GradientsAreThoseOfTheExpressions) {
  const std::vector<Column> columns = columns_of_table();
  EXPECT_GE(columns.size(), 20U);
  for (const Column& one : columns) {
    for (const Operands& at : kPlaces) check_at(one, at);
    if (!is_defined_below_0(one.name)) continue;
    for (const Operands& at : kNegativePlaces) check_at(one, at);
  }
}

TEST(ElementwiseTableTest, GradientsAtKinks) {
  const auto at_kink = [](const char* name, int operand, const Operands& at) {
    return column(name).gradients[operand](at);
  };
  EXPECT_EQ(at_kink("relu", 0, {0, 0, 0}), 0);
  EXPECT_EQ(at_kink("abs", 0, {0, 0, 0}), 0);
  for (const char* name : {"maximum", "minimum"}) {
    EXPECT_EQ(at_kink(name, 0, {2, 2, 0}), kGrad / 2) << name;
    EXPECT_EQ(at_kink(name, 1, {2, 2, 0}), kGrad / 2) << name;
  }
  EXPECT_EQ(at_kink("clamp", 0, {1, 1, 2}), 0);
  EXPECT_EQ(at_kink("clamp", 0, {2, 1, 2}), 0);
  EXPECT_EQ(at_kink("clamp", 0, {1.5, 1, 2}), kGrad);
  EXPECT_EQ(at_kink("clamp", 0, {2.5, 1, 2}), 0);
}

/// 0^b and a^0 have gradients where the formulas have 0 times infinity.
TEST(ElementwiseTableTest, GradientsOfPowersAtZero) {
  const Column power = column("pow");
  EXPECT_EQ(power.gradients[0]({0, 0, 0}), 0);
  EXPECT_EQ(power.gradients[0]({0, 2, 0}), 0);
  EXPECT_EQ(power.gradients[0]({0, 1, 0}), kGrad);
  EXPECT_EQ(power.gradients[1]({0, 0, 0}), 0);
  EXPECT_EQ(power.gradients[1]({0, 2, 0}), 0);
  EXPECT_EQ(power.gradients[1]({1, 5, 0}), 0);
}

}  // namespace
}  // namespace patchbay::test
