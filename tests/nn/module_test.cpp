// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Members and their names, moving, copies, hooks, modes and messages.
#include <sstream>
#include <thread>

#include <patchbay/nn/activation.h>
#include <patchbay/nn/containers.h>
#include <patchbay/nn/convolution.h>
#include <patchbay/nn/loss.h>
#include <patchbay/nn/normalization.h>
#include <patchbay/nn/optimizer.h>

#include "nn/nets.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using nn::Sequential;

class ModuleTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(ModuleTest);

TEST_P(ModuleTest, NamesItsMembers) {
  Net net(device_);
  EXPECT_EQ(names_of(net.named_parameters()),
            (Names{"hidden.weight", "hidden.bias", "out.weight", "out.bias"}));
  EXPECT_EQ(names_of(net.named_buffers()), Names{"count"});
  const auto modules = net.named_modules();
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[0].module, &net);
  EXPECT_EQ(modules[0].name, "");
  EXPECT_EQ(modules[2].module, &net.out);
  EXPECT_EQ(modules[2].name, "out");
  EXPECT_EQ(net.num_parameters(), 2 * (9 + 3));
  EXPECT_TRUE(net.parameter("out.bias") == net.out.bias);
  EXPECT_TRUE(net.parameter("count") == net.count);
  EXPECT_INVALID(
      net.parameter("out.wieght"),
      "[parameter] Net has no such parameter: expected one of hidden.weight, hidden.bias, "
      "out.weight, out.bias, count, got 'out.wieght', the nearest is 'out.weight'");
  for (const nn::Parameter& each : net.parameters()) EXPECT_TRUE(each->requires_grad());
  EXPECT_FALSE(net.count->requires_grad());
}

TEST_P(ModuleTest, TiedParametersAreOne) {
  Net net(device_, /*tied=*/true);
  EXPECT_EQ(names_of(net.named_parameters()), (Names{"hidden.weight", "hidden.bias", "out.bias"}));
  EXPECT_EQ(net.num_parameters(), 9 + 3 + 3);
  net.move_to(test_device("cpu:1"));
  EXPECT_TRUE(net.hidden.weight == net.out.weight);
  Net copy = nn::clone(net);
  EXPECT_TRUE(copy.hidden.weight == copy.out.weight);
  EXPECT_FALSE(copy.hidden.weight == net.hidden.weight);
}

TEST_P(ModuleTest, MovesWithItsGradients) {
  Net net(test_device("cpu:0"));
  const Floats before = net.hidden.weight->to_vector<float>();
  const Tensor x = ones({2, 3}, test_device("cpu:0"));
  sum(net(x)).backward();
  const Floats gradient = net.hidden.weight->grad().to_vector<float>();
  const nn::Parameter held = net.hidden.weight;
  EXPECT_EQ(&net.move_to(device_), &net);
  for (const auto& each : net.named_parameters()) {
    EXPECT_EQ(each.parameter.device(), device_) << each.name;
    EXPECT_TRUE(each.parameter->requires_grad()) << each.name;
    EXPECT_TRUE(each.parameter->is_leaf()) << each.name;
    EXPECT_EQ(each.parameter->grad().device(), device_) << each.name;
  }
  EXPECT_EQ(net.count.device(), device_);
  EXPECT_EQ(held.device(), device_) << "a handle from before";
  EXPECT_EQ(held->to_vector<float>(), before);
  EXPECT_EQ(held->grad().to_vector<float>(), gradient);
  const Tensor y = net(x.to(device_));
  EXPECT_EQ(y.device(), device_);
  const Tensor weight = held.value();
  net.move_to(device_);
  EXPECT_TRUE(held->is_same(weight)) << "where it is already";
}

