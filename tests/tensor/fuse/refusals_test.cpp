// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What fused functions refuse, and what they say then. Nothing is done before.
#include <cmath>
#include <string>
#include <vector>

#include <patchbay/fuse.h>
#include <patchbay/ops.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

class FuseRefusalsTest : public DeviceTest {
 protected:
  const Device other_ = test_device(std::string(GetParam()) == "cpu:0" ? "fake:0" : "cpu:0");
};
PATCHBAY_ON_EACH_DEVICE(FuseRefusalsTest);

const auto kScale = fuse([](Expression a, Expression b) { return a * b + 1; }, "scale");

TEST_P(FuseRefusalsTest, DevicesMustBeTheSame) {
  const Tensor a = ones({2, 3}, device_), b = ones({3}, other_);
  EXPECT_ERROR(static_cast<void>(kScale(a, b)), ErrorCode::kDeviceMismatch,
               "[scale] operands are on different devices (a: f32 [2, 3] on " + device_.name() +
                   "; b: f32 [3] on " + other_.name() + "). Copy b first: b.to(a.device()).");
  const Tensor out = full({2, 3}, 7, other_);
  EXPECT_ERROR(kScale.out(out, a, a), ErrorCode::kDeviceMismatch,
               "[scale] operands are on different devices (out: f32 [2, 3] on " + other_.name());
  EXPECT_EQ(out.to_vector<float>(), Floats(6, 7));
  const auto two = fuse([](Expression x) { return std::array{x, x + 1}; });
  EXPECT_ERROR(two.out({ones({3}, device_), ones({3}, other_)}, ones({3}, device_)),
               ErrorCode::kDeviceMismatch, "[fuse] operands are on different devices");
}

TEST_P(FuseRefusalsTest, ShapesMustBroadcast) {
  EXPECT_ERROR(static_cast<void>(kScale(ones({2, 3}, device_), ones({2}, device_))),
               ErrorCode::kShapeMismatch, "[scale] shapes [2, 3] and [2] do not broadcast");
  const auto three = fuse([](Expression a, Expression b, Expression c) { return a + b * c; });
  EXPECT_ERROR(
      static_cast<void>(three(ones({1}, device_), ones({4, 1}, device_), ones({3, 5}, device_))),
      ErrorCode::kShapeMismatch, "(b: f32 [4, 1] on");
}

TEST_P(FuseRefusalsTest, DtypesMustFit) {
  const Tensor f = ones({2}, device_), i = ones({2}, {DType::i32, device_});
  EXPECT_ERROR(static_cast<void>(kScale(f, i)), ErrorCode::kDtypeMismatch,
               "[scale] operands of mul have different dtypes: expected f32 like the first, got "
               "i32 (a: f32 [2] on " +
                   device_.name() + "; b: i32 [2] on " + device_.name() +
                   "). Convert one first with cast.");
  const auto root = fuse([](Expression a) { return sqrt(a + 1); }, "root");
  EXPECT_ERROR(static_cast<void>(root(i)), ErrorCode::kDtypeMismatch,
               "[root] sqrt is not defined for i32: expected one of f32, f64, f16, bf16, got i32 "
               "(the result of add: i32). Convert it first with cast.");
  const auto choose = fuse([](Expression a) { return where(a, a, 0); }, "choose");
  EXPECT_ERROR(static_cast<void>(choose(f)), ErrorCode::kDtypeMismatch,
               "[choose] the condition of where has the wrong dtype: expected bool, got f32");
  const auto logic = fuse([](Expression a, Expression b) { return logical_and(a, b); });
  EXPECT_ERROR(static_cast<void>(logic(f, f)), ErrorCode::kDtypeMismatch,
               "[fuse] logical_and is not defined for f32: expected one of bool");
}

TEST_P(FuseRefusalsTest, AFunctionIsNeeded) {
  EXPECT_ERROR(
      FusedFunction(2, {}, "none"), ErrorCode::kInvalidArgument,
      "[none] the function is empty. Pass the function of expressions that computes the outputs.");
}

TEST_P(FuseRefusalsTest, NumbersMustFit) {
  const Tensor i = ones({2}, {DType::i32, device_});
  const auto half = fuse([](Expression a) { return a * 0.5; }, "half");
  EXPECT_ERROR(static_cast<void>(half(i)), ErrorCode::kInvalidArgument, "[half]");
  EXPECT_ERROR(static_cast<void>(kScale(i, 1.5)), ErrorCode::kInvalidArgument, "[scale]");
  EXPECT_ERROR(static_cast<void>(kScale(2, 3)), ErrorCode::kInvalidArgument,
               "[scale] all arguments are numbers: expected a tensor among them");
  const auto alone = fuse([](Expression a, Expression n) { return where(lt(n, 2), a, 0); });
  EXPECT_ERROR(static_cast<void>(alone(i, 1)), ErrorCode::kInvalidArgument,
               "[fuse] an operation has numbers alone for operands");
}

