// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// DataParallel against the module alone.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <patchbay/nn.h>

#include "core/nn/parallel/shares.h"
#include "nn/nets.h"
#include "support/cancellable_thread.h"
#include "support/child.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Rows = std::vector<std::int64_t>;

class DataParallelTest : public DeviceTest {
 protected:
  std::vector<Device> devices() const {
    return {device_, test_device("cpu:1"), test_device("fake:0")};
  }
  nn::Sequential net() const {
    const TensorOptions there = device_;
    return nn::Sequential(nn::Linear(3, 8, {.tensor = there}), nn::Tanh(),
                          nn::Linear(8, 2, {.tensor = there}));
  }
  Tensor batch(std::int64_t rows, std::int64_t columns = 3) const {
    return fill(rows, columns).to(device_);
  }

 private:
  static Tensor fill(std::int64_t rows, std::int64_t columns) {
    Floats values;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      values.push_back(std::sin(static_cast<float>(i) * 0.7F));
    }
    return from_host(values, {rows, columns}, test_device("cpu:0"));
  }
};
PATCHBAY_ON_EACH_DEVICE(DataParallelTest);

void expect_near(const Tensor& got, const Tensor& expected, float bound = 1e-5F) {
  ASSERT_EQ(got.defined(), expected.defined());
  if (!got.defined()) return;
  ASSERT_EQ(got.shape(), expected.shape());
  const Floats a = got.to_vector<float>(), b = expected.to_vector<float>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], bound * std::max(1.0F, std::abs(b[i]))) << i;
  }
}

void expect_same_gradients(nn::Module& got, nn::Module& expected) {
  const auto a = got.named_parameters(), b = expected.named_parameters();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(a[i].name);
    EXPECT_EQ(a[i].name, b[i].name);
    expect_near(a[i].parameter->grad(), b[i].parameter->grad());
  }
}

/// Both on x: equal results, and gradients of the sum of their squares.
void expect_same_step(nn::DataParallel& model, nn::Module& alone, const Tensor& x) {
  const Tensor y = model(x), expected = alone(x);
  expect_near(y, expected);
  sum(y * y).backward();
  sum(expected * expected).backward();
  expect_same_gradients(model, alone);
}

TEST_P(DataParallelTest, GradientsAreThoseOfOneDevice) {
  for (const std::int64_t rows : {7, 3, 12}) {
    nn::Sequential alone = net();
    nn::DataParallel model(nn::clone(alone), devices());
    const Tensor x = batch(rows), y = model(x);
    EXPECT_EQ(y.device(), device_);
    EXPECT_FALSE(y.is_leaf());
    expect_same_step(model, alone, x);
  }
}

/// A thread that is cancelled ends after the step, whose replicas use its stack.
TEST_P(DataParallelTest, ACancelledThreadEndsAfterTheStep) {
  nn::Sequential alone = net();
  nn::DataParallel model(nn::clone(alone), devices());
  const Tensor x = batch(7);
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(run_cancelled([&] {
      const Tensor y = model(x);
      sum(y * y).backward();
    }));
  }
  model.zero_grad();
  expect_same_step(model, alone, x);
}

TEST_P(DataParallelTest, TrainsAsOneDeviceDoes) {
  nn::Sequential alone = net();
  nn::DataParallel model(nn::clone(alone), devices(), {.bucket_bytes = 1});
  nn::Adam one(alone.parameters(), {.learning_rate = 0.05});
  nn::Adam many(model.parameters(), {.learning_rate = 0.05});
  const Tensor x = batch(9), target = batch(9, 2);
  for (int step = 0; step < 5; ++step) {
    const auto train = [&](nn::Module& net, nn::Optimizer& optimizer) {
      optimizer.zero_grad();
      const Tensor loss = mse_loss(net(x), target);
      loss.backward();
      optimizer.step();
      return loss.detach();
    };
    expect_near(train(model, many), train(alone, one), 1e-4F);
  }
}