TEST_P(ModuleTest, ANameIsOfItsOwnRuntime) {
  nn::Linear layer(2, 2, {.tensor = device_});
  EXPECT_FALSE(device_.runtime() == Runtime::get_default());
  layer.move_to("cpu:1");
  EXPECT_TRUE(layer.weight.device() == test_device("cpu:1"));
  layer.move_to(std::string_view("cpu"));
  EXPECT_TRUE(layer.weight.device() == test_device("cpu:0"));
  layer.move_to(device_.name());
  EXPECT_TRUE(layer.bias.device() == device_);
  nn::LazyLinear lazy(2, {.tensor = test_device("cpu:1")});
  EXPECT_TRUE(lazy.move_to("cpu:0").parameters()[0].device() == test_device("cpu:0"));
  EXPECT_INVALID(lazy.move_to(Device()), "undefined");
  EXPECT_TRUE(lazy.weight.device() == test_device("cpu:0"));
}

TEST_P(ModuleTest, HooksAndGraphsStayWithTheOldTensor) {
  nn::Linear layer(2, 1, {.tensor = test_device("cpu:1")});
  const Tensor old = *layer.weight;
  int num_calls = 0;
  add_accumulation_hook(old, [&](const Tensor&) { ++num_calls; });
  const Tensor before = sum(layer(ones({1, 2}, test_device("cpu:1"))));
  layer.move_to(device_);
  sum(layer(ones({1, 2}, device_))).backward();
  EXPECT_EQ(num_calls, 0);
  EXPECT_FALSE(old.grad().defined());
  before.backward();
  EXPECT_EQ(num_calls, 1);
  EXPECT_EQ(old.grad().to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(layer.weight->grad().to_vector<float>(), (Floats{1, 1}));
}

TEST_P(ModuleTest, NothingMovesIfACopyIsForbidden) {
  if (device_.name() == "cpu:0") GTEST_SKIP() << "a move to where it is";
  Net net(test_device("cpu:0"));
  {
    const CopyGuard guard;
    EXPECT_ERROR(net.move_to(device_), ErrorCode::kCopyForbidden, "[to]");
  }
  for (const nn::Parameter& each : net.parameters()) EXPECT_EQ(each.device().name(), "cpu:0");
}

TEST_P(ModuleTest, AnInputElsewhereNamesTheLayer) {
  if (device_.name() == "cpu:0") GTEST_SKIP() << "the same device";
  Net net(device_);
  const Tensor x = ones({2, 3}, test_device("cpu:0"));
  EXPECT_ERROR(net(x), ErrorCode::kDeviceMismatch,
               "[hidden (Linear)] input and parameter are on different devices (input: f32 [2, 3] "
               "on cpu:0; weight: f32 [3, 3] on " +
                   device_.name() + "). Move one of them: input.to(\"" + device_.name() +
                   "\") or model.move_to(\"cpu:0\").");
  EXPECT_ERROR(net.hidden(x), ErrorCode::kDeviceMismatch, "[Linear] input and parameter");
  net.out.move_to(test_device("cpu:0"));
  EXPECT_ERROR(
      net(ones({2, 3}, device_)), ErrorCode::kDeviceMismatch,
      "[out (Linear)] input and parameter are on different devices (input: f32 [2, 3] on " +
          device_.name() + "; weight: f32 [3, 3] on cpu:0)");
}

TEST_P(ModuleTest, AnInputOfAnotherDtypeNamesTheLayer) {
  Net net(device_);
  const std::string on = " on " + device_.name();
  EXPECT_ERROR(net(ones({2, 3}, {DType::f16, device_})), ErrorCode::kDtypeMismatch,
               "[hidden (Linear)] input and parameter have different dtypes: expected the input as "
               "f32 like weight, got f16 (input: f16 [2, 3]" +
                   on + "; weight: f32 [3, 3]" + on + ").");
  EXPECT_ERROR(net(ones({2, 3}, {DType::i64, device_})), ErrorCode::kDtypeMismatch,
               "[hidden (Linear)] input and parameter have different dtypes: expected the input as "
               "f32 like weight, got i64 (input: i64 [2, 3]" +
                   on + "; weight: f32 [3, 3]" + on + "). Convert it: input.cast(DType::f32).");
  nn::PReLU slope(1, {.tensor = device_});
  EXPECT_ERROR(slope(ones({3}, {DType::f16, device_})), ErrorCode::kDtypeMismatch,
               "[PReLU] input and parameter have different dtypes: expected the input as f32 like "
               "weight, got f16 (input: f16 [3]" +
                   on + "; weight: f32 [1]" + on +
                   "). Convert one of them: input.cast(DType::f32) or model.cast(DType::f16).");
}

/// A module may have parts on several devices.
TEST_P(ModuleTest, BringsValuesToItsPartsItself) {
  Net net(device_);
  net.out.move_to(test_device("cpu:1"));
  Sequential both(
      net.hidden, [](const Tensor& x) { return x.to(test_device("cpu:1")); }, net.out);
  const Tensor y = both(ones({2, 3}, device_));
  EXPECT_EQ(y.device().name(), "cpu:1");
  sum(y).backward();
  EXPECT_EQ(net.hidden.weight->grad().device(), device_);
}

TEST_P(ModuleTest, ErrorsInsideNameTheLayer) {
  Sequential inner(nn::Linear(3, 4, {.tensor = device_}));
  Sequential net(nn::ReLU(), inner);
  try {
    net(ones({2, 5}, device_));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kShapeMismatch);
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("[linear] ")) << text;
    EXPECT_TRUE(text.ends_with(" Layer: 1.0 (Linear).")) << text;
  }
  // Outside of a module's call.
  EXPECT_ERROR(net.Module::forward(ones({2}, device_)), ErrorCode::kUnsupported,
               "[Sequential] no forward of one tensor");
}

