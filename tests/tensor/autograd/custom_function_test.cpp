// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions with a derivative of the program's own, and what is refused of them.
#include "support/device_test.h"

namespace patchbay::test {
namespace {
using Tensors = std::vector<Tensor>;
using Context = FunctionContext;

PATCHBAY_DEVICE_TESTS(CustomFunctionTest);

/// a b and a + b, which shows in its gradients that they are not those of the operations.
CustomFunction product_and_sum() {
  return CustomFunction(
      "product_and_sum",
      [](Context& context, const Tensors& in) {
        context.save_for_backward(in);
        return Tensors{in[0] * in[1], in[0] + in[1]};
      },
      [](const Context& context, const Tensors& grads) {
        const Tensors& in = context.saved_tensors();
        return Tensors{grads[0] * in[1] + grads[1], grads[0] * in[0] + grads[1]};
      });
}

/// Gradients of the wrong kind, by what is done to the right one.
Tensor with_gradient(const Tensor& x, const std::function<Tensors(const Tensor&)>& back) {
  const CustomFunction broken(
      "broken", [](Context&, const Tensors& in) { return Tensors{in[0] * 2}; },
      [back](const Context&, const Tensors& grads) { return back(grads[0]); });
  return broken({x})[0];
}

TEST_P(CustomFunctionTest, GivesItsOwnGradients) {
  const CustomFunction twice(
      "twice", [](Context&, const Tensors& in) { return Tensors{in[0] * 2}; },
      [](const Context&, const Tensors& grads) { return Tensors{grads[0] * 100}; });
  EXPECT_EQ(twice.name(), "twice");
  const Tensor x = leaf({1, 2}), y = twice({x})[0];
  EXPECT_EQ(y.to_vector<float>(), (Floats{2, 4}));
  EXPECT_FALSE(y.is_leaf());
  sum(y * 3).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{300, 300}));
  EXPECT_INVALID(sum(y).backward(), "[backward] the graph was freed: twice is run");
}

TEST_P(CustomFunctionTest, HasSeveralInputsAndResults) {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  Tensors out = product_and_sum()({a, b});
  ASSERT_EQ(out.size(), 2U);
  sum(out[0] * 10 + out[1]).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{31, 41}));
  EXPECT_EQ(b.grad().to_vector<float>(), (Floats{11, 21}));
  // One result alone, and after the other one is gone.
  for (const std::size_t kept : {0U, 1U}) {
    a.set_grad({});
    out = product_and_sum()({a, b});
    const Tensor y = out[kept];
    out.clear();
    sum(y).backward();
    EXPECT_EQ(a.grad().to_vector<float>(), kept == 0 ? (Floats{3, 4}) : (Floats{1, 1}));
  }
  const Tensors found = gradients({sum(product_and_sum()({a, b})[0])}, {b});
  EXPECT_EQ(found[0].to_vector<float>(), (Floats{1, 2}));
  EXPECT_FALSE(sum(product_and_sum()({a.detach(), b.detach()})[0]).requires_grad());
}

TEST_P(CustomFunctionTest, AgreesWithDifferences) {
  const auto leaf = [&](double first) {
    return arange(first, first + 3, 1, {DType::f64, device_}).requires_grad_();
  };
  const CustomFunction function = product_and_sum();
  const auto call = [&](const Tensors& in) { return function(in); };
  const GradcheckResult got = gradcheck(call, {leaf(1), leaf(-2)}, {.non_contiguous = true});
  EXPECT_TRUE(got) << got.message;
  // The recorded backward has a derivative.
  const auto second = [&](const Tensors& in) {
    const Tensors out = function(in);
    return gradients({sum(out[0] * out[0] * out[1])}, in, {}, {.create_graph = true});
  };
  const GradcheckResult of_gradients = gradcheck(second, {leaf(1), leaf(-2)});
  EXPECT_TRUE(of_gradients) << of_gradients.message;
}