TEST_P(DataParallelTest, SendsParametersOnlyWhenTheyHaveChanged) {
  nn::DataParallel model(net(), {device_, test_device("fake:1")});
  const Tensor x = batch(4);
  const auto num_sent = [&] {
    Ledger& ledger = test_runtime().ledger();
    ledger.reset();
    {
      const NoGrad no_grad;
      static_cast<void>(model(x));
    }
    return ledger.total(device_.name(), "fake:1").copies;
  };
  EXPECT_EQ(num_sent(), 1 + 4u) << "the rows, and the parameters";
  EXPECT_EQ(num_sent(), 1u);
  model.parameter("0.bias")->detach().fill_(1);
  EXPECT_EQ(num_sent(), 1 + 1u);
  model.parameter("2.bias").set(zeros({2}, device_));
  EXPECT_EQ(num_sent(), 1 + 1u);
  model.renew();
  EXPECT_EQ(num_sent(), 1 + 4u);
}

TEST_P(DataParallelTest, SmallBatchesUseFewerReplicas) {
  std::atomic<int> num_calls{0};
  nn::Sequential alone = net();
  nn::Sequential counted(nn::clone(alone), [&num_calls](const Tensor& x) {
    ++num_calls;
    EXPECT_GT(x.size(0), 0);
    return x * 1;
  });
  nn::DataParallel model(counted, devices());
  EXPECT_EQ(model.last_shares(), Rows());
  expect_near(model(batch(2)), alone(batch(2)));
  EXPECT_EQ(num_calls, 2);
  EXPECT_EQ(model.last_shares(), (Rows{1, 1}));
  sum(model(batch(1))).backward();
  sum(alone(batch(1))).backward();
  expect_near(model.parameter("0.2.bias")->grad(), alone.parameter("2.bias")->grad());
  EXPECT_EQ(num_calls, 3);
  static_cast<void>(model(batch(8)));
  EXPECT_EQ(num_calls, 6);
  EXPECT_EQ(model.last_shares(), (Rows{3, 3, 2}));
}

/// Masks are equal because the elements are counted in the whole batch.
TEST_P(DataParallelTest, DropoutIsThatOfOneDevice) {
  nn::Sequential alone(nn::Dropout(0.4), [](const Tensor& x) {
    return dropout(x.reshape({-1, 1}), 0.2, true);
  });
  nn::DataParallel model(alone, devices());
  const Tensor x = ones({11, 5}, device_);
  const Generator generator = default_generator(test_runtime());
  for (int i = 0; i < 3; ++i) {
    generator.set_state({17, 40});
    const Floats expected = alone(x).to_vector<float>();
    const Generator::State after = generator.state();
    generator.set_state({17, 40});
    EXPECT_EQ(model(x).to_vector<float>(), expected);
    EXPECT_EQ(generator.state(), after);
  }
}

/// They compute step by step, but their masks are those of the rows of the batch.
TEST_P(DataParallelTest, DropoutBetweenRecurrentLayersIsThatOfOneDevice) {
  const Generator generator = default_generator(test_runtime());
  nn::LSTM lstm(3, 4, {.num_layers = 2, .batch_first = true, .dropout = 0.5, .tensor = device_});
  nn::GRU gru(3, 4,
              {.num_layers = 2,
               .batch_first = true,
               .dropout = 0.5,
               .bidirectional = true,
               .tensor = device_});
  const auto expect_same = [&](auto& alone) {
    nn::DataParallel model(alone, devices());
    for (const std::int64_t steps : {5, 6}) {
      const Tensor x = randn({6, steps, 3}, device_);
      generator.set_state({17, 40});
      const Tensor expected = alone(x);
      generator.set_state({17, 40});
      expect_near(model(x), expected);
    }
  };
  expect_same(lstm);
  expect_same(gru);
}

TEST_P(DataParallelTest, CheckpointsInside) {
  const nn::Linear layer(3, 3, {.tensor = device_});
  class Net : public nn::Module {
   public:
    explicit Net(const nn::Linear& linear) : layer(linear) {}
    Tensor forward(const Tensor& x) override {
      const auto half = [this](const std::vector<Tensor>& in) {
        return dropout(tanh(layer(in[0])), 0.3, true);
      };
      return layer(checkpoint(half, {checkpoint(half, {layer(x)})}));
    }
    void members(nn::Members& each) override { each("layer", layer); }
    nn::Linear layer;
  };
  Net alone{layer};
  nn::DataParallel model(nn::clone(alone), devices());
  const Generator generator = default_generator(test_runtime());
  const Tensor x = batch(8);
  generator.set_state({5, 0});
  sum(alone(x)).backward();
  generator.set_state({5, 0});
  sum(model(x)).backward();
  expect_same_gradients(model, alone);
}