TEST_P(ModuleTest, CopiesShareAndClonesDoNot) {
  Net net(device_);
  const Net copy(net);
  EXPECT_TRUE(copy.hidden.weight == net.hidden.weight);
  Net other = nn::clone(net);
  EXPECT_FALSE(other.hidden.weight == net.hidden.weight);
  EXPECT_EQ(other.hidden.weight->to_vector<float>(), net.hidden.weight->to_vector<float>());
  EXPECT_EQ(other.hidden.weight.device(), device_);
  EXPECT_TRUE(other.hidden.weight->requires_grad());
  EXPECT_FALSE(other.count->requires_grad());
  {
    const NoGrad no_grad;
    net.hidden.weight->fill_(7);
  }
  EXPECT_EQ(copy.hidden.weight->to_vector<float>(), Floats(9, 7));
  EXPECT_NE(other.hidden.weight->to_vector<float>(), Floats(9, 7));
  Sequential list(net, nn::ReLU());
  Sequential cloned = nn::clone(list);
  EXPECT_FALSE(cloned.as<Net>(0).out.bias == net.out.bias);
  EXPECT_TRUE(list.as<Net>(0).out.bias == net.out.bias);
}

TEST_P(ModuleTest, HooksSeeAndReplace) {
  Sequential net(nn::ReLU(), [](const Tensor& x) { return x + 1; });
  const Tensor x = full({2}, 3, device_);
  std::vector<std::string> calls;
  const auto pre = net.add_pre_hook([&](nn::Module& module, const Tensor& input) {
    calls.push_back("before " + module.type_name());
    return input * 2;
  });
  const auto post = net.add_hook([&](nn::Module&, const Tensor& input, const Tensor& output) {
    calls.push_back(std::to_string(input[0].item<float>()).substr(0, 1) + " to " +
                    std::to_string(output[0].item<float>()).substr(0, 1));
    return Tensor();
  });
  EXPECT_EQ(net(x).to_vector<float>(), (Floats{7, 7}));
  EXPECT_EQ(calls, (Names{"before Sequential", "6 to 7"}));
  net.remove_hook(pre);
  net.remove_hook(post);
  net.remove_hook(99);
  EXPECT_EQ(net(x).to_vector<float>(), (Floats{4, 4}));
  EXPECT_EQ(calls.size(), 2u);
}

