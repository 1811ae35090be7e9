// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Scopes in which nothing is recorded.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

Tensor leaf() { return ones({2}, test_device("cpu:0")).requires_grad_(); }

TEST(GradMode, EndsWithItsScope) {
  const Tensor x = leaf();
  EXPECT_TRUE(is_grad_enabled());
  {
    const NoGrad scope;
    EXPECT_FALSE(is_grad_enabled());
    EXPECT_FALSE((x * 2).requires_grad());
    {
      const GradMode inner(true);
      EXPECT_TRUE((x * 2).requires_grad());
    }
    EXPECT_FALSE(is_grad_enabled());
  }
  EXPECT_TRUE((x * 2).requires_grad());
  try {
    const NoGrad scope;
    throw std::runtime_error("ends the scope");
  } catch (const std::runtime_error&) {
    EXPECT_TRUE(is_grad_enabled());
  }
}

TEST(GradMode, IsTheThreadsOwn) {
  const NoGrad scope;
  bool enabled = false;
  std::thread([&] { enabled = is_grad_enabled(); }).join();
  EXPECT_TRUE(enabled);
}

/// What a thread does on behalf of another one.
template <class Body>
void run_elsewhere(Body body) {
  const ThreadContext context = ThreadContext::current();
  std::thread([&] {
    inside(ThreadContext::Scope(context), [&] { body(); });
    EXPECT_TRUE(is_grad_enabled());
    EXPECT_TRUE(leaf().requires_grad());  // which an InferenceMode would refuse
  }).join();
}

TEST(GradMode, IsCarriedByThreadContext) {
  const Tensor x = leaf();
  run_elsewhere([&] { EXPECT_TRUE((x * 2).requires_grad()); });
  const NoGrad scope;
  run_elsewhere([&] {
    EXPECT_FALSE((x * 2).requires_grad());
    x.fill_(3);
    {
      const GradMode inner(true);
      EXPECT_TRUE((x * 2).requires_grad());
      run_elsewhere([&] { EXPECT_TRUE((x * 2).requires_grad()); });
    }
    EXPECT_FALSE(is_grad_enabled());
  });
  EXPECT_EQ(x.to_vector<float>(), (Floats{3, 3}));
}

TEST(InferenceModeTest, IsCarriedByThreadContext) {
  const Tensor x = leaf();
  const InferenceMode scope;
  run_elsewhere([&] {
    EXPECT_FALSE((x * 2).requires_grad());
    EXPECT_INVALID(GradMode(true),
                   "[GradMode] gradients can't be asked for inside an InferenceMode scope");
  });
  const ThreadContext inside = ThreadContext::current();
  std::thread([&] {
    const NoGrad outer;
    { const ThreadContext::Scope carried(inside); }
    EXPECT_FALSE(is_grad_enabled());
    const GradMode on(true);  // no longer inside of the InferenceMode
    EXPECT_TRUE(is_grad_enabled());
  }).join();
}

TEST(InferenceModeTest, CanNotBeLeftWithin) {
  const Tensor x = leaf();
  const InferenceMode scope;
  EXPECT_FALSE((x * 2).requires_grad());
  EXPECT_INVALID(GradMode(true),
                 "[GradMode] gradients can't be asked for inside an InferenceMode scope");
  EXPECT_INVALID(leaf(),
                 "[requires_grad_] gradients can't be asked for inside an InferenceMode scope");
  EXPECT_FALSE(is_grad_enabled());
}

TEST(InferenceModeTest, RecordsNoGradients) {
  const Tensor x = leaf(), y = sum(x * x);
  {
    const InferenceMode scope;
    const std::string refused =
        " create_graph records nothing inside an InferenceMode scope. End the scope first, or use "
        "NoGrad in its place.";
    EXPECT_INVALID(y.backward({}, {.create_graph = true}), "[backward]" + refused);
    EXPECT_INVALID(gradients({y}, {x}, {}, {.create_graph = true}), "[gradients]" + refused);
    y.backward({}, {.retain_graph = true});
  }
  const NoGrad scope;
  EXPECT_TRUE(gradients({y}, {x}, {}, {.create_graph = true})[0].requires_grad());
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 2}));
}

}  // namespace
}  // namespace patchbay::test
