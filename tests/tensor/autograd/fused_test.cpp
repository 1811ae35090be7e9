// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused functions on the record. Their gradients are among the cases of gradient_cases.cpp.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class FusedRecordTest : public DeviceTest {
 protected:
  Tensor tensor(const Floats& values) const {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, device_);
  }
  Tensor leaf(const Floats& values) const { return tensor(values).requires_grad_(); }
};
PATCHBAY_ON_EACH_DEVICE(FusedRecordTest);

const auto kScale = fuse([](Expression a, Expression b) { return maximum(a * b + 1, 0); }, "scale");
const auto kTwo = fuse([](Expression a) { return std::array{a * a, a * 3}; }, "two");

TEST_P(FusedRecordTest, GradientsAreThoseOfTheOperations) {
  const Tensor a = leaf({-3, 0.5, 2}), b = leaf({1, 2, 4});
  const Tensor fused = kScale(a, b), grad = tensor({1, 2, 3});
  EXPECT_TRUE(fused.requires_grad());
  EXPECT_FALSE(fused.is_leaf());
  const std::vector<Tensor> got = gradients({fused}, {a, b}, {grad});
  const std::vector<Tensor> expected = gradients({maximum(a * b + 1, 0)}, {a, b}, {grad});
  EXPECT_EQ(got[0].to_vector<float>(), expected[0].to_vector<float>());
  EXPECT_EQ(got[1].to_vector<float>(), expected[1].to_vector<float>());
  sum(kScale(a, b)).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{0, 2, 4}));
}

TEST_P(FusedRecordTest, OnlyWhatNeedsAGradientHasOne) {
  const Tensor a = leaf({1, 2}), b = tensor({3, 4});
  sum(kScale(a, b)).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{3, 4}));
  EXPECT_FALSE(b.grad().defined());
  EXPECT_FALSE(kScale(b, b).requires_grad());
  EXPECT_FALSE(kScale(a.detach(), b).requires_grad());
}

TEST_P(FusedRecordTest, NotInsideNoGrad) {
  const Tensor a = leaf({1, 2});
  {
    const NoGrad scope;
    EXPECT_FALSE(kScale(a, a).requires_grad());
    const GradMode on(true);
    EXPECT_TRUE(kScale(a, a).requires_grad());
  }
  const InferenceMode scope;
  EXPECT_FALSE(kScale(a, a).requires_grad());
}

TEST_P(FusedRecordTest, NumbersAndScalarsFromTheHost) {
  const Tensor a = leaf({1, 2});
  sum(kScale(a, 3)).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{3, 3}));
  const Tensor scalar = full({}, 5, test_device("cpu:0"));
  a.set_grad({});
  sum(kScale(scalar, a)).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{5, 5}));
}

TEST_P(FusedRecordTest, AScalarThatNeedsAGradientStaysOnItsDevice) {
  const Device other = test_device(std::string(GetParam()) == "cpu:0" ? "cpu:1" : "cpu:0");
  const Tensor scalar = full({}, 5, other).requires_grad_();
  EXPECT_ERROR(kScale(scalar, tensor({1, 2})), kDeviceMismatch,
               "[scale] operands are on different devices");
}

TEST_P(FusedRecordTest, EachOutputHasItsStep) {
  const Tensor a = leaf({1, 2});
  sum(kTwo(a)[1]).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{3, 3}));
  a.set_grad({});
  const auto [first, second] = kTwo(a);
  sum(first + 10 * second).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{32, 34}));
}

TEST_P(FusedRecordTest, NothingFlowsThroughComparisonsAndIntegers) {
  const Tensor a = leaf({1, 2}), b = leaf({2, 1});
  const auto mixed = fuse([](Expression x, Expression y) {
    return std::array{lt(x, y), x.cast(DType::i32), where(lt(x, y), y, 0),
                      x.cast(DType::i32).cast(DType::f32)};
  });
  const std::array<Tensor, 4> results = mixed(a, b);
  EXPECT_FALSE(results[0].requires_grad());
  EXPECT_FALSE(results[1].requires_grad());
  EXPECT_FALSE(results[3].requires_grad());
  const std::vector<Tensor> got = gradients({results[2]}, {a, b}, {ones({2}, device_)});
  EXPECT_FALSE(got[0].defined());
  EXPECT_EQ(got[1].to_vector<float>(), (Floats{1, 0}));
}

TEST_P(FusedRecordTest, Casts) {
  const Tensor a = leaf({1, 2});
  const auto widened = fuse([](Expression x) { return square(x.cast(DType::f64)); });
  const Tensor result = widened(a);
  EXPECT_EQ(result.dtype(), DType::f64);
  sum(result).backward();
  EXPECT_EQ(a.grad().dtype(), DType::f32);
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{2, 4}));
}

