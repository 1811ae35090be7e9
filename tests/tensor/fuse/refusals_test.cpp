// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What fused functions refuse, and what they say then. Nothing is done before.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(FuseRefusalsTest);

const auto kScale = fuse([](Expression a, Expression b) { return a * b + 1; }, "scale");

TEST_P(FuseRefusalsTest, DevicesMustBeTheSame) {
  const Tensor a = ones({2, 3}, device_), b = ones({3}, other_);
  EXPECT_ERROR(kScale(a, b), kDeviceMismatch,
               "[scale] operands are on different devices (a: f32 [2, 3]" + on_ +
                   "; b: f32 [3] on " + other_.name() + "). Copy b first: b.to(a.device()).");
  const Tensor out = full({2, 3}, 7, other_);
  EXPECT_ERROR(kScale.out(out, a, a), kDeviceMismatch,
               "[scale] operands are on different devices (out: f32 [2, 3] on " + other_.name());
  EXPECT_EQ(out.to_vector<float>(), Floats(6, 7));
  const auto two = fuse([](Expression x) { return std::array{x, x + 1}; });
  EXPECT_ERROR(two.out({ones({3}, device_), ones({3}, other_)}, ones({3}, device_)),
               kDeviceMismatch, "[fuse] operands are on different devices");
}

TEST_P(FuseRefusalsTest, ShapesMustBroadcast) {
  EXPECT_ERROR(kScale(ones({2, 3}, device_), ones({2}, device_)), kShapeMismatch,
               "[scale] shapes [2, 3] and [2] do not broadcast");
  const auto three = fuse([](Expression a, Expression b, Expression c) { return a + b * c; });
  EXPECT_ERROR(three(ones({1}, device_), ones({4, 1}, device_), ones({3, 5}, device_)),
               kShapeMismatch, "(b: f32 [4, 1] on");
}

TEST_P(FuseRefusalsTest, DtypesMustFit) {
  const Tensor f = ones({2}, device_), i = ones({2}, {DType::i32, device_});
  EXPECT_ERROR(kScale(f, i), kDtypeMismatch, "[scale] operands of mul have different dtypes",
               "expected f32 like the first, got i32 (a: f32 [2]" + on_ + "; b: i32 [2]" + on_);
  const auto root = fuse([](Expression a) { return sqrt(a + 1); }, "root");
  EXPECT_ERROR(root(i), kDtypeMismatch,
               "[root] sqrt is not defined for i32: expected one of f32, f64, f16, bf16, got i32 "
               "(the result of add: i32). Convert it first with cast.");
  const auto choose = fuse([](Expression a) { return where(a, a, 0); }, "choose");
  EXPECT_ERROR(choose(f), kDtypeMismatch, "[choose] the condition", "expected bool, got f32");
  const auto logic = fuse([](Expression a, Expression b) { return logical_and(a, b); });
  EXPECT_ERROR(logic(f, f), kDtypeMismatch,
               "[fuse] logical_and is not defined for f32: expected one of bool");
}

TEST_P(FuseRefusalsTest, AFunctionIsNeeded) {
  EXPECT_INVALID(FusedFunction(2, {}, "none"), "[none] the function is empty");
}

TEST_P(FuseRefusalsTest, NumbersMustFit) {
  const Tensor i = ones({2}, {DType::i32, device_});
  const auto half = fuse([](Expression a) { return a * 0.5; }, "half");
  EXPECT_INVALID(half(i), "[half]");
  EXPECT_INVALID(kScale(i, 1.5), "[scale]");
  EXPECT_INVALID(kScale(2, 3), "[scale]", "a tensor among them");
  const auto alone = fuse([](Expression a, Expression n) { return where(lt(n, 2), a, 0); });
  EXPECT_INVALID(alone(i, 1), "[fuse] an operation has numbers alone for operands");
}