TEST_P(ModuleTest, HooksMayAddAndRemoveHooks) {
  nn::Identity net;
  const Tensor x = ones({1}, device_);
  std::string calls;
  std::vector<std::uint64_t> numbers;
  const auto add = [&](char name, bool is_pre, std::function<void()> then) {
    const auto call = [&calls, name, then = std::move(then)] {
      calls += name;
      if (then) then();
      return Tensor();
    };
    numbers.push_back(
        is_pre
            ? net.add_pre_hook([call](nn::Module&, const Tensor&) { return call(); })
            : net.add_hook([call](nn::Module&, const Tensor&, const Tensor&) { return call(); }));
  };
  for (const bool is_pre : {true, false}) {
    numbers.clear();
    calls.clear();
    add('A', is_pre, [&] {
      net.remove_hook(numbers[0]);
      net.remove_hook(numbers[2]);
    });
    add('B', is_pre, [&] {
      if (numbers.size() == 4) add('E', is_pre, {});
    });
    add('C', is_pre, {});
    add('D', is_pre, [&] { net.remove_hook(numbers[1]); });
    (void)net(x);
    EXPECT_EQ(calls, "ABD");
    (void)net(x);
    EXPECT_EQ(calls, "ABDDE");
    for (const std::uint64_t number : numbers) net.remove_hook(number);
  }
  calls.clear();
  add('P', true, [&] { add('H', false, {}); });
  (void)net(x);
  EXPECT_EQ(calls, "PH") << "a hook that a pre-hook adds";
}

/// Not in those with several operands.
TEST_P(ModuleTest, HooksRunInCallsWithOneTensor) {
  nn::Sequential net(nn::Identity{});
  nn::MSELoss loss;
  int num_calls = 0;
  const auto count = [&](nn::Module&, const Tensor&, const Tensor&) {
    ++num_calls;
    return Tensor();
  };
  net[0].add_hook(count);
  loss.add_hook(count);
  const Tensor y = net(ones({2}, device_));
  EXPECT_EQ(num_calls, 1);
  EXPECT_EQ(loss(y, y).item<float>(), 0);
  EXPECT_EQ(num_calls, 1);
}

TEST_P(ModuleTest, ModesReachWhatIsBelow) {
  Sequential net(Sequential(nn::Dropout(0.5)), nn::ReLU());
  EXPECT_TRUE(net.is_training());
  EXPECT_EQ(&net.eval(), &net);
  EXPECT_FALSE(net.as<Sequential>(0)[0].is_training());
  const Tensor x = ones({100}, device_);
  EXPECT_TRUE(net(x).is_same(net(x)) || net(x).to_vector<float>() == Floats(100, 1));
  net.train();
  EXPECT_TRUE(net.as<Sequential>(0)[0].is_training());
  EXPECT_NE(net(x).to_vector<float>(), Floats(100, 1));
}

TEST_P(ModuleTest, GradientsAreTurnedOnAndOff) {
  Net net(device_);
  net.out.requires_grad(false);
  sum(net(ones({1, 3}, device_))).backward();
  EXPECT_FALSE(net.out.weight->grad().defined());
  EXPECT_TRUE(net.hidden.weight->grad().defined());
  net.zero_grad();
  EXPECT_FALSE(net.hidden.weight->grad().defined());
  EXPECT_NE(net.summary().find("24 parameters"), std::string::npos) << net.summary();
}

TEST_P(ModuleTest, AGradientFromBeforeIsApplied) {
  nn::Linear layer(1, 1, {.bias = false, .tensor = device_});
  layer.weight.set(full({1, 1}, 3, device_));
  nn::SGD optimizer(layer.parameters(), {.learning_rate = 1});
  sum(layer(ones({1, 1}, device_))).backward();
  layer.requires_grad(false);
  optimizer.step();
  EXPECT_EQ(layer.weight->to_vector<float>(), Floats{2});
  layer.zero_grad();
  optimizer.step();
  EXPECT_EQ(layer.weight->to_vector<float>(), Floats{2});
}