/// exp from its saved result, whose handle may be gone.
TEST_P(CustomFunctionTest, MayKeepItsResults) {
  const CustomFunction exponential(
      "exponential",
      [](Context& context, const Tensors& in) {
        Tensors out{exp(in[0])};
        context.save_for_backward(out);
        return out;
      },
      [](const Context& context, const Tensors& grads) {
        return Tensors{grads[0] * context.saved_tensors()[0]};
      });
  const Tensor x = full({2}, 0.5, {DType::f64, device_}).requires_grad_();
  const auto third = [&](const Tensors& in) {
    const Tensor first = gradients({sum(exponential(in)[0])}, in, {}, {.create_graph = true})[0];
    return gradients({sum(square(first))}, in, {}, {.create_graph = true})[0];
  };
  EXPECT_NEAR(third({x}).detach().to_vector<double>()[0], 2 * std::exp(1.0), 1e-12);
  const GradcheckResult got = gradcheck(third, {x});
  EXPECT_TRUE(got) << got.message;
  const Tensor y = exponential({x})[0], total = sum(y);
  inside(NoGrad(), [&] { y.fill_(0); });
  EXPECT_INVALID(total.backward(), "[backward] result 0 of exponential was overwritten");
}

TEST_P(CustomFunctionTest, FindsWritesToWhatItKeeps) {
  const Tensor a = leaf({1, 2}), b = floats({3, 4}), y = sum(product_and_sum()({a, b})[0]);
  b.fill_(0);
  EXPECT_INVALID(y.backward(), "[backward] input 1 of product_and_sum was overwritten",
                 "expected it as it was when product_and_sum read it, got 1 later write to its "
                 "storage (input 1: f32 [2]" +
                     on_ + "). Clone it before it is overwritten.");
  EXPECT_FALSE(a.grad().defined());
  const Tensor scratch = floats({5, 6});
  const CustomFunction scale(
      "scale",
      [&](Context& context, const Tensors& in) {
        context.save_for_backward({Tensor(), scratch});
        return Tensors{in[0] * scratch};
      },
      [](const Context& context, const Tensors& grads) {
        EXPECT_FALSE(context.saved_tensors()[0].defined());
        return Tensors{grads[0] * context.saved_tensors()[1]};
      });
  const Tensor z = sum(scale({a})[0]);
  scratch.fill_(1);
  EXPECT_INVALID(z.backward(), "[backward] saved tensor 1 of scale was overwritten");
  sum(scale({a})[0]).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{1, 1}));
}

TEST_P(CustomFunctionTest, SaysWhichGradientsAreWanted) {
  Bools forward, backward;
  const CustomFunction function(
      "first",
      [&](Context& context, const Tensors& in) {
        for (std::size_t i = 0; i < 4; ++i) forward.push_back(context.needs_input_grad(i));
        EXPECT_FALSE(in[2].defined());
        return Tensors{in[0] + in[1]};
      },
      [&](const Context& context, const Tensors& grads) {
        for (std::size_t i = 0; i < 4; ++i) backward.push_back(context.needs_input_grad(i));
        // Input 0 wants none, so that nothing is asked of it.
        return Tensors{zeros({7}, device_), grads[0], Tensor()};
      });
  const Tensor a = floats({1, 2}), b = leaf({3, 4});
  sum(function({a, b, Tensor()})[0]).backward();
  EXPECT_EQ(forward, (Bools{false, true, false, false}));
  EXPECT_EQ(backward, forward);
  EXPECT_EQ(b.grad().to_vector<float>(), (Floats{1, 1}));
}

TEST_P(CustomFunctionTest, BackwardIsToldTheOptions) {
  Bools retains;
  const CustomFunction function(
      "sink", [](Context&, const Tensors& in) { return Tensors{in[0] * 1}; },
      [&](const Context& context, const Tensors& grads) {
        retains.push_back(context.backward_options().retain_graph);
        return Tensors{grads[0]};
      });
  const Tensor x = leaf({1, 2}), y = function({x})[0];
  sum(y).backward({}, {.retain_graph = true});
  sum(y).backward();
  EXPECT_EQ(retains, (Bools{true, false}));
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 2}));
}