TEST_P(DataParallelTest, GradientsFlowToTheInput) {
  nn::Sequential alone = net();
  nn::DataParallel model(nn::clone(alone), devices());
  const Tensor host = batch(5).to(test_device("cpu:0"), {.copy = true});
  const Tensor x = host.clone().requires_grad_(), z = host.to(device_, {.copy = true});
  z.requires_grad_();
  sum(model(x * 2) * 3).backward();
  sum(alone(z * 2) * 3).backward();
  EXPECT_EQ(x.grad().device(), test_device("cpu:0"));
  expect_near(x.grad(), z.grad());
  const Tensor weight = model.parameter("0.weight").value();
  const Tensor again = sum(model(x));
  const std::vector<Tensor> wanted = gradients({again}, {x, weight});
  const Tensor expected = sum(alone(z));
  expect_near(wanted[0], gradients({expected}, {z}, {}, {.retain_graph = true})[0]);
  expect_near(wanted[1], gradients({expected}, {alone.parameter("0.weight").value()})[0]);
}

TEST_P(DataParallelTest, BackwardTwice) {
  nn::DataParallel model(net(), devices());
  const Tensor loss = sum(model(batch(6)));
  loss.backward({}, {.retain_graph = true});
  const Floats once = model.parameter("0.weight")->grad().to_vector<float>();
  loss.backward();
  const Floats twice = model.parameter("0.weight")->grad().to_vector<float>();
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_FLOAT_EQ(twice[i], 2 * once[i]);
  EXPECT_INVALID(loss.backward(), "[backward] the graph was freed");
  EXPECT_ERROR(sum(model(batch(6))).backward({}, {.create_graph = true}), ErrorCode::kUnsupported,
               "[DataParallel] gradients of gradients are not supported");
}

/// One parameter is not used, one asks for no gradient, and one stands twice.
class OddNet : public nn::Module {
 public:
  explicit OddNet(const Device& device)
      : used(3, 3, {.tensor = device}),
        tied(3, 3, {.tensor = device}),
        unused(3, 3, {.tensor = device}) {
    tied.weight = used.weight;
  }
  Tensor forward(const Tensor& x) override { return tied(relu(used(x))); }
  void members(nn::Members& each) override {
    each("used", used);
    each("tied", tied);
    each("unused", unused);
  }
  nn::Linear used, tied, unused;
};

TEST_P(DataParallelTest, UnusedFrozenAndTiedParameters) {
  OddNet alone(device_);
  alone.used.bias->requires_grad_(false);
  nn::DataParallel model(nn::clone(alone), devices());
  const Tensor x = batch(7);
  for (int i = 0; i < 2; ++i) {
    sum(model(x) * model(x)).backward();
    sum(alone(x) * alone(x)).backward();
    expect_same_gradients(model, alone);
    EXPECT_FALSE(model.parameter("unused.weight")->grad().defined());
    EXPECT_EQ(model.parameter("used.bias")->grad().defined(), i == 1);
    alone.used.bias->requires_grad_();
    model.parameter("used.bias")->requires_grad_();
    model.zero_grad();
    alone.zero_grad();
  }
}

TEST_P(DataParallelTest, ModesAndStatisticsOfBatches) {
  nn::Sequential net(nn::BatchNorm(3, {.tensor = device_}), nn::Dropout(0.5));
  nn::Sequential alone = nn::clone(net);
  nn::DataParallel model(net, devices());
  const Tensor x = batch(9);
  static_cast<void>(model(x));
  static_cast<void>(alone(x.slice(0, 0, 3)));
  expect_near(model.parameter("0.running_mean").value(), alone.parameter("0.running_mean").value());
  expect_near(model.parameter("0.running_var").value(), alone.parameter("0.running_var").value());
  model.eval();
  alone.eval();
  expect_near(model(x), alone(x));
  model.train();
  model.module().eval();
  expect_near(model(x), alone(x));
}