TEST_P(ModuleTest, OnlyFloatsAreTrained) {
  struct Counts : nn::Module {
    explicit Counts(const Device& device)
        : weight(ones({2}, device), false), count(zeros({2}, {DType::i64, device}), false) {}
    void members(nn::Members& each) override {
      each("weight", weight);
      each("count", count);
    }
    nn::Parameter weight, count;
  } net(device_);
  EXPECT_ERROR(net.requires_grad(), ErrorCode::kDtypeMismatch,
               "[requires_grad] a parameter cannot have gradients: expected f32, f64, f16 or bf16, "
               "got i64 of count. Name it by each.buffer() in members().");
  EXPECT_FALSE(net.weight->requires_grad());
  EXPECT_FALSE(net.weight.is_trained());
}

TEST_P(ModuleTest, ParametersLeaveTheirTensorsAlone) {
  const Tensor tensor = ones({2}, device_);
  const nn::Parameter parameter(tensor);
  EXPECT_FALSE(tensor.requires_grad());
  EXPECT_TRUE(parameter->requires_grad());
  EXPECT_TRUE(parameter->buffer() == tensor.buffer());
  EXPECT_INVALID(nn::Parameter{Tensor()}, "[Parameter] the tensor is undefined");
}

TEST_P(ModuleTest, WorksInInferenceMode) {
  Net trained(test_device("cpu:0"));
  const InferenceMode inference;
  EXPECT_TRUE(is_inference_mode());
  Net net(test_device("cpu:0"));
  EXPECT_FALSE(net.hidden.weight->requires_grad());
  net.move_to(device_);
  EXPECT_EQ(net(ones({1, 3}, device_)).device(), device_);
  const std::string asks =
      " hidden.weight asks for gradients inside an InferenceMode scope. End the scope first, or "
      "turn them off: requires_grad(false).";
  EXPECT_INVALID(trained.cast(DType::f64), "[cast]" + asks);
  EXPECT_INVALID(nn::clone(trained), "[clone]" + asks);
  EXPECT_INVALID(net.requires_grad(),
                 "[requires_grad] gradients can't be asked for inside an InferenceMode scope. End "
                 "the scope first.");
  EXPECT_FALSE(net.hidden.weight->requires_grad());
  const Tensor weight = *trained.hidden.weight;
  trained.cast(DType::f32).move_to("cpu:0");
  EXPECT_TRUE(trained.hidden.weight->is_same(weight)) << "nothing to do";
  EXPECT_TRUE(weight.requires_grad());
  net.cast(DType::f64);
  EXPECT_EQ(net.hidden.weight.dtype(), DType::f64);
  EXPECT_FALSE(nn::clone(net).hidden.weight->requires_grad());
  if (device_.name() == "cpu:0") return;
  EXPECT_INVALID(trained.move_to(device_), "[move_to]" + asks);
  EXPECT_EQ(trained.hidden.weight.device().name(), "cpu:0") << "nothing has moved";
  trained.requires_grad(false).move_to(device_);
  EXPECT_EQ(trained.hidden.weight.device(), device_);
}

TEST_P(ModuleTest, IsCast) {
  Net net(device_);
  net.cast(DType::bf16);
  EXPECT_EQ(net.hidden.weight.dtype(), DType::bf16);
  EXPECT_EQ(net.count.dtype(), DType::f32) << "a buffer";
  EXPECT_TRUE(net.hidden.weight->requires_grad());
  EXPECT_EQ(net(ones({1, 3}, {DType::bf16, device_})).dtype(), DType::bf16);
  net.cast(DType::f64);
  EXPECT_EQ(net.count.dtype(), DType::f64);
  net.cast(DType::f16);
  EXPECT_EQ(net.hidden.weight.dtype(), DType::f16);
  EXPECT_EQ(net.count.dtype(), DType::f32) << "a buffer has 32 bits at least";
  EXPECT_ERROR(net.cast(DType::i32), ErrorCode::kDtypeMismatch,
               "[cast] parameters need gradients: expected f32, f64, f16 or bf16, got i32");
}