TEST_P(CustomFunctionTest, GradientsMayBeUndefined) {
  for (const bool zeros_wanted : {true, false}) {
    const CustomFunction function(
        "halves",
        [=](Context& context, const Tensors& in) {
          context.set_materialize_grads(zeros_wanted);
          return Tensors{in[0] * 1, in[0] * 2};
        },
        [=](const Context&, const Tensors& grads) {
          EXPECT_EQ(grads[1].defined(), zeros_wanted);
          if (grads[1].defined()) {
            EXPECT_EQ(grads[1].to_vector<float>(), (Floats{0, 0}));
          }
          return Tensors{Tensor()};
        });
    const Tensor x = leaf({1, 2});
    const Tensors out = function({x});
    sum(out[0] + x).backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 1}));
  }
}

TEST_P(CustomFunctionTest, ResultsNeedNotBeDifferentiable) {
  const CustomFunction order(
      "order",
      [](Context& context, const Tensors& in) {
        const Tensor sign = gt(in[0], 0).cast(DType::f32);
        context.mark_non_differentiable({sign});
        context.save_for_backward({sign});
        return Tensors{in[0] * sign, sign, argmax(in[0])};
      },
      [](const Context& context, const Tensors& grads) {
        EXPECT_FALSE(grads[1].defined());
        EXPECT_FALSE(grads[2].defined());
        return Tensors{grads[0] * context.saved_tensors()[0]};
      });
  const Tensor x = leaf({-1, 2});
  const Tensors out = order({x});
  EXPECT_TRUE(out[0].requires_grad());
  EXPECT_FALSE(out[1].requires_grad());
  EXPECT_FALSE(out[2].requires_grad());
  sum(out[0]).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{0, 1}));
  const CustomFunction wrong(
      "wrong",
      [](Context& context, const Tensors& in) {
        context.mark_non_differentiable({in[0]});
        return Tensors{in[0] * 2};
      },
      [](const Context&, const Tensors& grads) { return grads; });
  EXPECT_INVALID(wrong({x}), "[wrong] mark_non_differentiable", "results, got f32 [2]" + on_);
}

/// An input that forward returns is another tensor outside.
TEST_P(CustomFunctionTest, MayReturnItsInput) {
  const CustomFunction reversed(
      "reversed", [](Context&, const Tensors& in) { return in; },
      [](const Context&, const Tensors& grads) { return Tensors{-grads[0]}; });
  const Tensor x = leaf({1, 2});
  sum(reversed({x})[0] * 3).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{-3, -3}));
  EXPECT_TRUE(x.is_leaf());
}

constexpr const char* kTexts = R"(
PATCHBAY_KERNEL(cube)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND(f32, y);
  const i32 i = PATCHBAY_GLOBAL_ID(0);
  y[i] = x[i] * x[i] * x[i];
}
PATCHBAY_KERNEL(cube_back)(PATCHBAY_INPUT(f32, x), PATCHBAY_INPUT(f32, g), PATCHBAY_OUTPUT(f32, y)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND_INPUT(f32, g);
  PATCHBAY_BIND(f32, y);
  const i32 i = PATCHBAY_GLOBAL_ID(0);
  y[i] = 3.0f * x[i] * x[i] * g[i];
}
PATCHBAY_KERNEL(grow)(PATCHBAY_INOUT(f32, y)) {
  PATCHBAY_BIND(f32, y);
  y[PATCHBAY_GLOBAL_ID(0)] += 1.0f;
}
)";

TEST_P(CustomFunctionTest, GivesAKernelItsDerivative) {
  const KernelModule module = KernelModule::from_source(device_, kTexts);
  const Grid grid{.groups = {1}, .group_size = {2}};
  const CustomFunction cube(
      "cube",
      [=](Context& context, const Tensors& in) {
        context.save_for_backward(in);
        const Tensor y = empty_like(in[0]);
        module.kernel("cube").launch(grid, {in[0], y});
        return Tensors{y};
      },
      [=](const Context& context, const Tensors& grads) {
        const Tensor grad = grads[0].contiguous(), result = empty_like(grad);
        module.kernel("cube_back").launch(grid, {context.saved_tensors()[0], grad, result});
        return Tensors{result};
      });
  const Tensor x = leaf({1, 2});
  sum(cube({x * 2})[0]).backward();  // 24 x^2
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{24, 96}));
  // Kernels are not recorded.
  const Tensor y = sum(cube({x})[0]);
  EXPECT_INVALID(gradients({y}, {x}, {}, {.create_graph = true}),
                 "which do not flow through a kernel of your own");
  const CustomFunction grown(
      "grown",
      [=](Context&, const Tensors& in) {
        module.kernel("grow").launch(grid, {in[0]});
        return in;
      },
      [](const Context&, const Tensors& grads) { return grads; });
  EXPECT_INVALID(grown({x}),
                 "[grown] forward wrote to input 0, which requires gradients (f32 [2]" + on_);
  const Tensor free = floats({1, 2});
  EXPECT_EQ(grown({free})[0].to_vector<float>(), (Floats{2, 3}));
}

