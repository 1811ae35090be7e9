// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Objects that were moved from, values that an enum does not have, functions that are empty, and
// names with line breaks: each is an error of one line.
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <patchbay/custom_function.h>
#include <patchbay/functional.h>
#include <patchbay/fuse.h>
#include <patchbay/graph.h>
#include <patchbay/kernel_module.h>
#include <patchbay/nn.h>
#include <patchbay/patchbay.h>
#include <patchbay/process_group.h>
#include <patchbay/updates.h>

#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

class MisuseTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(MisuseTest);

template <class T>
void expect_moved_from(const char* type, T object, const std::function<void(T&)>& use) {
  const T other = std::move(object);
  EXPECT_ERROR(use(object), ErrorCode::kInvalidArgument,
               "[" + std::string(type) + "] this " + type +
                   " was moved from, and holds nothing. Use the one that it was moved to.");
}

TEST_P(MisuseTest, HandlesOfTheRuntimeThatWereMovedFrom) {
  expect_moved_from<Stream>("Stream", device_.default_stream(),
                            [](Stream& it) { it.synchronize(); });
  expect_moved_from<Event>("Event", device_.default_stream().record(),
                           [](Event& it) { it.wait(); });
  expect_moved_from<Generator>("Generator", Generator(1),
                               [&](Generator& it) { (void)rand({2}, device_, it); });
  expect_moved_from<Runtime>("Runtime", device_.runtime(), [](Runtime& it) { (void)it.devices(); });
  const KernelSpec spec{
      "fill.1",
      {ArgumentSpec::tensor(DType::f32, Access::kWrite), ArgumentSpec::scalar(DType::f32)},
      {}};
  expect_moved_from<Kernel>("Kernel", Kernel::prepare(device_, spec),
                            [](Kernel& it) { (void)it.workspace_bytes(); });
  if (!device_.properties().modules) return;
  const KernelModule module = KernelModule::from_source(device_, kScale);
  expect_moved_from<ModuleKernel>("ModuleKernel", module.kernel("scale"),
                                  [](ModuleKernel& it) { (void)it.name(); });
  expect_moved_from<KernelModule>("KernelModule", module,
                                  [](KernelModule& it) { (void)it.kernel("scale"); });
}

TEST_P(MisuseTest, FunctionsThatWereMovedFrom) {
  const Tensor x = ones({2}, device_);
  const auto body = [](std::span<const Expression> all) {
    return std::vector<Expression>{all[0] + 1};
  };
  expect_moved_from<FusedFunction>("FusedFunction", FusedFunction(1, body), [&](FusedFunction& it) {
    const TensorOrScalar arguments[] = {x};
    (void)it.call(arguments);
  });
  expect_moved_from<Graph>("Graph", record_graph([&](GraphRecording&) { x.fill_(2); }),
                           [](Graph& it) { it.replay(); });
  expect_moved_from<ProcessGroup>("ProcessGroup", ProcessGroup::in_process({device_})[0],
                                  [](ProcessGroup& it) { (void)it.rank(); });
}

TEST_P(MisuseTest, ModulesThatWereMovedFrom) {
  const Tensor x = ones({1, 2}, device_);
  nn::Linear linear(2, 2, {.tensor = device_});
  const nn::Linear other = std::move(linear);
  EXPECT_ERROR((void)linear(x), ErrorCode::kInvalidArgument,
               "[Parameter] this Parameter was moved from");
  nn::AnyModule any(nn::Linear(2, 2, {.tensor = device_}));
  const nn::AnyModule rest = std::move(any);
  EXPECT_ERROR((void)(*any)(x), ErrorCode::kInvalidArgument,
               "[AnyModule] this AnyModule was moved from");
  EXPECT_ERROR(nn::AnyModule copy(any), ErrorCode::kInvalidArgument,
               "[AnyModule] this AnyModule was moved from");
  expect_moved_from<nn::AnyDataset>("AnyDataset", nn::TensorDataset({ones({4, 1}, Device("cpu"))}),
                                    [](nn::AnyDataset& it) { (void)it->size(); });
  nn::DataLoader loader(nn::TensorDataset({ones({4, 1}, Device("cpu"))}));
  nn::DataLoader rest_of = std::move(loader);
  EXPECT_ERROR((void)loader.next(), ErrorCode::kInvalidArgument,
               "[DataLoader] this DataLoader was moved from");
  EXPECT_TRUE(rest_of.next());
}

