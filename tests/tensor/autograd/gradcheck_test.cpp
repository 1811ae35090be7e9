// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What gradcheck finds, and what it refuses.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Tensors = std::vector<Tensor>;

class GradcheckTest : public DeviceTest {
 protected:
  Tensor leaf(const Shape& shape, double value = 0.5) const {
    return full(shape, value, {DType::f64, device_}).requires_grad_();
  }
};
PATCHBAY_ON_EACH_DEVICE(GradcheckTest);

/// a * a + b, with a gradient that is wrong for one element of b.
CustomFunction with_a_fault(bool only_if_strided = false) {
  return CustomFunction(
      "fault",
      [](FunctionContext& context, const Tensors& in) {
        context.save_for_backward(in);
        return Tensors{in[0] * in[0] + in[1]};
      },
      [=](const FunctionContext& context, const Tensors& grads) {
        const Tensor b = context.saved_tensors()[1], wrong = grads[0].clone();
        if (!only_if_strided || !b.is_contiguous()) wrong[1] *= 3.0;
        return Tensors{grads[0] * 2 * context.saved_tensors()[0], wrong};
      });
}

TEST_P(GradcheckTest, PassesWhatIsRight) {
  const Tensor a = leaf({2, 3}), b = leaf({3}, 2), number = full({}, 2, {DType::f64, device_});
  const auto function = [](const Tensors& in) {
    return Tensors{tanh(in[0]) * in[1], sum(in[1] * in[2]), argmax(in[1])};
  };
  const GradcheckResult got = gradcheck(function, {a, b, number}, {.non_contiguous = true});
  EXPECT_TRUE(got) << got.message;
  EXPECT_TRUE(got.message.empty());
  EXPECT_FALSE(a.grad().defined());
  EXPECT_TRUE(gradcheck([](const Tensors& in) { return square(in[0]); }, {leaf({0, 2})}));
  EXPECT_TRUE(gradcheck([](const Tensors& in) { return exp(in[0]); }, {leaf({})}));
}

TEST_P(GradcheckTest, SaysWhichElementDiffers) {
  const CustomFunction fault = with_a_fault();
  const auto function = [&](const Tensors& in) { return Tensors{in[0] * 2, fault(in)[0]}; };
  const GradcheckResult got = gradcheck(function, {leaf({2}), leaf({2})});
  EXPECT_FALSE(got.passed);
  EXPECT_EQ(got.input, 1U);
  EXPECT_EQ(got.input_element, 1);
  EXPECT_EQ(got.output, 1U);
  EXPECT_EQ(got.output_element, 1);
  EXPECT_EQ(got.gradient, 3);
  EXPECT_NEAR(got.difference, 1, 1e-8);
  EXPECT_FALSE(got.non_contiguous);
  EXPECT_TRUE(got.message.starts_with(
      "[gradcheck] the gradient of result 1, element 1, with respect to input 1, element 1, "
      "differs: expected "))
      << got.message;
  EXPECT_TRUE(got.message.ends_with(" from differences, got 3.")) << got.message;
  EXPECT_TRUE(gradcheck(function, {leaf({2}), leaf({2})}, {.atol = 2.1}));
  EXPECT_TRUE(gradcheck(function, {leaf({2}), leaf({2})}, {.rtol = 2.1}));
  // Inputs without gradients are not looked at.
  EXPECT_TRUE(gradcheck(function, {leaf({2}), leaf({2}).detach()}));
}

TEST_P(GradcheckTest, LooksAtStridesIfAsked) {
  const CustomFunction fault = with_a_fault(/*only_if_strided=*/true);
  const auto function = [&](const Tensors& in) { return fault(in)[0]; };
  const Tensors inputs{leaf({2, 2}), leaf({2, 2})};
  EXPECT_TRUE(gradcheck(function, inputs));
  const GradcheckResult got = gradcheck(function, inputs, {.non_contiguous = true});
  EXPECT_FALSE(got);
  EXPECT_TRUE(got.non_contiguous);
  EXPECT_NE(got.message.find("differs for inputs that are not contiguous: expected"),
            std::string::npos)
      << got.message;
}

/// NaN agrees with nothing.
TEST_P(GradcheckTest, FindsWhatIsNoNumber) {
  const auto root = [](const Tensors& in) { return sqrt(in[0]); };
  EXPECT_FALSE(gradcheck(root, {leaf({1}, -1)}));
  // An infinite difference agrees with nothing either.
  const auto jump = [](const Tensors& in) { return where(gt(in[0], 0.5), INFINITY, in[0]); };
  const GradcheckResult got = gradcheck(jump, {leaf({1})});
  EXPECT_FALSE(got);
  EXPECT_EQ(got.message,
            "[gradcheck] the gradient of result 0, element 0, with respect to input 0, element 0, "
            "differs: expected inf from differences, got 1.");
}

TEST_P(GradcheckTest, AnUndefinedGradientIsZero) {
  const auto first = [](const Tensors& in) { return in[0] * 2; };
  EXPECT_TRUE(gradcheck(first, {leaf({2}), leaf({3})}));
  const auto hidden = [](const Tensors& in) { return in[0] * 2 + in[1].detach(); };
  const GradcheckResult got = gradcheck(hidden, {leaf({2}), leaf({2})});
  EXPECT_EQ(got.input, 1U);
  EXPECT_EQ(got.gradient, 0);
}

TEST_P(GradcheckTest, SaysWhatItCanNotCheck) {
  const auto same = [](const Tensors& in) { return in[0] * 1; };
  const Tensor x = leaf({2});
  EXPECT_INVALID(gradcheck(TensorFunction(), {x}), "[gradcheck] the function is empty");
  EXPECT_INVALID(
      gradcheck(same, {x.detach()}),
      "[gradcheck] no input requires gradients. Call requires_grad_() on those to check.");
  EXPECT_INVALID(gradcheck(same, {x}, {.eps = 0}), "[gradcheck] bad eps", "more than 0, got 0.");
  EXPECT_ERROR(gradcheck(same, {ones({2}, device_).requires_grad_()}), kDtypeMismatch,
               "[gradcheck] input 0 is not precise enough for differences: expected f64, got f32");
  const auto narrow = [](const Tensors& in) { return in[0].cast(DType::f32); };
  EXPECT_ERROR(gradcheck(narrow, {x}), kDtypeMismatch,
               "[gradcheck] result 0 is not precise enough");
  const auto stopped = [](const Tensors& in) { return in[0].detach() * 2; };
  EXPECT_INVALID(gradcheck(stopped, {x}),
                 "[gradcheck] no result depends on the inputs by recorded operations");
  int calls = 0;
  const auto growing = [&](const Tensors& in) {
    return Tensors(static_cast<std::size_t>(++calls), in[0] * 2);
  };
  EXPECT_INVALID(gradcheck(growing, {x}), "[gradcheck] the function", "1 as at first, got 2.");
  const auto reshaped = [&](const Tensors& in) { return in[0].reshape({++calls % 2 + 1, -1}); };
  EXPECT_ERROR(gradcheck(reshaped, {x}), kShapeMismatch, "[gradcheck] result 0 changes its shape");
  const auto undefined = [](const Tensors&) { return Tensor(); };
  EXPECT_INVALID(gradcheck(undefined, {x}), "[gradcheck] result 0 is undefined");
}

}  // namespace
}  // namespace patchbay::test
