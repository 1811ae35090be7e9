// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// linear with an activation, against loops in f64.
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(LinearTest);

struct Case {
  Activation activation;
  double (*apply)(double);
};
constexpr Case kCases[] = {
    {Activation::kNone, [](double a) { return a; }},
    {Activation::kRelu, [](double a) { return std::fmax(a, 0.0); }},
    {Activation::kGelu, [](double a) { return a / 2 * (1 + std::erf(a / std::sqrt(2.0))); }},
    {Activation::kSigmoid, [](double a) { return 1 / (1 + std::exp(-a)); }},
    {Activation::kTanh, [](double a) { return std::tanh(a); }},
};

TEST_P(LinearTest, AppliesTheActivation) {
  for (const DType dtype : float_dtypes(device_)) {
    // A view of each: columns of x, rows of the weight, every second bias.
    const Tensor x = tensor_of(some_values(12), {4, 3}, dtype, device_).t();
    const Tensor weight = tensor_of(some_values(8, 1), {4, 2}, dtype, device_).t();
    const Tensor bias = tensor_of(some_values(4, 2), {4}, dtype, device_).slice(0, 0, 4, 2);
    const Doubles a = values_of(x), w = values_of(weight), b = values_of(bias);
    for (const auto& [activation, apply] : kCases) {
      Doubles with_bias, without;
      for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 2; ++column) {
          double product = 0;
          for (std::size_t k = 0; k < 4; ++k) product += a[row * 4 + k] * w[column * 4 + k];
          without.push_back(apply(product));
          with_bias.push_back(apply(product + b[column]));
        }
      }
      expect_near(linear(x, weight, bias, activation), with_bias, "with a bias");
      expect_near(linear(x, weight, {}, activation), without, "without");
    }
  }
}

TEST_P(LinearTest, Errors) {
  const Tensor x = zeros({2, 3}, device_), weight = zeros({4, 3}, device_);
  const auto expect = [&](const Tensor& a, const Tensor& w, const Tensor& b, ErrorCode code,
                          const char* text) {
    EXPECT_ERROR(linear(a, w, b, Activation::kRelu), code, std::string("[linear] ") + text);
  };
  expect({}, weight, {}, kInvalidArgument, "x is undefined");
  expect(x, {}, {}, kInvalidArgument, "weight is undefined");
  expect(x, zeros({4, 3}, other_), {}, kDeviceMismatch, "operands are on different devices");
  expect(x, weight, zeros({4}, other_), kDeviceMismatch, "operands are on different devices");
  expect(x, weight, zeros({3}, device_), kShapeMismatch,
         "the bias does not fit the weight: expected shape [4], got [3]");
  expect(x, zeros({3, 4}, device_), zeros({3}, device_), kShapeMismatch,
         "the weight does not fit x: expected x of shape [..., 4], got [2, 3]");
  const Tensor integers = zeros({3, 3}, {DType::i32, device_});
  expect(integers, integers, {}, kDtypeMismatch, "is not defined for i32");
}

}  // namespace
}  // namespace patchbay::test