TEST_P(MisuseTest, ValuesThatAnEnumDoesNotHave) {
  const Tensor x = ones({1, 2}, device_), weight = ones({3, 2}, device_);
  for (const int value : {5, 88, 255}) {
    const std::string got =
        "[linear] no such activation: expected one of the enum Activation, got " +
        std::to_string(value);
    const auto activation = static_cast<Activation>(value);
    EXPECT_ERROR((void)linear(x, weight, {}, activation), ErrorCode::kInvalidArgument, got);
    EXPECT_ERROR((void)linear(x, weight, ones({3}, device_), activation),
                 ErrorCode::kInvalidArgument, got);
  }
  for (const int value : {0, 4, 77}) {
    const std::string got =
        "[memory] no such kind of memory: expected one of the enum MemoryKind, got " +
        std::to_string(value);
    const auto kind = static_cast<MemoryKind>(value);
    EXPECT_ERROR((void)Buffer::allocate(device_, 16, kind), ErrorCode::kInvalidArgument, got);
    EXPECT_ERROR((void)device_.memory(kind), ErrorCode::kInvalidArgument, got);
  }
  EXPECT_ERROR(
      (void)mse_loss(x, x, static_cast<LossReduction>(3)), ErrorCode::kInvalidArgument,
      "[mse_loss] no such reduction: expected one of the enum LossReduction, got 3. Choose "
      "one of these.");
  EXPECT_ERROR((void)cross_entropy(x, arange(0, 1, 1, device_),
                                   {.reduction = static_cast<LossReduction>(9)}),
               ErrorCode::kInvalidArgument, "[cross_entropy] no such reduction");
  EXPECT_ERROR(CopyGuard(static_cast<CopyGuard::Mode>(3)), ErrorCode::kInvalidArgument,
               "[CopyGuard] no such mode: expected one of the enum CopyGuard::Mode, got 3.");
  EXPECT_ERROR((void)Stream(device_, {.priority = static_cast<StreamPriority>(9)}),
               ErrorCode::kInvalidArgument, "[Stream] no such priority");
  EXPECT_ERROR(nn::init::kaiming_uniform(weight, {.mode = static_cast<nn::init::FanMode>(2)}),
               ErrorCode::kInvalidArgument, "[kaiming] no such mode");
  EXPECT_ERROR((void)nn::init::calculate_gain(static_cast<nn::init::Nonlinearity>(6)),
               ErrorCode::kInvalidArgument,
               "[calculate_gain] no such function: expected one of the enum Nonlinearity, got 6.");
  EXPECT_ERROR((nn::DataParallel(nn::Linear(2, 3, {.tensor = device_}), {device_},
                                 {.shares = static_cast<nn::Shares>(2)})),
               ErrorCode::kInvalidArgument, "[DataParallel] no such way to share a batch");
  const ProcessGroup group = ProcessGroup::in_process({device_})[0];
  EXPECT_ERROR((void)group.all_reduce(x, static_cast<ReduceOp>(7)), ErrorCode::kInvalidArgument,
               "[all_reduce] no such reduction: expected one of the enum ReduceOp, got 7.");
}

TEST_P(MisuseTest, EmptyFunctions) {
  EXPECT_ERROR(
      nn::Function({}, "Mine"), ErrorCode::kInvalidArgument,
      "[Mine] the function is empty. Pass one that takes and returns a tensor, such as a lambda.");
  nn::Sequential net;
  EXPECT_ERROR(net.add_hook({}), ErrorCode::kInvalidArgument,
               "[add_hook] the hook is empty. Pass a function, such as a lambda.");
  EXPECT_ERROR(net.add_pre_hook({}), ErrorCode::kInvalidArgument,
               "[add_pre_hook] the hook is empty. Pass a function, such as a lambda.");
  EXPECT_ERROR((void)nn::in_sequence({nn::RateFactor([](std::int64_t) { return 1.0; }), {}}, {3}),
               ErrorCode::kInvalidArgument,
               "[in_sequence] factor 1 is no function: expected a factor. Pass one, such as "
               "exponential(0.9).");
  EXPECT_ERROR((void)nn::product_of({nn::RateFactor()}), ErrorCode::kInvalidArgument,
               "[product_of] factor 0 is no function");
}

TEST_P(MisuseTest, NamesWithLineBreaks) {
  const Tensor x = ones({2}, device_), y = ones({3}, device_);
  const auto sum = fuse([](const Expression& a, const Expression& b) { return a + b; }, "x\ny");
  EXPECT_ERROR((void)sum(x, y), ErrorCode::kShapeMismatch, "[x\\x0ay]");
  EXPECT_ERROR((void)Kernel::prepare(device_, {"no\nsuch", {}, {}}), ErrorCode::kInvalidArgument,
               "[prepare] bad operator: expected a name and a version, as in 'add.1', got "
               "'no\\x0asuch'");
  nn::Sequential net;
  EXPECT_ERROR((void)net.parameter("wei\nght"), ErrorCode::kInvalidArgument, "'wei\\x0aght'");
  ProcessGroup group = ProcessGroup::in_process({device_})[0];
  group.abort("a\nb");
  EXPECT_ERROR((void)group.barrier(), ErrorCode::kLaunchFailed, "the group was aborted: a\\x0ab");
}