TEST_P(FusedRecordTest, EmptyTensors) {
  const Tensor a = zeros({0, 3}, device_).requires_grad_(), b = leaf({1, 2, 3});
  sum(kScale(a, b)).backward();
  EXPECT_EQ(a.grad().shape(), Shape({0, 3}));
  EXPECT_EQ(b.grad().to_vector<float>(), Floats(3, 0));
}

TEST_P(FusedRecordTest, AnOperandThatWasOverwrittenIsFound) {
  const Tensor a = leaf({1, 2}), b = tensor({3, 4}), y = sum(kScale(a, b));
  b.fill_(0);
  EXPECT_INVALID(y.backward(), "[backward] b of scale was overwritten",
                 "it as it was when scale read it, got 1 later write to its storage (b: f32 [2]" +
                     on_ + "). Clone it before it is overwritten.");
  const auto added = fuse([](Expression x, Expression z) { return x * 2 + z; }, "added");
  const Tensor z = sum(added(a, b));
  b.fill_(1);  // the derivatives do not read it
  z.backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{2, 2}));
}

TEST_P(FusedRecordTest, FusedWritesCountAsOthersDo) {
  const Tensor a = leaf({1, 2}), b = tensor({3, 4}), y = sum(a * b);
  kScale.out(b, b, b);
  EXPECT_INVALID(y.backward(), "[backward] b of mul was overwritten");
}

TEST_P(FusedRecordTest, DestinationsHaveNoGradients) {
  const Tensor a = leaf({1, 2}), out = tensor({3, 4});
  EXPECT_INVALID(kScale.out(out, out, a), "[scale] b", "an operand without, got b: f32 [2]" + on_);
  EXPECT_INVALID(kScale.out(a, out, out), "[scale] out requires gradients");
  EXPECT_EQ(out.to_vector<float>(), (Floats{3, 4}));
  const NoGrad scope;
  kScale.out(a, a, out);
  EXPECT_EQ(a.to_vector<float>(), (Floats{4, 9}));
}

/// The record outlives the function, whose name it says.
TEST_P(FusedRecordTest, AFunctionMayGoBeforeItsRecord) {
  const Tensor a = leaf({1, 2});
  std::optional<FusedFunction> gone =
      fuse([](Expression x) { return x * x; }, "a function of a long name").function();
  const std::vector<TensorOrScalar> arguments{a};
  const Tensor y = gone->call(arguments)[0], grad = ones({2}, device_);
  gone.reset();
  y.backward(grad);
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{2, 4}));
  EXPECT_INVALID(
      y.backward(grad),
      "[backward] the graph was freed: a function of a long name is run for the second time");
}

TEST_P(FusedRecordTest, HigherDerivatives) {
  const Tensor x = leaf({0.5});
  const auto cube = fuse([](Expression a) { return a * a * a; });
  Tensor y = cube(x);
  for (const float expected : {0.75F, 3.F, 6.F}) {
    y = gradients({y}, {x}, {}, {.create_graph = true})[0];
    EXPECT_EQ(y.to_vector<float>(), Floats{expected});
  }
}

FusedFunction product_of(std::size_t count) {
  return FusedFunction(
      count,
      [](std::span<const Expression> in) {
        Expression product = in[0];
        for (std::size_t i = 1; i < in.size(); ++i) product = product * in[i];
        return std::vector{square(product)};
      },
      "wide");
}

TEST_P(FusedRecordTest, AsManyArgumentsAsAPassTakes) {
  const FusedFunction f = product_of(15);
  std::vector<Tensor> tensors;
  for (int i = 0; i < 15; ++i) tensors.push_back(full({2}, i == 7 ? 3 : 1, device_));
  std::vector<TensorOrScalar> arguments(tensors.begin(), tensors.end());
  static_cast<void>(f.call(arguments));
  tensors[0].requires_grad_();
  EXPECT_INVALID(f.call(arguments), "[wide] the function has too many parameters for its gradients",
                 "expected at most 15 tensors that the gradient of one is made of, got 16");
  const FusedFunction narrower = product_of(14);
  arguments.pop_back();
  sum(narrower.call(arguments)[0]).backward();
  EXPECT_EQ(tensors[0].grad().to_vector<float>(), (Floats{18, 18}));
  EXPECT_INVALID(
      f.gradients({0, 1}).call(std::vector<TensorOrScalar>(16, TensorOrScalar(tensors[1]))),
      "[wide gradients] the function has too many tensors: expected at most 16 inputs that it "
      "reads and outputs, got 18. Ask for fewer gradients at a time.");
}

}  // namespace
}  // namespace patchbay::test
