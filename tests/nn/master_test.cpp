// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Training in 16 bits: master weights, clipping, and losses that are scaled.

#include <patchbay/nn/containers.h>
#include <patchbay/nn/init.h>
#include <patchbay/nn/loss.h>
#include <patchbay/nn/loss_scaler.h>
#include <patchbay/nn/optimizer.h>

#include "nn/nets.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class MasterTest : public DeviceTest {
 protected:
  nn::Parameter parameter(const Floats& values, DType dtype) const {
    return nn::Parameter(make(values).cast(dtype));
  }
  Tensor make(const Floats& values) const {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, device_);
  }
  void set_gradient(const nn::Parameter& of, const Floats& values) const {
    of->set_grad(make(values).to(of.device()).cast(of.dtype()));
  }
  static Floats values_of(const Tensor& tensor) {
    return tensor.detach().cast(DType::f32).to_vector<float>();
  }
};
PATCHBAY_ON_EACH_DEVICE(MasterTest);

/// Beside 1, bf16 has nothing closer than 2^-8 below and 2^-7 above.
TEST_P(MasterTest, SmallUpdatesAddUp) {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    const nn::Parameter small = parameter({1, -2}, dtype), wide = parameter({1, -2}, DType::f32);
    nn::SGD optimizer({small}, {.learning_rate = 1e-4}), reference({wide}, {.learning_rate = 1e-4});
    for (int step = 0; step < 200; ++step) {
      set_gradient(small, {1, -1});
      set_gradient(wide, {1, -1});
      optimizer.step();
      reference.step();
    }
    EXPECT_EQ(small.dtype(), dtype);
    EXPECT_EQ(small->to(device_).cast(DType::f32).to_vector<float>(),
              wide->cast(dtype).cast(DType::f32).to_vector<float>());
    EXPECT_NEAR(values_of(small)[0], 0.98, 0.004);
    const nn::Optimizer::State state = optimizer.state();
    ASSERT_EQ(state.lists.size(), 1U);
    EXPECT_EQ(state.lists[0][0].dtype(), DType::f32);
    EXPECT_EQ(state.lists[0][0].to_vector<float>(), wide->to_vector<float>());
    EXPECT_EQ(reference.state().lists.size(), 0U);
  }
}

TEST_P(MasterTest, TheStateOfTheOptimiserIsF32) {
  const nn::Parameter small = parameter({1}, DType::bf16), wide = parameter({1}, DType::f32);
  nn::Adam optimizer({small, wide}, {.learning_rate = 1e-3});
  for (int step = 0; step < 20; ++step) {
    set_gradient(small, {0.5});
    set_gradient(wide, {0.5});
    optimizer.step();
  }
  const nn::Optimizer::State state = optimizer.state();
  ASSERT_EQ(state.lists.size(), 3U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(state.lists[k][0].dtype(), DType::f32);
    EXPECT_EQ(state.lists[k][0].to_vector<float>(), state.lists[k][1].to_vector<float>());
  }
  EXPECT_EQ(state.lists[2][0].to_vector<float>(), wide->to_vector<float>());
  EXPECT_FALSE(state.lists[2][1].defined());
}

TEST_P(MasterTest, AStateCarriesThem) {
  const nn::Parameter a = parameter({1}, DType::bf16), b = parameter({1}, DType::bf16);
  nn::SGD first({a}, {.learning_rate = 1e-3, .momentum = 0.9}),
      second({b}, {.learning_rate = 1e-3, .momentum = 0.9});
  set_gradient(a, {1});
  first.step();
  EXPECT_EQ(values_of(a), Floats{1});  // not visible yet
  second.set_state(first.state());
  for (int step = 0; step < 2; ++step) {
    set_gradient(a, {1});
    set_gradient(b, {1});
    first.step();
    second.step();
  }
  EXPECT_EQ(first.state().lists.back()[0].to_vector<float>(),
            second.state().lists.back()[0].to_vector<float>());
  EXPECT_NEAR(second.state().lists.back()[0].to_vector<float>()[0], 1 - 1e-3 * 5.61, 1e-6);
  // A state without them starts from the parameters.
  nn::Optimizer::State plain = first.state();
  plain.lists.pop_back();
  plain.has_masters = false;
  b.set(parameter({3}, DType::bf16).value());
  second.set_state(plain);
  set_gradient(b, {0});
  second.step();
  EXPECT_NEAR(second.state().lists.back()[0].to_vector<float>()[0], 3, 0.01);
}

TEST_P(MasterTest, TheyFollowWhatElseIsWritten) {
  const nn::Parameter a = parameter({1, 1}, DType::bf16);
  nn::SGD optimizer({a}, {.learning_rate = 1e-3});
  set_gradient(a, {1, 1});
  optimizer.step();
  {
    const NoGrad scope;
    a->slice(0, 1, 2).fill_(5);
  }
  optimizer.step();
  const Floats masters = optimizer.state().lists[0][0].to_vector<float>();
  EXPECT_NEAR(masters[0], 0.998, 1e-6);
  EXPECT_NEAR(masters[1], 4.999, 1e-6);
}