struct Recursive : nn::Module {
  void members(nn::Members& each) override { each("me", *this); }
};
struct Named : nn::Module {
  nn::Parameter inner;
  void members(nn::Members& each) override { each("a\n.b", inner); }
};

TEST_P(MisuseTest, Members) {
  Recursive recursive;
  EXPECT_ERROR((void)recursive.parameters(), ErrorCode::kInvalidArgument,
               "[members] module 'me' contains itself: expected members that do not lead back to "
               "it");
  Named named;
  EXPECT_ERROR((void)named.parameters(), ErrorCode::kInvalidArgument,
               "expected some text without dots, got 'a\\x0a.b'");
}

TEST_P(MisuseTest, SamplesThatADatasetDoesNotHave) {
  const nn::TensorDataset all({ones({4, 1}, Device("cpu"))});
  const nn::Subset subset(all, {1});
  for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{1}, INT64_MAX, INT64_MIN}) {
    const std::string got =
        "[Subset] no such sample: expected 0 to 0, got " + std::to_string(index);
    EXPECT_ERROR((void)subset.get(index), ErrorCode::kInvalidArgument, got);
    const std::int64_t indices[] = {0, index};
    EXPECT_ERROR((void)subset.get_batch(indices), ErrorCode::kInvalidArgument, got);
  }
  const nn::ConcatDataset both({all, all});
  for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{8}}) {
    EXPECT_ERROR((void)both.get(index), ErrorCode::kInvalidArgument,
                 "[ConcatDataset] no such sample: expected 0 to 7, got " + std::to_string(index));
  }
  nn::DataLoader loader(all);
  EXPECT_ERROR(loader.set_state({0, INT64_MAX, 4}), ErrorCode::kInvalidArgument,
               "[DataLoader] a wrong epoch: expected 0 to 9223372036854775806, got "
               "9223372036854775807");
}

TEST_P(MisuseTest, DevicesWithoutAName) {
  const char* const none = nullptr;
  EXPECT_ERROR((void)Device(none), ErrorCode::kInvalidArgument, "''");
  EXPECT_ERROR((void)ones({1}, device_).to(none), ErrorCode::kInvalidArgument, "''");
}

TEST_P(MisuseTest, ClippingByValueChecksAllGradientsFirst) {
  const Tensor floats = from_host<float>({0, 1, 2}, {3}, device_);
  const Tensor bools = zeros({2}, {DType::boolean, device_});
  EXPECT_ERROR(clip_by_value({floats, bools}, 1), ErrorCode::kDtypeMismatch, "[clip_by_value]");
  EXPECT_EQ(floats.to_vector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_ERROR(clip_by_value({arange(0, 3, 1, {DType::i64, device_})}, 1.5),
               ErrorCode::kDtypeMismatch, "[clip_by_value]");
}

TEST_P(MisuseTest, TooManyInputsOfAFusedFunction) {
  const auto first = [](std::span<const Expression> all) {
    return std::vector<Expression>{all[0]};
  };
  EXPECT_ERROR(FusedFunction(SIZE_MAX, first), ErrorCode::kInvalidArgument,
               "got 18446744073709551615. Split it.");
}

TEST_P(MisuseTest, RangesThatADtypeDoesNotHold) {
  EXPECT_ERROR((void)linspace(0, 1e39, 3, {DType::f32, device_}), ErrorCode::kInvalidArgument,
               "expected a value that f32 can hold, got 1e+39");
  EXPECT_ERROR((void)linspace(-3e38, 3e38, 2, {DType::f32, device_}), ErrorCode::kInvalidArgument,
               "expected finite numbers at distances that f32 can hold");
  if (device_.properties().f16) {
    EXPECT_ERROR((void)linspace(0, 70000, 3, {DType::f16, device_}), ErrorCode::kInvalidArgument,
                 "expected a value that f16 can hold, got 70000");
    EXPECT_ERROR((void)arange(65000, 66000, 250, {DType::f16, device_}),
                 ErrorCode::kInvalidArgument, "expected a value that f16 can hold, got 65750");
  }
  EXPECT_ERROR((void)topk(full({}, 1.0, device_), 0), ErrorCode::kInvalidArgument,
               "[topk] k is out of range: expected 1 for a tensor without dimensions, got 0");
}

}  // namespace
}  // namespace patchbay::test
