// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How the gradients of single operations are computed: in how many launches, and rounded how often.
// Their values are among the cases of gradient_cases.cpp.
#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

class ElementwiseGradientTest : public DeviceTest {
 protected:
  /// How many operations the gradients of a and b take.
  std::size_t num_operations(Tensor (*function)(const Tensor& a, const Tensor& b)) const {
    const Tensor a = from_host<float>({0.5, 1, 2, 3}, {2, 2}, device_).requires_grad_();
    const Tensor b = from_host<float>({2, 1, 0.5, 4}, {2, 2}, device_).requires_grad_();
    const Tensor result = function(a, b), grad = full({2, 2}, 3, device_);
    std::vector<Tensor> got;
    return record_graph([&] { got = gradients({result}, {a, b}, {grad}); }).num_operations();
  }
};
PATCHBAY_ON_EACH_DEVICE(ElementwiseGradientTest);

TEST_P(ElementwiseGradientTest, IsOneLaunch) {
  EXPECT_EQ(num_operations([](const Tensor& a, const Tensor&) { return gelu(a); }), 1U);
  EXPECT_EQ(num_operations([](const Tensor& a, const Tensor& b) { return a / b; }), 1U)
      << "for both operands";
  EXPECT_EQ(num_operations([](const Tensor& a, const Tensor&) { return exp(a); }), 1U);
  EXPECT_EQ(num_operations([](const Tensor& a, const Tensor&) { return clamp(a, 0, 1); }), 1U);
  EXPECT_EQ(num_operations([](const Tensor& a, const Tensor&) { return pow(a, 3); }), 1U);
}

TEST_P(ElementwiseGradientTest, IsNoLaunchWhereItIsTheOneThatComesIn) {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4}), grad = full({2}, 3, device_), result = a + b;
  std::vector<Tensor> got;
  const Graph graph = record_graph([&] { got = gradients({result}, {a, b}, {grad}); });
  EXPECT_EQ(graph.num_operations(), 0U);
  EXPECT_EQ(got[0].to_vector<float>(), (Floats{3, 3}));
}

TEST_P(ElementwiseGradientTest, ANanThatIsTheResultHasTheGradient) {
  const Tensor a = leaf({NAN, 1, NAN, 2, 2, 3}), b = leaf({1, NAN, NAN, 2, 3, 2});
  const Tensor grad = full({6}, 4, device_);
  const auto both = [&](const Tensor& result) {
    const std::vector<Tensor> got = gradients({result}, {a, b}, {grad});
    return std::vector{got[0].to_vector<float>(), got[1].to_vector<float>()};
  };
  EXPECT_EQ(both(maximum(a, b)), (std::vector<Floats>{{4, 0, 2, 2, 0, 4}, {0, 4, 2, 2, 4, 0}}));
  EXPECT_EQ(both(minimum(a, b)), (std::vector<Floats>{{4, 0, 2, 2, 4, 0}, {0, 4, 2, 2, 0, 4}}));
  const Tensor bounded = gradients({maximum(a, 2)}, {a}, {grad})[0];
  EXPECT_EQ(bounded.to_vector<float>(), (Floats{4, 0, 4, 2, 2, 4}));
}

/// In f32, however many steps there are.
TEST_P(ElementwiseGradientTest, SmallFloatsAreRoundedOnce) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    if (!why_unsupported(device_, fill_spec(dtype)).empty())
      GTEST_SKIP() << "no " << to_string(dtype);
    const Tensor values = (rand({500}, device_) * 4 - 2).cast(dtype);
    const Tensor grad = rand({500}, device_).cast(dtype);
    const auto gradient = [&](auto function, DType computed) {
      const Tensor x = values.cast(computed).clone().requires_grad_();
      const Tensor got = gradients({function(x)}, {x}, {grad.cast(computed)})[0];
      return got.cast(dtype).cast(DType::f32).to_vector<float>();
    };
    const auto check = [&](const char* name, auto function) {
      EXPECT_EQ(gradient(function, dtype), gradient(function, DType::f32))
          << name << " " << to_string(dtype);
    };
    // These read no result, which is rounded.
    check("gelu", [](const Tensor& x) { return gelu(x); });
    check("erf", [](const Tensor& x) { return erf(x); });
    check("square", [](const Tensor& x) { return square(x); });
    check("clamp", [](const Tensor& x) { return clamp(x, -1, 0.5); });
  }
}