TEST_P(ModuleTest, ACastKeepsGradientsAndWhatIsFrozen) {
  Net net(device_);
  net.hidden.weight->requires_grad_(false);
  sum(net(ones({2, 3}, device_))).backward();
  const Tensor bias = *net.out.bias;
  net.cast(DType::f32);
  EXPECT_TRUE(net.out.bias->is_same(bias)) << "of this dtype already";
  net.cast(DType::f64);
  EXPECT_FALSE(net.hidden.weight->requires_grad());
  EXPECT_TRUE(net.hidden.weight.is_trained());
  EXPECT_FALSE(net.hidden.weight->grad().defined());
  EXPECT_TRUE(net.out.bias->requires_grad());
  EXPECT_TRUE(net.out.bias->is_leaf());
  EXPECT_EQ(net.out.bias->grad().to_vector<double>(), (std::vector<double>{2, 2, 2}));
  sum(net(ones({1, 3}, {DType::f64, device_}))).backward();
  EXPECT_EQ(net.out.bias->grad().to_vector<double>(), (std::vector<double>{3, 3, 3}));
  EXPECT_FALSE(net.hidden.weight->grad().defined());
}

TEST_P(ModuleTest, LazyLayersStartWhereTheyWereMoved) {
  Sequential net(nn::LazyLinear(4), nn::ReLU(), nn::LazyLinear(2));
  EXPECT_INVALID(net.num_parameters(),
                 "[num_parameters] 0.weight has no shape yet: expected a batch before, from which "
                 "its lazy layer learns its sizes.");
  net.move_to(device_);
  EXPECT_ERROR(net(ones({}, device_)), ErrorCode::kShapeMismatch,
               "[LazyLinear] the input has no features: expected [..., features], got []. Layer: 0 "
               "(LazyLinear).");
  EXPECT_EQ(net.parameters()[0].device(), device_);
  EXPECT_EQ(net(ones({5, 3}, device_)).shape(), (Shape{5, 2}));
  EXPECT_EQ(net.parameter("0.weight")->shape(), (Shape{4, 3}));
  EXPECT_EQ(net.parameter("0.weight").device(), device_);
  EXPECT_TRUE(net.parameter("2.bias")->requires_grad());
  EXPECT_EQ(net.num_parameters(), 4 * 3 + 4 + 2 * 4 + 2);
  nn::LazyLinear layer(2, {.tensor = device_}), copy = layer;
  static_cast<void>(copy(ones({5, 3}, device_)));
  EXPECT_EQ(layer.details(), "3, 2") << "the copy has the same parameters";
}

/// The second parameter is to be on a device without memory.
TEST(LazyLayers, AFailureLeavesThemAsTheyWere) {
  const Runtime runtime(device_options());
  const Device here = runtime.device("cpu:0"), without_memory = runtime.device("cpu:1");
  without_memory.set_memory_limit(1);
  const auto expect_whole = [&](nn::Module& layer, nn::Parameter& second, const Tensor& x) {
    const auto expect = [&](bool is_made) {
      for (const auto& all : {layer.named_parameters(), layer.named_buffers()}) {
        for (const auto& [name, each] : all) EXPECT_EQ(each.defined(), is_made) << name;
      }
    };
    second = nn::Parameter(TensorOptions(without_memory));
    EXPECT_ERROR(layer(x), ErrorCode::kOutOfMemory, "out of memory on cpu:1");
    expect(false);
    layer.move_to(here);
    static_cast<void>(layer(x));
    expect(true);
  };
  nn::LazyLinear linear(2, {.tensor = here});
  expect_whole(linear, linear.bias, ones({1, 3}, here));
  nn::LazyConv2d convolution(2, 1, {.tensor = here});
  expect_whole(convolution, convolution.bias, ones({1, 3, 1, 1}, here));
  nn::LazyBatchNorm norm({.tensor = here});
  expect_whole(norm, norm.bias, ones({2, 3}, here));
}

