// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Members and their names, moving, copies, hooks, modes and messages.
#include <sstream>

#include <patchbay/memory.h>
#include <patchbay/nn/activation.h>
#include <patchbay/nn/containers.h>

#include "nn/nets.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using nn::Sequential;
using Names = std::vector<std::string>;
using Floats = std::vector<float>;

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
  EXPECT_ERROR(net.parameter("out.wieght"), ErrorCode::kInvalidArgument,
               "[parameter] Net has no such parameter: expected one of hidden.weight, hidden.bias, "
               "out.weight, out.bias, count, got 'out.wieght'");
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
               "[hidden (Linear)] input and parameter are on different devices: expected the input "
               "on " +
                   device_.name() +
                   " like weight, got cpu:0 (input: [2, 3] f32 cpu:0; weight: "
                   "[3, 3] f32 " +
                   device_.name() + "). Move one of them: input.to(\"" + device_.name() +
                   "\") or model.move_to(\"cpu:0\").");
  EXPECT_ERROR(net.hidden(x), ErrorCode::kDeviceMismatch, "[Linear] input and parameter");
  net.out.move_to(test_device("cpu:0"));
  EXPECT_ERROR(net(ones({2, 3}, device_)), ErrorCode::kDeviceMismatch,
               "[out (Linear)] input and parameter are on different devices: expected the input "
               "on cpu:0 like weight, got " +
                   device_.name());
}

TEST_P(ModuleTest, AnInputOfAnotherDtypeNamesTheLayer) {
  Net net(device_);
  EXPECT_ERROR(net(ones({2, 3}, {DType::f16, device_})), ErrorCode::kDtypeMismatch,
               "[hidden (Linear)] input and parameter have different dtypes: expected the input as "
               "f32 like weight, got f16 (input: f16 [2, 3]; weight: f32 [3, 3]). Convert one of "
               "them: input.cast(DType::f32) or model.cast(DType::f16).");
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

TEST_P(ModuleTest, ParametersLeaveTheirTensorsAlone) {
  const Tensor tensor = ones({2}, device_);
  const nn::Parameter parameter(tensor);
  EXPECT_FALSE(tensor.requires_grad());
  EXPECT_TRUE(parameter->requires_grad());
  EXPECT_TRUE(parameter->buffer() == tensor.buffer());
  EXPECT_ERROR(nn::Parameter{Tensor()}, ErrorCode::kInvalidArgument,
               "[Parameter] the tensor is undefined");
}

TEST_P(ModuleTest, WorksInInferenceMode) {
  Net trained(test_device("cpu:0"));
  const InferenceMode inference;
  EXPECT_TRUE(is_inference_mode());
  Net net(test_device("cpu:0"));
  EXPECT_FALSE(net.hidden.weight->requires_grad());
  net.move_to(device_);
  EXPECT_EQ(net(ones({1, 3}, device_)).device(), device_);
  if (device_.name() == "cpu:0") return;
  EXPECT_ERROR(trained.move_to(device_), ErrorCode::kInvalidArgument, "[requires_grad_]");
  EXPECT_EQ(trained.hidden.weight.device().name(), "cpu:0") << "nothing has moved";
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

TEST_P(ModuleTest, LazyLayersStartWhereTheyWereMoved) {
  Sequential net(nn::LazyLinear(4), nn::ReLU(), nn::LazyLinear(2));
  EXPECT_ERROR(net.num_parameters(), ErrorCode::kInvalidArgument,
               "[Parameter] it has no shape yet: expected a batch before, from which a lazy layer "
               "learns its sizes. Run the model on a batch first.");
  net.move_to(device_);
  EXPECT_ERROR(net(ones({}, device_)), ErrorCode::kShapeMismatch,
               "[LazyLinear] the input has no features: expected [..., features], got []. Layer: "
               "0 (LazyLinear).");
  EXPECT_EQ(net.parameters()[0].device(), device_);
  EXPECT_EQ(net(ones({5, 3}, device_)).shape(), (Shape{5, 2}));
  EXPECT_EQ(net.parameter("0.weight")->shape(), (Shape{4, 3}));
  EXPECT_EQ(net.parameter("0.weight").device(), device_);
  EXPECT_TRUE(net.parameter("2.bias")->requires_grad());
  EXPECT_EQ(net.num_parameters(), 4 * 3 + 4 + 2 * 4 + 2);
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
  EXPECT_ERROR(Wrong("a").named_parameters(), ErrorCode::kInvalidArgument,
               "[members] two members of Wrong have one name: expected different ones, got 'a' "
               "twice");
  EXPECT_ERROR(Wrong("b.c").named_parameters(), ErrorCode::kInvalidArgument,
               "[members] a wrong name in Wrong: expected some text without dots, got 'b.c'");
  EXPECT_ERROR(Wrong("").named_parameters(), ErrorCode::kInvalidArgument, "got ''");
  EXPECT_EQ(Wrong("b").named_parameters().size(), 2u);
}

TEST(ModuleLists, SayWhatTheyDoNotHave) {
  nn::ModuleList list;
  list.add(nn::ReLU()).add("second", nn::Tanh());
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(list.named_modules()[2].name, "second");
  EXPECT_ERROR(list[2], ErrorCode::kInvalidArgument,
               "[ModuleList] no such module: expected an index below 2, got 2");
  EXPECT_ERROR(list.as<nn::Linear>(0), ErrorCode::kInvalidArgument,
               "[ModuleList] module 0 has another type, ReLU");
  EXPECT_ERROR(list(Tensor()), ErrorCode::kUnsupported, "[ModuleList] no forward of one tensor");
}

TEST(ModuleNamesTest, OfDevicesMayBeOfAnyKindOfText) {
  nn::Linear layer(2, 3);
  const std::string name = "cpu:0";
  layer.move_to(name).move_to(std::string_view(name)).move_to("cpu");
  EXPECT_EQ(layer.weight->device().name(), name);
}

}  // namespace
}  // namespace patchbay::test