/// A number of a recording may be an operand where the gradient is recorded, of fused functions
/// too.
TEST_P(ElementwiseGradientTest, NumbersOfARecordingStayFree) {
  const auto scaled = fuse([](Expression x, Expression factor) { return x * factor + factor; });
  const Tensor x = leaf({1, 2, 3}), grad = ones({3}, device_);
  const Tensor out = zeros({3}, device_), sums = zeros({3}, device_);
  Scalar power = 0, factor = 0;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    power = recording.slot(2);
    factor = recording.slot(1);
    const Tensor result = scaled(pow(x, power), factor);
    sums.copy_from(result.detach());
    out.copy_from(gradients({result}, {x}, {grad})[0]);
  });
  graph.set(power, 3);
  graph.set(factor, 2);
  graph.replay();
  const Floats got = out.to_vector<float>(), values = sums.to_vector<float>();
  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_NEAR(values[i], (Floats{4, 18, 56})[i], 1e-4);
    EXPECT_NEAR(got[i], (Floats{6, 24, 54})[i], 1e-4);
  }
}

/// A plugin need not fuse: the gradients are computed by its operators then.
TEST(ElementwiseGradients, OnDevicesThatFuseNothing) {
  RuntimeOptions settings = device_options();
  settings.settings["fake_fusion"] = "0";
  const Runtime runtime(settings);
  using Function = Tensor (*)(const Tensor& a, const Tensor& b);
  const std::vector<Function> functions{
      [](const Tensor& a, const Tensor& b) { return a / b; },
      [](const Tensor& a, const Tensor& b) { return maximum(a, b) + minimum(a, 1); },
      [](const Tensor& a, const Tensor& b) { return pow(b, a) + pow(b, 3) + pow(2, a); },
      [](const Tensor& a, const Tensor& b) { return where(gt(a, b), a * 2, b) + abs(a) + relu(b); },
      [](const Tensor& a, const Tensor& b) { return gelu(a) + erf(b) + tanh(a) * sigmoid(b); },
      [](const Tensor& a, const Tensor& b) {
        return clamp(a, -1, 1) + sqrt(b) + rsqrt(b) + log(b);
      }};
  const auto all_gradients = [&](const Device& device, Function function) {
    const Tensor a = from_host<float>({-0.5, 1, 2, 3}, {4}, device).requires_grad_();
    const Tensor b = from_host<float>({2, 1, 0.5}, {3, 1}, device).requires_grad_();
    const auto first = gradients({sum(function(a, b))}, {a, b}, {}, {.create_graph = true});
    const auto second = gradients({sum(first[0]) + sum(first[1]) + sum(a * a)}, {a});
    return std::vector{first[0].detach().to_vector<float>(), first[1].detach().to_vector<float>(),
                       second[0].to_vector<float>()};
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto got = all_gradients(runtime.device("fake:0"), functions[i]);
    const auto expected = all_gradients(test_device("fake:0"), functions[i]);
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_EQ(got[k].size(), expected[k].size());
      for (std::size_t e = 0; e < got[k].size(); ++e) {
        EXPECT_NEAR(got[k][e], expected[k][e], 1e-5 * (1 + std::fabs(expected[k][e])))
            << "function " << i << ", gradient " << k << ", element " << e;
      }
    }
  }
}

// ------------------------------------------------------------------
// 0-d tensors of the host that require gradients, beside tensors of another device.

PATCHBAY_DEVICE_TESTS(ScalarGradientTest);

/// A 0-d tensor of the host that requires gradients is no number, and the way out copies that one.
TEST_P(ScalarGradientTest, OneThatRequiresGradientsIsCopied) {
  const Tensor x = floats({1, 2}), w = full({}, 3, test_device("cpu:1")).requires_grad_();
  const auto expect_way_out = [&](auto call, const std::string& op, const char* scalar,
                                  const char* other) {
    EXPECT_ERROR(call(), kDeviceMismatch,
                 "[" + op + "] operands are on different devices (" + other + ": f32 [2]" + on_ +
                     "; " + scalar + ": f32 [] on cpu:1). " + scalar +
                     " requires gradients, and so is not taken as a number. Copy it first, and "
                     "gradients flow back: " +
                     scalar + ".to(" + other + ".device()).");
  };
  expect_way_out([&] { return w * x; }, "mul", "a", "b");
  expect_way_out([&] { return x * w; }, "mul", "b", "a");
  const Tensor yes = gt(x, 0);
  const auto scaled = fuse([](Expression a, Expression b) { return a * b; }, "scaled");
  expect_way_out([&] { return scaled(w, x); }, "scaled", "a", "b");
  expect_way_out([&] { return scaled(x, w); }, "scaled", "b", "a");
  expect_way_out(
      [&] {
        return where(full({}, true, {DType::boolean, test_device("cpu:1")}), w, x);
      },
      "where", "a", "b");
  const Tensor y = w.to(device_) * x;  // as it says
  sum(y).backward();
  EXPECT_EQ(w.grad().item<float>(), 3);
  const NoGrad scope;
  EXPECT_EQ((w * x).to_vector<float>(), (Floats{3, 6}));
}

}  // namespace
}  // namespace patchbay::test
