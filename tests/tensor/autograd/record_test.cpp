// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The first and second derivatives of all elementwise operators over extreme operands: no NaN where
// the derivative in f64 is a number of f32.
#include <patchbay/plugin/kernels/elementwise.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of two operands; one of one operand ignores the second.
struct Function {
  const char* name;
  bool is_binary;
  std::function<Tensor(const Tensor&, const Tensor&)> of_tensors;
  std::function<Expression(const Expression&, const Expression&)> of_expressions;
};

std::vector<Function> functions() {
#define PATCHBAY_UNARY(name, ...)                                                  \
  {#name, false, [](const Tensor& a, const Tensor&) { return patchbay::name(a); }, \
   [](const Expression& a, const Expression&) { return patchbay::name(a); }},
#define PATCHBAY_BINARY(name, ...)                                                     \
  {#name, true, [](const Tensor& a, const Tensor& b) { return patchbay::name(a, b); }, \
   [](const Expression& a, const Expression& b) { return patchbay::name(a, b); }},
  std::vector<Function> all{PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)  //
                            PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)};
#undef PATCHBAY_UNARY
#undef PATCHBAY_BINARY
  all.push_back({"clamp", false, [](const Tensor& a, const Tensor&) { return clamp(a, -1, 3); },
                 [](const Expression& a, const Expression&) { return clamp(a, -1, 3); }});
  all.push_back({"where", true,
                 [](const Tensor& a, const Tensor& b) { return where(gt(a, b), a, b); },
                 [](const Expression& a, const Expression& b) { return where(gt(a, b), a, b); }});
  return all;
}

Doubles grid() {
  Doubles values;
  for (const double size : {0.0, 0.5, 1.0, 3.0, 6.0, 20.0, 88.7, 100.0, 1000.0, 1e19, 1e30, 3e38,
                            1e-20, 1e-30, 1e-38, 1e-40, 1e-45, kInfinity}) {
    for (const double value : {size, -size}) values.push_back(static_cast<float>(value));
  }
  return values;
}

/// All derivatives of a function, by name; the value has none.
using Derivatives = std::map<std::string, Doubles>;

Doubles values_of(const Tensor& a) {
  return a.detach().cast(DType::f64).to(test_device("cpu:0")).to_vector<double>();
}

Derivatives derivatives(const Function& function, const Doubles& a, const Doubles& b, DType dtype,
                        const Device& device, bool fuses) {
  const auto leaf = [&](const Doubles& values) {
    const Floats floats(values.begin(), values.end());
    const Shape shape{static_cast<std::int64_t>(values.size())};
    return from_host(floats, shape, device).cast(dtype).requires_grad_();
  };
  const Tensor x = leaf(a), y = leaf(b);
  const auto one =
      fuse([&](const Expression& p, const Expression& q) { return function.of_expressions(p, q); });
  const auto alone =
      fuse([&](const Expression& p) { return function.of_expressions(p, Expression(p)); });
  const Tensor value = !fuses               ? function.of_tensors(x, y)
                       : function.is_binary ? one(x, y)
                                            : alone(x);
  Derivatives found{{"", values_of(value)}};
  std::vector<Tensor> leaves{x};
  if (function.is_binary) leaves.push_back(y);
  const std::vector<Tensor> first =
      gradients({value}, leaves, {ones_like(value)}, {.create_graph = true});
  const char* const names[] = {"a", "b"};
  for (std::size_t i = 0; i < first.size(); ++i) {
    found[names[i]] = values_of(first[i]);
    if (!first[i].requires_grad()) continue;  // linear
    const std::vector<Tensor> second =
        gradients({first[i]}, leaves, {ones_like(first[i])}, {.retain_graph = true});
    for (std::size_t k = 0; k < second.size(); ++k) {
      if (second[k].defined()) {
        found[std::string(names[i]) + names[k]] = values_of(second[k]);
      }
    }
  }
  return found;
}

/// Derivatives of the second order divide by squares, which are 0 here.
bool is_beyond(const Function& function, double a, double b) {
  const std::string name = function.name;
  constexpr double kLeast = 1e-18;
  return (name == "atan2" && std::hypot(a, b) < kLeast) ||
         (name == "pow" && std::fabs(a) < kLeast && std::fabs(b) < kLeast);
}