TEST_P(FuseRefusalsTest, OutMustFit) {
  const Tensor a = ones({2, 3}, device_);
  EXPECT_ERROR(kScale.out(ones({3}, device_), a, a), ErrorCode::kShapeMismatch,
               "[scale] out has the wrong shape: expected [2, 3], got [3]");
  EXPECT_ERROR(kScale.out(ones({2, 3}, {DType::f64, device_}), a, a), ErrorCode::kDtypeMismatch,
               "[scale] out has the wrong dtype: expected f32, got f64");
  EXPECT_ERROR(kScale.out(ones({3}, device_).expand({2, 3}), a, a), ErrorCode::kInvalidArgument,
               "[scale] out repeats elements");
  const Tensor both = ones({5}, device_);
  EXPECT_ERROR(kScale.out(both.slice(0, 0, 4), both.slice(0, 1), both.slice(0, 1)),
               ErrorCode::kInvalidArgument, "[scale] out and a overlap");
  EXPECT_ERROR(kScale.out(both.slice(0, 0, 4), ones({4}, device_), both.slice(0, 1)),
               ErrorCode::kInvalidArgument, "[scale] out and b overlap");
  const auto two = fuse([](Expression x) { return std::array{x, x + 1}; });
  EXPECT_ERROR(two.out({both, both}, ones({5}, device_)), ErrorCode::kInvalidArgument,
               "[fuse] out and another out overlap (out: "
               "f32 [5] on " +
                   device_.name() + "; another out: f32 [5] on " + device_.name() +
                   "). Give each of them memory of its own.");
  const Tensor elsewhere = ones({5}, test_device(device_.name() == "cpu:1" ? "cpu:0" : "cpu:1"));
  EXPECT_ERROR(two.out({both, elsewhere}, full({}, 1, test_device("cpu:0"))),
               ErrorCode::kDeviceMismatch,
               "[fuse] the outputs are on different devices (out: f32 [5] on ");
  EXPECT_EQ(both.to_vector<float>(), Floats(5, 1));
}

TEST_P(FuseRefusalsTest, UndefinedTensors) {
  const Tensor a = ones({2}, device_);
  EXPECT_ERROR(static_cast<void>(kScale(a, Tensor())), ErrorCode::kInvalidArgument,
               "[scale] b is undefined");
  EXPECT_ERROR(kScale.out(Tensor(), a, a), ErrorCode::kInvalidArgument, "[scale] out is undefined");
  const std::vector<TensorOrScalar> one{a};
  EXPECT_ERROR(static_cast<void>(kScale.function().call(one)), ErrorCode::kInvalidArgument,
               "[scale] wrong number of arguments: expected 2, got 1");
  const std::vector<TensorOrScalar> pair{a, a};
  EXPECT_ERROR(kScale.function().call_out({}, pair), ErrorCode::kInvalidArgument,
               "[scale] wrong number of outputs: expected 1, got 0");
}

TEST(Fuse, RefusesWhatItCantTrace) {
  EXPECT_ERROR(
      FusedFunction(
          1, [](std::span<const Expression>) { return std::vector<Expression>(); }, "none"),
      ErrorCode::kInvalidArgument, "[none] the function gives nothing");
  std::vector<Expression> stolen;
  static_cast<void>(fuse([&](Expression a) {
    stolen.push_back(a);
    return a;
  }));
  EXPECT_ERROR(static_cast<void>(fuse([&](Expression a) { return a + stolen[0]; }, "mixed")),
               ErrorCode::kInvalidArgument,
               "[mixed] the function uses an expression of another function");
  EXPECT_ERROR(static_cast<void>(fuse([](Expression a) { return a + Expression(nullptr); })),
               ErrorCode::kInvalidArgument, "[fuse] an operand is undefined");
  EXPECT_ERROR(static_cast<void>(fuse([](Expression) { return Expression(nullptr); })),
               ErrorCode::kInvalidArgument, "[fuse] an output is an undefined expression");
  EXPECT_ERROR(static_cast<void>(fuse([](Expression a) {
                 for (int i = 0; i < 1002; ++i) a = a + 1;
                 return a;
               })),
               ErrorCode::kInvalidArgument, "[fuse] the expression is too deep: expected at most");
  EXPECT_ERROR(FusedFunction(
                   16, [](std::span<const Expression> x) { return std::vector{x[0]}; }, "wide"),
               ErrorCode::kInvalidArgument,
               "[wide] the function has too many parameters: expected at most 16 inputs and "
               "outputs, got 17");
}

TEST(Fuse, RefusesBoundsThatAreNone) {
  EXPECT_ERROR(static_cast<void>(fuse([](Expression a) { return clamp(a, {}); })),
               ErrorCode::kInvalidArgument,
               "[clamp] there is no bound: expected low, high or both, got neither. Give one.");
  EXPECT_ERROR(static_cast<void>(fuse([](Expression a) { return clamp(a, 3, 2); })),
               ErrorCode::kInvalidArgument,
               "[clamp] low is greater than high: expected low <= high, got 3 and 2. Swap them.");
  EXPECT_ERROR(static_cast<void>(fuse([](Expression a) { return clamp(a, NAN); })),
               ErrorCode::kInvalidArgument,
               "[clamp] low is not a number: expected a number or an infinity, got nan. Leave low "
               "out if nothing bounds that side.");
}

TEST_P(FuseRefusalsTest, TooManyValues) {
  const auto f = fuse([](Expression a) {
    for (int i = 0; i < 600; ++i) a = a * 0.5;
    return a;
  });
  EXPECT_ERROR(static_cast<void>(f(ones({2}, device_))), ErrorCode::kInvalidArgument,
               "[fuse] the fused expression is too long: expected at most 512 values, got 602");
}

}  // namespace
}  // namespace patchbay::test