/// Modules that ask for a mode of their own, which members() does not name.
TEST_P(DataParallelTest, TheModeOfTheModuleItself) {
  const Tensor x = ones({12, 16}, device_);
  const auto num_dropped = [&](nn::Module& net) {
    const Floats y = net(x).to_vector<float>();
    return std::count(y.begin(), y.end(), 0.0F);
  };
  nn::Dropout layer(0.5);
  layer.eval();
  nn::DataParallel model(layer, devices());
  EXPECT_FALSE(model.is_training());
  EXPECT_EQ(num_dropped(model), 0);
  model.train();
  EXPECT_TRUE(model.is_training());
  EXPECT_TRUE(model.module().is_training());
  EXPECT_GT(num_dropped(model), 0);
  model.module().eval();
  EXPECT_EQ(num_dropped(model), 0);
  model.train();
  EXPECT_GT(num_dropped(model), 0);
  model.eval();
  EXPECT_FALSE(model.module().is_training());
  EXPECT_EQ(num_dropped(model), 0);
  nn::Sequential outer(model);
  outer.train();
  EXPECT_GT(num_dropped(outer), 0);
  outer.eval();
  EXPECT_EQ(num_dropped(outer), 0);
}

TEST_P(DataParallelTest, StartsInTheModesOfTheModule) {
  nn::Sequential net(nn::Dropout(0.5), nn::Dropout(0.25));
  net.eval();
  net.as<nn::Dropout>(1).train();
  nn::DataParallel model(net, devices());
  EXPECT_FALSE(model.is_training());
  EXPECT_FALSE(model.module().is_training());
  const auto below = model.named_modules();
  ASSERT_EQ(below.size(), 3U);
  EXPECT_FALSE(below[1].module->is_training());
  EXPECT_TRUE(below[2].module->is_training());
}

TEST_P(DataParallelTest, InferenceModeAndNoGrad) {
  nn::Sequential alone = net();
  nn::DataParallel model(nn::clone(alone), devices());
  {
    const InferenceMode inference;
    const Tensor y = model(batch(4));
    EXPECT_FALSE(y.requires_grad());
    expect_near(y, alone(batch(4)));
  }
  expect_same_step(model, alone, batch(4));
}

TEST_P(DataParallelTest, LazyLayersLearnTheirShapes) {
  nn::DataParallel model(nn::Sequential(nn::LazyLinear(4, {.tensor = device_}), nn::Dropout(0.5)),
                         devices());
  const Tensor y = model(batch(6));
  EXPECT_EQ(y.shape(), (Shape{6, 4}));
  EXPECT_TRUE(y.requires_grad());
  EXPECT_EQ(model.parameter("0.weight")->shape(), (Shape{4, 3}));
  EXPECT_TRUE(model.module().named_modules()[2].module->is_training());
}

TEST_P(DataParallelTest, OutputsWithoutDimensionsAndEmptyBatches) {
  nn::DataParallel losses([](const Tensor& x) { return sum(x); }, devices());
  EXPECT_EQ(losses(ones({6, 2}, device_)).to_vector<float>(), (Floats{4, 4, 4}));
  nn::DataParallel model(net(), devices());
  EXPECT_EQ(model(batch(0)).shape(), (Shape{0, 2}));
  EXPECT_EQ(model.last_shares(), (Rows{0}));
}

TEST_P(DataParallelTest, MeasuredShares) {
  nn::Sequential alone = net();
  nn::DataParallel model(nn::clone(alone), devices(), {.shares = nn::Shares::kMeasured});
  for (int i = 0; i < 4; ++i) {
    const Tensor x = batch(40);
    alone.zero_grad();
    model.zero_grad();
    expect_same_step(model, alone, x);
    std::int64_t total = 0;
    for (const std::int64_t rows : model.last_shares()) {
      EXPECT_GE(rows, 1);
      total += rows;
    }
    EXPECT_EQ(total, 40);
  }
}

/// A replica that needs 20 ms for any part, beside one that needs next to nothing.
TEST(DataParallelSharesTest, FollowTheSpeed) {
  const Device slow = test_device("cpu:1");
  const auto twice = [slow](const Tensor& x) {
    if (x.device() == slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return x * 2;
  };
  nn::DataParallel model(twice, {test_device("cpu:0"), slow}, {.shares = nn::Shares::kMeasured});
  const NoGrad no_grad;
  const Tensor x = ones({40, 2}, model.devices()[0]);
  static_cast<void>(model(x));
  EXPECT_EQ(model.last_shares(), (Rows{20, 20})) << "nothing is known yet";
  for (int i = 0; i < 3; ++i) static_cast<void>(model(x));
  const Rows shares = model.last_shares();
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0] + shares[1], 40);
  EXPECT_GT(shares[0], 30);
}