class RecordTest : public DeviceTest {
 protected:
  static bool is_single(double value) { return std::fabs(value) <= 3.4e38; }

  void check(const Function& function, bool fuses) const {
    Doubles a, b;
    for (const double x : grid()) {
      for (const double y : function.is_binary ? grid() : Doubles{0}) {
        a.push_back(x);
        b.push_back(y);
      }
    }
    const Derivatives wide = derivatives(function, a, b, DType::f64, test_device("cpu:0"), false);
    const Derivatives got = derivatives(function, a, b, DType::f32, device_, fuses);
    for (std::size_t i = 0; i < a.size(); ++i) {
      bool is_number = is_single(wide.at("")[i]) && !is_beyond(function, a[i], b[i]);
      for (const auto& [name, values] : wide) {
        if (name.size() == 1) is_number = is_number && is_single(values[i]);
      }
      for (const auto& [name, values] : got) {
        const auto expected = wide.find(name);
        if (expected == wide.end()) continue;  // 0: of something linear
        if (!is_number || !is_single(expected->second[i])) continue;
        EXPECT_FALSE(std::isnan(values[i])) << function.name << " by " << name << " at " << a[i]
                                            << ", " << b[i] << (fuses ? ", fused" : "");
      }
    }
  }
};
PATCHBAY_ON_EACH_DEVICE(RecordTest);

TEST_P(RecordTest, DerivativesAreNumbersWhereTheyAreInF64) {
  for (const Function& function : functions()) {
    for (const bool fuses : {false, true}) check(function, fuses);
  }
}

/// The limits of derivatives at the infinities.
TEST_P(RecordTest, LimitsAtInfinity) {
  const std::map<std::string, std::pair<double, double>> limits{
      {"sigmoid", {0, 0}},     {"tanh", {0, 0}},          {"erf", {0, 0}},   {"gelu", {0, 1}},
      {"silu", {0, 1}},        {"softplus", {0, 1}},      {"relu", {0, 1}},  {"abs", {-1, 1}},
      {"exp", {0, kInfinity}}, {"expm1", {0, kInfinity}}, {"floor", {0, 0}}, {"sign", {0, 0}}};
  for (const Function& function : functions()) {
    const auto found = limits.find(function.name);
    if (found == limits.end()) continue;
    for (const bool fuses : {false, true}) {
      const Derivatives got =
          derivatives(function, {-kInfinity, kInfinity}, {0, 0}, DType::f32, device_, fuses);
      const auto [below, above] = found->second;
      EXPECT_EQ(got.at("a"), (Doubles{below, above})) << function.name;
      if (got.count("aa") == 0 || above == kInfinity) continue;
      EXPECT_EQ(got.at("aa"), (Doubles{0, 0})) << function.name << ", second derivative";
    }
  }
}