TEST_P(CustomFunctionTest, SecondDerivativesNeedARecordedBackward) {
  const Tensor x = leaf({1, 2});
  const auto second = [&](const std::function<Tensors(const Tensor&)>& back) {
    return gradients({sum(with_gradient(x, back))}, {x}, {}, {.create_graph = true})[0];
  };
  const auto unrecorded = [](const Tensor& grad) {
    const NoGrad scope;
    return Tensors{grad * 2};
  };
  EXPECT_ERROR(
      second(unrecorded), kUnsupported,
      "[gradients] broken gave a gradient without a record, in a backward with create_graph, for "
      "input 0: expected one made by recorded operations, got one made by none");
  EXPECT_EQ(
      second([](const Tensor& grad) { return Tensors{grad * 2}; }).detach().to_vector<float>(),
      (Floats{2, 2}));
  EXPECT_FALSE(second([](const Tensor&) { return Tensors{Tensor()}; }).defined());
  sum(with_gradient(x, unrecorded)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 2}));
}

TEST_P(CustomFunctionTest, ChecksTheGradients) {
  const Tensor x = leaf({1, 2});
  const auto refuse = [&](const std::function<Tensors(const Tensor&)>& back, ErrorCode code,
                          const std::string& message) {
    EXPECT_ERROR(sum(with_gradient(x, back)).backward(), code, message);
    EXPECT_FALSE(x.grad().defined());
  };
  refuse(
      [](const Tensor& grad) {
        return Tensors{grad, grad};
      },
      kInvalidArgument,
      "[backward] broken gave a wrong number of gradients: expected 1, one for each input, got "
      "2. Return an undefined tensor for an input without one.");
  refuse([](const Tensor& grad) { return Tensors{grad.unsqueeze(0)}; }, kShapeMismatch,
         "[backward] broken gave a gradient of another shape for input 0: expected [2], got [1, 2] "
         "(f32 [1, 2]" +
             on_ + "). Sum it over the dimensions that forward broadcast, or reshape it.");
  refuse([](const Tensor& grad) { return Tensors{grad.cast(DType::f16)}; }, kDtypeMismatch,
         "[backward] broken gave a gradient of another dtype for input 0: expected f32, got f16");
  refuse([](const Tensor&) { return Tensors{zeros({2}, test_device("fake:1"))}; }, kDeviceMismatch,
         "[backward] broken gave a gradient on another device for input 0: expected " +
             device_.name() + ", got fake:1");
}

TEST_P(CustomFunctionTest, ChecksTheResults) {
  const Tensor x = floats({1, 2});
  const auto back = [](const Context&, const Tensors& grads) { return grads; };
  const CustomFunction none(
      "none", [](Context&, const Tensors&) { return Tensors{}; }, back);
  EXPECT_INVALID(none({x}), "[none]", "expected one tensor or more");
  const CustomFunction empty(
      "empty",
      [](Context&, const Tensors& in) {
        return Tensors{in[0], Tensor()};
      },
      back);
  EXPECT_INVALID(empty({x}), "[empty] result 1 of forward is undefined");
  EXPECT_INVALID(CustomFunction("f", {}, back), "[CustomFunction] f has no forward");
  EXPECT_INVALID(CustomFunction("f", [](Context&, const Tensors& in) { return in; }, {}),
                 "[CustomFunction] f has no backward");
}

