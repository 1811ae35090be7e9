// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Modules inside a checkpoint: what they draw, make or count happens once.
#include <functional>
#include <vector>

#include <patchbay/graph.h>
#include <patchbay/nn.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;
using Step = std::function<Tensor(const Tensor&)>;

class RecomputationTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    generator_.manual_seed(17);
  }
  /// 8 rows of 3, which require gradients.
  Tensor rows() const {
    Floats values;
    for (int i = 0; i < 24; ++i) values.push_back(static_cast<float>(i % 7) * 0.25F - 0.5F);
    return from_host(values, {8, 3}, device_).requires_grad_();
  }
  /// The same step, whose forward is run again in backward.
  static Tensor lean(const Step& step, const Tensor& x) {
    return checkpoint([&step](const std::vector<Tensor>& in) { return step(in[0]); }, {x});
  }
  const Generator generator_ = default_generator(test_runtime());
};
PATCHBAY_ON_EACH_DEVICE(RecomputationTest);

/// Elements and gradients of a module's parameters and buffers.
Floats everything_of(nn::Module& module) {
  Floats all;
  const auto add = [&all](const Tensor& t) {
    if (!t.defined()) return;
    const Floats elements = t.to_vector<float>();
    all.insert(all.end(), elements.begin(), elements.end());
  };
  for (const auto& [name, parameter] : module.named_parameters()) {
    add(parameter.value().detach());
    add(parameter->grad());
  }
  for (const auto& [name, buffer] : module.named_buffers()) add(buffer.value());
  return all;
}

TEST_P(RecomputationTest, ALazyLayerMakesItsWeightsOnce) {
  const auto train = [this](bool is_lean) {
    generator_.manual_seed(17);
    nn::Sequential net(nn::LazyLinear(5, {.tensor = device_}), nn::Tanh(), nn::Dropout(0.5),
                       nn::LazyBatchNorm({.tensor = device_}),
                       nn::LazyLinear(2, {.tensor = device_}));
    const Tensor x = rows();
    for (int i = 0; i < 2; ++i) {
      const Step step = [&net](const Tensor& in) { return net(in); };
      sum(is_lean ? lean(step, x) : step(x)).backward();
    }
    Floats all = everything_of(net);
    all.push_back(static_cast<float>(generator_.state().offset));
    const Floats gradient = x.grad().to_vector<float>();
    all.insert(all.end(), gradient.begin(), gradient.end());
    return all;
  };
  EXPECT_EQ(train(true), train(false));
}

TEST_P(RecomputationTest, BatchNormMovesItsStatisticsOnce) {
  const auto train = [this](bool is_lean) {
    nn::BatchNorm norm(3, {.tensor = device_});
    const Tensor x = rows();
    const Step step = [&norm](const Tensor& in) { return norm(in); };
    for (int i = 0; i < 3; ++i) {
      const Tensor y = is_lean ? lean(step, x) : step(x);
      sum(y * y * y).backward();
    }
    return everything_of(norm);
  };
  EXPECT_EQ(train(true), train(false));
}

/// The replicas' threads draw for their rows, and the module's own device counts.
TEST_P(RecomputationTest, DataParallelRunsAgain) {
  const auto train = [this](bool is_lean) {
    generator_.manual_seed(17);
    nn::Sequential net(nn::Linear(3, 6, {.tensor = device_}), nn::Dropout(0.4),
                       nn::Linear(6, 2, {.tensor = device_}));
    nn::DataParallel model(std::move(net), {device_, test_device("cpu:1"), test_device("fake:0")});
    const Tensor x = rows();
    const Step step = [&model](const Tensor& in) { return model(in); };
    for (int i = 0; i < 2; ++i) sum(is_lean ? lean(step, x) : step(x)).backward();
    Floats all = everything_of(model);
    all.push_back(static_cast<float>(generator_.state().offset));
    return all;
  };
  const Floats got = train(true), expected = train(false);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5F) << i;
}

/// The forward is not part of the graph, so that each replay repeats the draws that it made.
TEST_P(RecomputationTest, ARecordedBackwardRepeatsAnEagerForward) {
  const Tensor x = rows();
  const Step drop = [](const Tensor& in) { return dropout(in, 0.5, true); };
  const Tensor y = lean(drop, x);
  const std::uint64_t offset = generator_.state().offset;
  Tensor gradient;
  const Graph graph = record_graph([&] {
    gradient = gradients({y}, {x}, {ones({8, 3}, device_)}, {.retain_graph = true})[0];
  });
  const Floats mask = (y / x).to_vector<float>();
  for (int i = 0; i < 2; ++i) {
    graph.replay();
    const Floats got = gradient.to_vector<float>();
    for (std::size_t e = 0; e < got.size(); ++e) {
      if (mask[e] != mask[e]) continue;  // 0 / 0 says nothing
      EXPECT_EQ(got[e], mask[e]) << e;
    }
  }
  EXPECT_EQ(generator_.state().offset, offset);
}

TEST_P(RecomputationTest, AnEagerBackwardOfARecordedForwardIsRefused) {
  const Tensor x = rows();
  Tensor y;
  const Graph graph =
      record_graph([&] { y = lean([](const Tensor& in) { return dropout(in, 0.5, true); }, x); });
  EXPECT_INVALID(y.backward(ones({8, 3}, device_)),
                 "[checkpoint] its forward drew random numbers while a graph was recorded, and "
                 "each replay draws others. Record the backward too.");
}

}  // namespace
}  // namespace patchbay::test