/// Replicas that need these times, in ms: the shares of 64 rows after some calls. Without a clock,
/// because other programs would be measured too.
Rows shares_of(const std::vector<double>& fixed, const std::vector<double>& a_row) {
  constexpr std::int64_t kRows = 64;
  nn::parallel::Speeds speeds(fixed.size());
  const auto shares = [&] { return nn::parallel::divide(kRows, speeds.wanted(kRows)); };
  for (int call = 0; call < 8; ++call) {
    const Rows rows = shares();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      speeds.note(i, rows[i], (fixed[i] + a_row[i] * static_cast<double>(rows[i])) / 1000);
    }
  }
  return shares();
}

TEST(DataParallelSharesTest, AreInProportionToTheSpeed) {
  const Rows shares = shares_of({0, 0}, {0.2, 0.6});
  EXPECT_NEAR(static_cast<double>(shares[0]), 48, 1);
}

/// A device with few rows is not slow because of what each call costs.
TEST(DataParallelSharesTest, DoNotDriftWithFixedCosts) {
  const Rows alike = shares_of({10, 10}, {0.01, 0.01});
  EXPECT_EQ(alike[0], 32);
  const Rows late = shares_of({0, 10}, {0.5, 0.5});  // 10 ms are 20 rows
  EXPECT_NEAR(static_cast<double>(late[0]), 42, 2);
}

TEST_P(DataParallelTest, MembersAreThoseOfTheModule) {
  nn::DataParallel model(Net(device_), devices());
  EXPECT_EQ(names_of(model.named_parameters()),
            (Names{"hidden.weight", "hidden.bias", "out.weight", "out.bias"}));
  EXPECT_EQ(model.type_name(), "DataParallel");
  EXPECT_EQ(model.details(), "Net, " + device_.name() + ", cpu:1, fake:0");
  const Tensor x = batch(5), y = model(x);
  nn::DataParallel same = model, other = nn::clone(model);
  EXPECT_TRUE(same.parameter("out.bias") == model.parameter("out.bias"));
  EXPECT_FALSE(other.parameter("out.bias") == model.parameter("out.bias"));
  other.parameter("out.bias")->detach().fill_(9);
  expect_near(model(x), y);
  expect_near(same(x), y);
  model = other;
  expect_near(model(x) - y, other(x) - y);
  if (device_.name() == "cpu:1") return;
  model.move_to(test_device("cpu:1"));
  EXPECT_ERROR(model(x), ErrorCode::kDeviceMismatch,
               "[DataParallel] the module is on another device: expected hidden.weight on " +
                   device_.name() +
                   ", the first device, got cpu:1. Move it there: model.move_to(\"" +
                   device_.name() + "\").");
}

TEST_P(DataParallelTest, AFailedReplicaIsNamed) {
  const Device bad = test_device("cpu:1");
  std::atomic<bool> fails{true};
  nn::Sequential alone = net();
  const nn::DataParallel::PreHook hook = [&](nn::Module&, const Tensor& x) -> Tensor {
    if (fails && x.device() == bad) throw Error(ErrorCode::kIo, "[read] no more rows.");
    return {};
  };
  alone.as<nn::Linear>(2).add_pre_hook(hook);
  nn::DataParallel model(nn::clone(alone), devices());
  const Tensor x = batch(7);
  EXPECT_ERROR(model(x), ErrorCode::kIo,
               "[read] no more rows. Layer: 2 (Linear). Replica: 1 (cpu:1).");
  fails = false;
  expect_same_step(model, alone, x);
  nn::DataParallel odd([bad](const Tensor& in) { return in.device() == bad ? throw 1 : in; },
                       devices());
  EXPECT_INVALID(odd(x), "[DataParallel] an exception that is no std::exception.");
  // In backward, where the others wait for its gradients.
  const Tensor y = model(x);
  model.zero_grad();
  alone.zero_grad();
  nn::DataParallel broken(
      [bad](const Tensor& in) {
        const Tensor out = in * 2;
        if (in.device() == bad) {
          out.add_gradient_hook(
              [](const Tensor&) -> Tensor { throw std::runtime_error("broken"); });
        }
        return out;
      },
      devices());
  EXPECT_INVALID(sum(broken(x.clone().requires_grad_())).backward(), "[DataParallel] broken.");
  sum(y).backward();
  sum(alone(x)).backward();
  expect_same_gradients(model, alone);
}