TEST_P(FuseRefusalsTest, OutMustFit) {
  const Tensor a = ones({2, 3}, device_);
  EXPECT_ERROR(kScale.out(ones({3}, device_), a, a), kShapeMismatch,
               "[scale] out has the wrong shape: expected [2, 3], got [3]");
  EXPECT_ERROR(kScale.out(ones({2, 3}, {DType::f64, device_}), a, a), kDtypeMismatch,
               "[scale] out has the wrong dtype: expected f32, got f64");
  EXPECT_INVALID(kScale.out(ones({3}, device_).expand({2, 3}), a, a),
                 "[scale] out repeats elements");
  const Tensor both = ones({5}, device_);
  EXPECT_INVALID(kScale.out(both.slice(0, 0, 4), both.slice(0, 1), both.slice(0, 1)),
                 "[scale] out and a overlap");
  EXPECT_INVALID(kScale.out(both.slice(0, 0, 4), ones({4}, device_), both.slice(0, 1)),
                 "[scale] out and b overlap");
  const auto two = fuse([](Expression x) { return std::array{x, x + 1}; });
  EXPECT_INVALID(two.out({both, both}, ones({5}, device_)),
                 "[fuse] out and another out overlap (out: f32 [5]" + on_ +
                     "; another out: f32 [5]" + on_ + "). Give each of them memory of its own.");
  const Tensor elsewhere = ones({5}, test_device(device_.name() == "cpu:1" ? "cpu:0" : "cpu:1"));
  EXPECT_ERROR(two.out({both, elsewhere}, full({}, 1, test_device("cpu:0"))), kDeviceMismatch,
               "[fuse] the outputs are on different devices (out: f32 [5] on ");
  EXPECT_EQ(both.to_vector<float>(), Floats(5, 1));
}

TEST_P(FuseRefusalsTest, UndefinedTensors) {
  const Tensor a = ones({2}, device_);
  EXPECT_INVALID(kScale(a, Tensor()), "[scale] b is undefined");
  EXPECT_INVALID(kScale.out(Tensor(), a, a), "[scale] out is undefined");
  const std::vector<TensorOrScalar> one{a};
  EXPECT_INVALID(kScale.function().call(one), "[scale] wrong number", "expected 2, got 1");
  const std::vector<TensorOrScalar> pair{a, a};
  EXPECT_INVALID(kScale.function().call_out({}, pair), "[scale] wrong number", "expected 1, got 0");
}

TEST(Fuse, RefusesWhatItCantTrace) {
  EXPECT_INVALID(
      FusedFunction(
          1, [](std::span<const Expression>) { return std::vector<Expression>(); }, "none"),
      "[none] the function gives nothing");
  std::vector<Expression> stolen;
  static_cast<void>(fuse([&](Expression a) {
    stolen.push_back(a);
    return a;
  }));
  EXPECT_INVALID(fuse([&](Expression a) { return a + stolen[0]; }, "mixed"),
                 "[mixed] the function uses an expression of another function");
  EXPECT_INVALID(fuse([](Expression a) { return a + Expression(nullptr); }),
                 "[fuse] an operand is undefined");
  EXPECT_INVALID(fuse([](Expression) { return Expression(nullptr); }),
                 "[fuse] an output is an undefined expression");
  EXPECT_INVALID(fuse([](Expression a) {
                   for (int i = 0; i < 1002; ++i) a = a + 1;
                   return a;
                 }),
                 "[fuse] the expression is too deep: expected at most");
  EXPECT_INVALID(FusedFunction(
                     16, [](std::span<const Expression> x) { return std::vector{x[0]}; }, "wide"),
                 "[wide] the function", "expected at most 16 inputs and outputs, got 17");
}

TEST(Fuse, RefusesBoundsThatAreNone) {
  EXPECT_INVALID(fuse([](Expression a) { return clamp(a, {}); }),
                 "[clamp] there is no bound. Give low, high or both.");
  EXPECT_INVALID(fuse([](Expression a) { return clamp(a, 3, 2); }),
                 "[clamp] low is greater than high: expected low <= high, got 3 and 2. Swap them.");
  EXPECT_INVALID(fuse([](Expression a) { return clamp(a, NAN); }),
                 "[clamp] low is not a number: expected a number or an infinity, got nan");
}

TEST_P(FuseRefusalsTest, TooManyValues) {
  const auto f = fuse([](Expression a) {
    for (int i = 0; i < 600; ++i) a = a * 0.5;
    return a;
  });
  EXPECT_INVALID(f(ones({2}, device_)),
                 "[fuse] the fused expression is too long: expected at most 512 values, got 602");
}

}  // namespace
}  // namespace patchbay::test