TEST_P(ModuleTest, PrintsASummary) {
  Net net(device_, /*tied=*/true);
  std::ostringstream out;
  out << net;
  EXPECT_EQ(out.str(),
            "module  type          parameters\n"
            "-       Net                    0\n"
            "hidden  Linear(3, 3)          12\n"
            "out     Linear(3, 3)           3\n"
            "15 parameters, 60 bytes on " +
                device_.name() + "\n");
  Sequential lazy(nn::LazyLinear(1000), nn::Dropout(0.25));
  lazy.move_to(device_);
  EXPECT_EQ(lazy.summary(),
            "module  type                    parameters\n"
            "-       Sequential                       0\n"
            "0       LazyLinear(?, 1000)  after a batch\n"
            "1       Dropout(0.25)                    0\n"
            "at least 0 parameters, 0 bytes on " +
                device_.name() + "\n");
}

TEST(ModuleNames, AreChecked) {
  class Wrong : public nn::Module {
   public:
    explicit Wrong(std::string name) : name_(std::move(name)) {}
    void members(nn::Members& each) override {
      each("a", a_);
      each(name_, b_);
    }

   private:
    std::string name_;
    nn::Parameter a_, b_;
  };
  EXPECT_INVALID(Wrong("a").named_parameters(),
                 "[members] two members of Wrong have one name: 'a'");
  EXPECT_INVALID(Wrong("b.c").named_parameters(),
                 "[members] a wrong name in Wrong: expected some text without dots, got 'b.c'");
  EXPECT_INVALID(Wrong("").named_parameters(), "got ''");
  EXPECT_EQ(Wrong("b").named_parameters().size(), 2u);
}

TEST(ModuleLists, SayWhatTheyDoNotHave) {
  nn::ModuleList list;
  list.add(nn::ReLU()).add("second", nn::Tanh());
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(list.named_modules()[2].name, "second");
  EXPECT_INVALID(list[2], "[ModuleList] no such module: expected an index below 2, got 2");
  EXPECT_INVALID(
      list.as<nn::Linear>(0),
      "[ModuleList] module 0 has another type, ReLU. Ask for that type, or for another index.");
  EXPECT_ERROR(list(Tensor()), ErrorCode::kUnsupported, "[ModuleList] no forward of one tensor");
}

/// Copies of a module have the same parameters.
TEST(ModuleThreads, MakeOptimisersAtTheSameTime) {
  nn::Linear shared(2, 2, {.tensor = test_device("cpu:0")});
  const auto work = [](nn::Linear mine) {
    for (int i = 0; i < 5000; ++i) nn::Adam optimizer(mine.parameters());
  };
  std::thread first(work, shared), second(work, shared);
  first.join();
  second.join();
  nn::SGD optimizer(shared.parameters(), {.learning_rate = 1, .momentum = 0.5});
  shared.weight->set_grad(ones({2, 2}, test_device("cpu:0")));
  optimizer.step();
  const Tensor kept = optimizer.state().lists[0][0];
  shared.move_to("cpu:1");
  EXPECT_EQ(shared.weight.device(), test_device("cpu:1"));
  EXPECT_EQ(optimizer.state().lists[0][0].device(), test_device("cpu:1"));
  EXPECT_EQ(optimizer.state().lists[0][0].to_vector<float>(), kept.to_vector<float>());
}

TEST(ModuleNamesTest, OfDevicesMayBeOfAnyKindOfText) {
  nn::Linear layer(2, 3);
  const std::string name = "cpu:0";
  layer.move_to(name).move_to(std::string_view(name)).move_to("cpu");
  EXPECT_EQ(layer.weight->device().name(), name);
}

}  // namespace
}  // namespace patchbay::test