/// What is made of straight pieces has the second derivative 0, as a tensor.
TEST_P(RecordTest, StraightPiecesHaveASecondDerivative) {
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> pieces[] = {
      {"relu", [](const Tensor& a) { return relu(a); }},
      {"abs", [](const Tensor& a) { return abs(a); }},
      {"clamp", [](const Tensor& a) { return clamp(a, -1, 1); }},
      {"relu6", [](const Tensor& a) { return clamp(a, 0, 6); }},
      {"hardsigmoid", [](const Tensor& a) { return clamp(a / 6 + 0.5, 0, 1); }},
      {"leaky_relu", [](const Tensor& a) { return leaky_relu(a, 0.1); }},
      {"maximum", [](const Tensor& a) { return maximum(a, 0.5); }},
      {"minimum", [](const Tensor& a) { return minimum(a, 0.5); }},
      {"fused relu",
       [](const Tensor& a) { return fuse([](const Expression& x) { return relu(x) * 2; })(a); }},
      {"linear with relu",
       [](const Tensor& a) {
         const Tensor weight = ones({3, 4}, {a.dtype(), a.device()});
         const Tensor bias = ones({3}, {a.dtype(), a.device()});
         return linear(a.reshape({1, 4}), weight, bias, Activation::kRelu);
       }},
      {"3 * a", [](const Tensor& a) { return 3 * a; }},
      {"a",
       [](const Tensor& a) {
         return a.view({2, 2});
       }},
      {"where", [](const Tensor& a) { return where(gt(a, 0), a, 0); }},
      {"masked_fill", [](const Tensor& a) { return masked_fill(a, gt(a, 0), 1); }},
      {"max", [](const Tensor& a) { return max(a); }},
      {"min", [](const Tensor& a) { return min(a, Axes{0}); }},
      {"max_pool1d",
       [](const Tensor& a) {
         return max_pool1d(a.reshape({1, 1, 4}), 2);
       }},
      {"sort", [](const Tensor& a) { return sort(a).values.slice(0, 2); }},
      {"floor", [](const Tensor& a) { return floor(a); }},
      {"trunc", [](const Tensor& a) { return trunc(a); }}};
  std::vector<DType> dtypes{DType::f32};
  if (device_.properties().f16) dtypes.push_back(DType::f16);
  for (const DType dtype : dtypes) {
    for (const auto& [name, function] : pieces) {
      const Tensor a = floats({-2, -0.25F, 0.25F, 2}).cast(dtype);
      a.requires_grad_();
      const Tensor first = gradients({sum(function(a))}, {a}, {}, {.create_graph = true})[0];
      ASSERT_TRUE(first.requires_grad()) << name;
      const Tensor second = gradients({sum(first)}, {a})[0];
      ASSERT_TRUE(second.defined()) << name;
      EXPECT_EQ(second.dtype(), dtype);
      EXPECT_EQ(values_of(second), Doubles(4, 0)) << name;
    }
  }
}

/// Beside a function that bends, it adds nothing.
TEST_P(RecordTest, StraightPiecesBesideOthers) {
  const Tensor a = leaf({-2, 3});
  const Tensor first = gradients({sum(relu(a) + a * a * a)}, {a}, {}, {.create_graph = true})[0];
  EXPECT_EQ(values_of(first), (Doubles{12, 28}));
  EXPECT_EQ(values_of(gradients({sum(first)}, {a})[0]), (Doubles{-12, 18}));
}

// ---------------------------------------------------------------------------------- digits ---

double density(double a) { return std::exp(-a * a / 2) / std::sqrt(2 * std::acos(-1.0)); }

/// gelu' and erf' keep their digits in the tails.
TEST_P(RecordTest, TailsKeepTheirDigits) {
  Doubles at;
  for (double a = -12.5; a < 8; a += 0.0371) at.push_back(static_cast<float>(a));
  const auto slopes = [](double a) {
    return std::pair(std::erfc(-a * std::sqrt(0.5)) / 2 + a * density(a),
                     std::sqrt(4 / std::acos(-1.0)) * std::exp(-a * a));
  };
  for (const Function& function : functions()) {
    const bool is_gelu = std::string(function.name) == "gelu";
    if (!is_gelu && std::string(function.name) != "erf") continue;
    std::vector<DType> dtypes{DType::f32};
    if (device_.properties().f64) dtypes.push_back(DType::f64);
    for (const DType dtype : dtypes) {
      const double unit = dtype == DType::f64 ? 0x1p-52 : 0x1p-23;
      for (const bool fuses : {false, true}) {
        const Derivatives got = derivatives(function, at, at, dtype, device_, fuses);
        for (std::size_t i = 0; i < at.size(); ++i) {
          const auto [of_gelu, of_erf] = slopes(at[i]);
          const double expected = is_gelu ? of_gelu : of_erf;
          // Near the least of gelu the terms cancel, and the oracle of f64 has its own errors.
          const double scale =
              is_gelu ? std::fabs(expected) + 2 * density(at[i]) / (1 + std::fabs(at[i]))
                      : expected;
          const double least = dtype == DType::f64 ? 0 : 1.2e-38;
          EXPECT_NEAR(got.at("a")[i], expected,
                      (dtype == DType::f64 ? 200 : 32) * unit * std::fmax(scale, least))
              << function.name << " at " << at[i] << " in " << to_string(dtype);
        }
      }
    }
  }
}

}  // namespace
}  // namespace patchbay::test