TEST_P(CustomFunctionTest, WorksAcrossDevices) {
  const Device other = test_device("fake:1");
  const CustomFunction there(
      "there",
      [&](Context&, const Tensors& in) {
        return Tensors{in[0].to(other) * 2, in[1] * 3};
      },
      [&](const Context&, const Tensors& grads) {
        EXPECT_EQ(grads[0].device(), other);
        return Tensors{grads[0].to(device_) * 2, grads[1] * 3};
      });
  const Tensor a = leaf({1, 2}), b = ones({2}, other).requires_grad_();
  const Tensors out = there({a, b});
  sum(out[0] * 5).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{10, 10}));
  EXPECT_EQ(a.grad().device(), device_);
  EXPECT_EQ(b.grad().to_vector<float>(), (Floats{0, 0}));
}

TEST_P(CustomFunctionTest, IsNotRecordedWithoutGradients) {
  const Tensor x = leaf({1, 2});
  {
    const NoGrad scope;
    EXPECT_FALSE(product_and_sum()({x, x})[0].requires_grad());
  }
  const InferenceMode scope;
  EXPECT_EQ(product_and_sum()({x, x})[0].to_vector<float>(), (Floats{1, 4}));
}

TEST_P(CustomFunctionTest, NothingInForwardIsRecorded) {
  const Tensor x = leaf({1, 2});
  bool was_recording = true;
  const CustomFunction function(
      "function",
      [&](Context&, const Tensors& in) {
        was_recording = is_grad_enabled() || (in[0] * 2).requires_grad();
        return Tensors{in[0] * 2};
      },
      [](const Context&, const Tensors& grads) { return grads; });
  EXPECT_TRUE(function({x})[0].requires_grad());
  EXPECT_FALSE(was_recording);
}

TEST_P(CustomFunctionTest, RunsInsideACheckpoint) {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  const Tensor y =
      checkpoint([](const Tensors& in) { return product_and_sum()(in)[0] * 2; }, {a, b});
  sum(y).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{6, 8}));
}

TEST_P(CustomFunctionTest, TakesEmptyTensors) {
  const Tensor x = empty({0, 3}, device_).requires_grad_();
  sum(product_and_sum()({x, x})[0]).backward();
  EXPECT_EQ(x.grad().shape(), (Shape{0, 3}));
}

TEST_P(CustomFunctionTest, ResultsHaveHooks) {
  const Tensor a = leaf({1, 2});
  const Tensors out = product_and_sum()({a, a});
  out[1].add_gradient_hook([](const Tensor& grad) { return grad * 10; });
  sum(out[1]).backward();
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{20, 20}));
}

/// A chain of nodes is destroyed without recursion.
TEST_P(CustomFunctionTest, LongChainsEnd) {
  if (std::string_view(GetParam()) != "cpu:0") GTEST_SKIP() << "the same on each device";
  const CustomFunction same(
      "same",
      [](Context& context, const Tensors& in) {
        context.save_for_backward(in);
        return in;
      },
      [](const Context&, const Tensors& grads) { return grads; });
  const Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 100000; ++i) y = same({y})[0];
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), Floats{1});
}

/// Memory that the application lent is read, and never added to.
TEST_P(CustomFunctionTest, GradientsMayBeLent) {
  if (!device_.properties().host_addressable) GTEST_SKIP() << "the device uses no host memory";
  Floats table{1, 2};
  const auto wrapped = [&](const Tensor&) {
    return Tensors{wrap_host(table.data(), DType::f32, {2}, device_)};
  };
  const auto read_only = [&](const Tensor& grad) {
    auto* const managed = to_dlpack(wrapped(grad)[0]);
    managed->flags |= dlpack::kReadOnly;
    return Tensors{from_dlpack(managed, device_)};
  };
  std::vector<std::function<Tensors(const Tensor&)>> all{wrapped};
  if (device_.kind() == DeviceKind::kCpu) all.emplace_back(read_only);
  for (const auto& back : all) {
    const Tensor x = leaf({1, 2}), middle = x * 1;
    (sum(with_gradient(middle, back)) + sum(middle) + sum(with_gradient(middle, back))).backward();
    EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 5}));
    const Tensor y = leaf({1, 2});
    for (int i = 0; i < 2; ++i) sum(with_gradient(y, back)).backward();
    EXPECT_EQ(y.grad().to_vector<float>(), (Floats{2, 4}));
    device_.synchronize();
    EXPECT_EQ(table, (Floats{1, 2}));
  }
}

}  // namespace
}  // namespace patchbay::test