/// Keeps a part of its graph outside.
class WithSideOutput : public nn::Module {
 public:
  WithSideOutput(const TensorOptions& options, std::shared_ptr<std::vector<Tensor>> kept)
      : layer(3, 2, {.tensor = options}), kept_(std::move(kept)) {}
  Tensor forward(const Tensor& x) override {
    const Tensor y = layer(x);
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    kept_->push_back(sum(y * y));
    return y;
  }
  void members(nn::Members& each) override { each("layer", layer); }

  nn::Linear layer;

 private:
  std::shared_ptr<std::vector<Tensor>> kept_;
};

TEST_P(DataParallelTest, AGraphMayOutliveTheReplicas) {
  const auto kept = std::make_shared<std::vector<Tensor>>();
  {
    nn::DataParallel model(WithSideOutput(device_, kept), devices());
    static_cast<void>(model(batch(6)));
  }
  ASSERT_EQ(kept->size(), 3U);
  for (const Tensor& each : *kept) each.backward();
}

/// Counts in a buffer, in training on the second device alone.
class CountsElsewhere : public nn::Module {
 public:
  CountsElsewhere(const Device& device, Device counting)
      : count(zeros({1}, device), /*is_trained=*/false), counting_(std::move(counting)) {}
  Tensor forward(const Tensor& x) override {
    if (is_training() && x.device() == counting_) count->fill_(100);
    return x + count;
  }
  void members(nn::Members& each) override { each.buffer("count", count); }

  nn::Parameter count;

 private:
  Device counting_;
};

TEST_P(DataParallelTest, BuffersAreThoseOfTheFirstDevice) {
  nn::DataParallel model(CountsElsewhere(device_, test_device("fake:1")),
                         {device_, test_device("fake:1")});
  const Tensor x = zeros({4, 1}, device_);
  static_cast<void>(model(x));
  model.eval();
  EXPECT_EQ(model(x).to_vector<float>(), (Floats{0, 0, 0, 0}));
}

TEST_P(DataParallelTest, AParameterMayBeFrozenBeforeBackward) {
  nn::Sequential alone = net();
  nn::DataParallel model(nn::clone(alone), devices());
  const Tensor x = batch(6), y = model(x), expected = alone(x);
  for (nn::Module* const each :
       {static_cast<nn::Module*>(&model), static_cast<nn::Module*>(&alone)}) {
    each->parameter("0.weight")->requires_grad_(false);
  }
  static_cast<void>(model(x));
  sum(y).backward();
  sum(expected).backward();
  expect_near(model.parameter("2.weight")->grad(), alone.parameter("2.weight")->grad());
}

/// A layer that evaluation does not use.
class TrainingHead : public nn::Module {
 public:
  Tensor forward(const Tensor& x) override { return is_training() ? head(x) : x; }
  void members(nn::Members& each) override { each("head", head); }
  nn::LazyLinear head{2, {.tensor = test_device("cpu:0")}};
};

TEST(DataParallelRuntimesTest, DoNotMix) {
  Runtime other(device_options());
  const Device elsewhere = other.device("cpu:0");
  nn::DataParallel model(nn::Linear(3, 2, {.tensor = elsewhere}),
                         {test_device("cpu:0"), test_device("cpu:1")});
  EXPECT_ERROR(model(ones({4, 3}, test_device("cpu:0"))), ErrorCode::kDeviceMismatch,
               "[DataParallel] the module belongs to another runtime: expected weight on cpu:0 of "
               "the devices' runtime. Runtimes do not mix: make the module on its devices.");
  EXPECT_ERROR(nn::Linear(3, 2, {.tensor = elsewhere})(ones({4, 3}, test_device("cpu:0"))),
               ErrorCode::kDeviceMismatch, "on devices of two runtimes, which do not mix");
}

TEST(DataParallelShapesTest, SaysWhatHasNone) {
  nn::DataParallel model(TrainingHead(), {test_device("cpu:0"), test_device("cpu:1")});
  const Tensor x = ones({4, 3}, test_device("cpu:0"));
  EXPECT_INVALID(model(x),
                 "[DataParallel] head.weight has no shape yet after a row in evaluation: expected "
                 "lazy layers that are used there. Run the module itself on a batch first.");
  static_cast<void>(model.module()(x));
  EXPECT_EQ(model(x).shape(), (Shape{4, 2}));
}