TEST_P(MasterTest, TheyMoveWithTheModel) {
  nn::Linear layer(2, 2, {.bias = false, .tensor = {DType::bf16, test_device("cpu:0")}});
  nn::init::constant(layer.weight, 1);
  nn::SGD optimizer(layer.parameters(), {.learning_rate = 1e-3});
  const auto step = [&] {
    const Tensor x = ones({1, 2}, {layer.weight.dtype(), layer.weight.device()});
    layer.zero_grad();
    sum(layer(x)).backward();
    optimizer.step();
  };
  step();
  layer.move_to(device_);
  step();
  const Tensor master = optimizer.state().lists[0][0];
  EXPECT_EQ(master.device(), device_);
  EXPECT_NEAR(master.to_vector<float>()[0], 0.998, 1e-6);
  layer.cast(DType::f32);
  step();
  EXPECT_TRUE(optimizer.state().lists.empty());
}

TEST_P(MasterTest, AModelIsTrainedInBf16) {
  manual_seed(2);
  nn::Sequential net(nn::Linear(2, 8, {.activation = Activation::kTanh, .tensor = device_}),
                     nn::Linear(8, 1, {.tensor = device_}));
  net.cast(DType::bf16);
  nn::Adam optimizer(net.parameters(), {.learning_rate = 0.05});
  nn::BCEWithLogitsLoss loss;
  const Tensor x = from_host(Floats{0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}, device_).cast(DType::bf16);
  const Tensor y = from_host(Floats{0, 1, 1, 0}, {4, 1}, device_);
  float last = 0;
  for (int step = 0; step < 120; ++step) {
    optimizer.zero_grad();
    const Tensor error = loss(net(x).cast(DType::f32), y);
    error.backward();
    optimizer.step();
    last = error.item<float>();
  }
  EXPECT_LT(last, 0.1F);
}

/// A factor of less than 2^-24 is 0 in f16.
TEST_P(MasterTest, ClippingComputesInF32) {
  const nn::Parameter a = parameter({0, 0}, DType::f16);
  const std::vector<nn::Parameter> all = {a};
  set_gradient(a, {30000, 40000});
  EXPECT_NEAR(nn::clip_grad_norm(all, 1e-3).item<float>(), 50000, 50);
  const Floats got = values_of(a->grad());
  EXPECT_NEAR(got[0], 6e-4, 1e-6);
  EXPECT_NEAR(got[1], 8e-4, 1e-6);
}

TEST_P(MasterTest, ScalesLosses) {
  const nn::Parameter a = parameter({1}, DType::f16);
  nn::SGD optimizer({a}, {.learning_rate = 1});
  nn::LossScaler scaler({.scale = 1024, .growth_interval = 2});
  const auto backward = [&](double slope) {
    optimizer.zero_grad();
    scaler.scale(sum(a->cast(DType::f32) * slope)).backward();
  };
  backward(1e-6);  // below what f16 keeps exactly
  EXPECT_NEAR(values_of(a->grad())[0], 1.024e-3, 1e-6);
  EXPECT_TRUE(scaler.step(optimizer));
  EXPECT_NEAR(optimizer.state().lists[0][0].to_vector<float>()[0], 1 - 1e-6, 1e-7);
  EXPECT_EQ(scaler.scale(), 1024);
  backward(0);
  EXPECT_TRUE(scaler.step(optimizer));
  EXPECT_EQ(scaler.scale(), 2048);
  const std::int64_t steps = optimizer.num_steps();
  backward(1000);
  EXPECT_FALSE(scaler.step(optimizer));
  EXPECT_EQ(scaler.scale(), 1024);
  EXPECT_EQ(optimizer.num_steps(), steps);
  const nn::LossScaler::State state = scaler.state();
  nn::LossScaler other;
  other.set_state(state);
  EXPECT_EQ(other.scale(), 1024);
  EXPECT_ERROR(scaler.scale(a.value()), ErrorCode::kDtypeMismatch,
               "[LossScaler] the loss would overflow: expected f32 or f64, got f16");
  for (const double wrong : {0.0, 1e39, 1e-39}) {
    EXPECT_INVALID(
        nn::LossScaler({.scale = wrong}),
        "[LossScaler] a wrong scale: expected one that f32 can hold, and its reciprocal too");
  }
  EXPECT_INVALID(scaler.scale(Tensor()), "[LossScaler] the loss is undefined. Compute it first.");
  EXPECT_INVALID(other.set_state({8, -5}),
                 "[LossScaler] a wrong number of good steps: expected >= 0, got -5");
  EXPECT_EQ(other.scale(), 1024);
  EXPECT_INVALID(nn::LossScaler({.growth = 0.5}), "[LossScaler] wrong options");
}

/// With gradients of 0 no scale overflows.
TEST_P(MasterTest, TheScaleOfLossesStaysInTheRangeOfF32) {
  nn::Linear net(2, 1, {.tensor = device_});
  nn::SGD optimizer(net.parameters(), {.learning_rate = 0.1});
  nn::LossScaler scaler({.scale = 1e37, .growth_interval = 1});
  for (int i = 0; i < 8; ++i) {
    optimizer.zero_grad();
    scaler.scale(sum(net(zeros({1, 2}, device_)) * 0)).backward();
    EXPECT_TRUE(scaler.step(optimizer));
  }
  EXPECT_EQ(scaler.scale(), 1e37 * 32);
}

}  // namespace
}  // namespace patchbay::test