TEST_P(DataParallelTest, MayNotCallItself) {
  nn::DataParallel* self = nullptr;
  nn::DataParallel model([&](const Tensor& x) { return (*self)(x); }, devices());
  self = &model;
  EXPECT_INVALID(
      model(batch(4)),
      "[DataParallel] it was called by its own module: expected calls of the module alone.");
}

TEST_P(DataParallelTest, BackwardsOfSeveralThreadsWaitForEachOther) {
  nn::Sequential alone = net();
  nn::DataParallel model(nn::clone(alone), devices());
  const Tensor x = batch(6);
  std::vector<Tensor> losses;
  for (int i = 0; i < 4; ++i) losses.push_back(sum(model(x)));
  {
    std::vector<std::jthread> threads;
    for (const Tensor& loss : losses) threads.emplace_back([&loss] { loss.backward(); });
  }
  sum(alone(x) * 4).backward();
  expect_same_gradients(model, alone);
}

/// The first replica has asked for many sums when one fails; the last comes to them later.
TEST(DataParallelFailures, AReplicaFailsBeforeASlowOne) {
  const Device first = test_device("cpu:0");
  const Device bad = test_device("cpu:1"), slow = test_device("fake:0");
  std::atomic<bool> has_failed{false};
  nn::Sequential deep;
  for (int i = 0; i < 20; ++i) deep.add(nn::Linear(3, 3, {.tensor = first}));
  deep.add([&](const Tensor& x) {
    Tensor y = x * 1;
    y.add_gradient_hook([&, device = x.device()](const Tensor&) -> Tensor {
      if (device == bad) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        has_failed = true;
        throw std::runtime_error("broken");
      }
      if (device == slow) {
        while (!has_failed) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
      }
      return {};
    });
    return y;
  });
  nn::DataParallel model(deep, {first, bad, slow}, {.bucket_bytes = 1});
  for (int i = 0; i < 3; ++i) {
    has_failed = false;
    EXPECT_INVALID(sum(model(ones({6, 3}, first))).backward(), "[DataParallel] broken.");
  }
}

TEST_P(DataParallelTest, WrongUses) {
  EXPECT_INVALID(nn::DataParallel(net(), {}),
                 "[DataParallel] the list of devices is empty. Pass at least one device.");
  nn::DataParallel model(net(), devices());
  EXPECT_ERROR(model(full({}, 1, device_)), ErrorCode::kShapeMismatch,
               "[DataParallel] no rows to share: expected a batch [n, ...], got a tensor without "
               "dimensions.");
  EXPECT_ERROR(model(batch(5, 4)), ErrorCode::kShapeMismatch, "Layer: 0 (Linear). Replica: ");
  nn::DataParallel crooked(
      [](const Tensor& x) {
        return x.expand({2, x.size(0), x.size(1)});
      },
      {device_, test_device("cpu:1")});
  EXPECT_ERROR(crooked(batch(5)), ErrorCode::kShapeMismatch,
               "[DataParallel] outputs can't be joined: expected f32 [2, 3, 3] but for the number "
               "of rows, as of replica 0, got f32 [2, 2, 3] of replica 1 (cpu:1). Return one "
               "dtype, and equal extents after the first.");
  nn::DataParallel none([](const Tensor&) { return Tensor(); }, devices());
  EXPECT_INVALID(none(batch(5)), "[DataParallel] forward returned an undefined tensor");
  const Tensor x = batch(5);
  const CopyGuard guard;
  EXPECT_ERROR(model(x), ErrorCode::kCopyForbidden, " Replica: ");
}

TEST_P(DataParallelTest, AChildOfForkCannotUseIt) {
  if (device_.name() != "cpu:0") GTEST_SKIP() << "drivers do not take part";
  nn::DataParallel model(net(), {device_, test_device("cpu:1")});
  const Tensor x = batch(4);
  static_cast<void>(model(x));
  EXPECT_EQ(answer_of([&] {
              const Error error = error_of([&] { static_cast<void>(model(x)); });
              const nn::DataParallel gone = std::move(model);
              return std::string(to_string(error.code()));
            }),
            "device_lost");
}

}  // namespace
}  // namespace patchbay::test
