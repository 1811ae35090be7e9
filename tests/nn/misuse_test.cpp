// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Objects that were moved from, values that an enum does not have, functions that are empty, and
// names with line breaks: each is an error of one line.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <patchbay/nn.h>

#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

class MisuseTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(MisuseTest);

template <class T>
void expect_moved_from(const char* type, T object, const std::function<void(T&)>& use) {
  const T other = std::move(object);
  EXPECT_INVALID(use(object),
                 "[" + std::string(type) + "] this " + type +
                     " was moved from, and holds nothing. Use the one that it was moved to.");
}

/// `use` is an expression of `it`.
#define EXPECT_MOVED_FROM(type, object, use) \
  expect_moved_from<type>(#type, object, [&](type& it) { static_cast<void>(use); })

TEST_P(MisuseTest, HandlesOfTheRuntimeThatWereMovedFrom) {
  EXPECT_MOVED_FROM(Stream, device_.default_stream(), it.synchronize());
  EXPECT_MOVED_FROM(Event, device_.default_stream().record(), it.wait());
  expect_moved_from<Generator>("Generator", Generator(1),
                               [&](Generator& it) { (void)rand({2}, device_, it); });
  EXPECT_MOVED_FROM(Runtime, device_.runtime(), it.devices());
  const KernelSpec spec{
      "fill.1",
      {ArgumentSpec::tensor(DType::f32, Access::kWrite), ArgumentSpec::scalar(DType::f32)},
      {}};
  EXPECT_MOVED_FROM(Kernel, Kernel::prepare(device_, spec), it.workspace_bytes());
  if (!device_.properties().modules) return;
  const KernelModule module = KernelModule::from_source(device_, kScale);
  EXPECT_MOVED_FROM(ModuleKernel, module.kernel("scale"), it.name());
  EXPECT_MOVED_FROM(KernelModule, module, it.kernel("scale"));
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
  EXPECT_MOVED_FROM(ProcessGroup, ProcessGroup::in_process({device_})[0], it.rank());
}

TEST_P(MisuseTest, ModulesThatWereMovedFrom) {
  const Tensor x = ones({1, 2}, device_);
  nn::Linear linear(2, 2, {.tensor = device_});
  const nn::Linear other = std::move(linear);
  EXPECT_INVALID(linear(x), "[Parameter] this Parameter was moved from");
  nn::AnyModule any(nn::Linear(2, 2, {.tensor = device_}));
  const nn::AnyModule rest = std::move(any);
  EXPECT_INVALID((*any)(x), "[AnyModule] this AnyModule was moved from");
  EXPECT_INVALID(nn::AnyModule(any), "[AnyModule] this AnyModule was moved from");
  expect_moved_from<nn::AnyDataset>("AnyDataset", nn::TensorDataset({ones({4, 1}, Device("cpu"))}),
                                    [](nn::AnyDataset& it) { (void)it->size(); });
  nn::DataLoader loader(nn::TensorDataset({ones({4, 1}, Device("cpu"))}));
  nn::DataLoader rest_of = std::move(loader);
  EXPECT_INVALID(loader.next(), "[DataLoader] this DataLoader was moved from");
  EXPECT_TRUE(rest_of.next());
}

TEST_P(MisuseTest, ValuesThatAnEnumDoesNotHave) {
  const Tensor x = ones({1, 2}, device_), weight = ones({3, 2}, device_);
  for (const int value : {5, 88, 255}) {
    const std::string got =
        "[linear] no such activation: expected one of the enum Activation, got " +
        std::to_string(value);
    const auto activation = static_cast<Activation>(value);
    EXPECT_INVALID(linear(x, weight, {}, activation), got);
    EXPECT_INVALID(linear(x, weight, ones({3}, device_), activation), got);
  }
  for (const int value : {0, 4, 77}) {
    const std::string got =
        "[memory] no such kind of memory: expected one of the enum MemoryKind, got " +
        std::to_string(value);
    const auto kind = static_cast<MemoryKind>(value);
    EXPECT_INVALID(Buffer::allocate(device_, 16, kind), got);
    EXPECT_INVALID(device_.memory(kind), got);
  }
  EXPECT_INVALID(mse_loss(x, x, static_cast<LossReduction>(3)),
                 "[mse_loss] no such reduction: expected one of the enum LossReduction, got 3. "
                 "Choose one of these.");
  EXPECT_INVALID(
      cross_entropy(x, arange(0, 1, 1, device_), {.reduction = static_cast<LossReduction>(9)}),
      "[cross_entropy] no such reduction");
  EXPECT_INVALID(CopyGuard(static_cast<CopyGuard::Mode>(3)),
                 "[CopyGuard] no such mode: expected one of the enum CopyGuard::Mode, got 3.");
  EXPECT_INVALID(Stream(device_, {.priority = static_cast<StreamPriority>(9)}),
                 "[Stream] no such priority");
  EXPECT_INVALID(nn::init::kaiming_uniform(weight, {.mode = static_cast<nn::init::FanMode>(2)}),
                 "[kaiming] no such mode");
  EXPECT_INVALID(
      nn::init::calculate_gain(static_cast<nn::init::Nonlinearity>(6)),
      "[calculate_gain] no such function: expected one of the enum Nonlinearity, got 6.");
  EXPECT_INVALID((nn::DataParallel(nn::Linear(2, 3, {.tensor = device_}), {device_},
                                   {.shares = static_cast<nn::Shares>(2)})),
                 "[DataParallel] no such way to share a batch");
  const ProcessGroup group = ProcessGroup::in_process({device_})[0];
  EXPECT_INVALID(group.all_reduce(x, static_cast<ReduceOp>(7)),
                 "[all_reduce] no such reduction: expected one of the enum ReduceOp, got 7.");
}

TEST_P(MisuseTest, EmptyFunctions) {
  EXPECT_INVALID(
      nn::Function({}, "Mine"),
      "[Mine] the function is empty. Pass one that takes and returns a tensor, such as a lambda.");
  nn::Sequential net;
  EXPECT_INVALID(net.add_hook({}), "[add_hook] the hook is empty.");
  EXPECT_INVALID(net.add_pre_hook({}),
                 "[add_pre_hook] the hook is empty. Pass a function, such as a lambda.");
  EXPECT_INVALID(nn::in_sequence({nn::RateFactor([](std::int64_t) { return 1.0; }), {}}, {3}),
                 "[in_sequence] factor 1 is no function: expected a factor. Pass one, such as "
                 "exponential(0.9).");
  EXPECT_INVALID(nn::product_of({nn::RateFactor()}), "[product_of] factor 0 is no function");
}

TEST_P(MisuseTest, NamesWithLineBreaks) {
  const Tensor x = ones({2}, device_), y = ones({3}, device_);
  const auto sum = fuse([](const Expression& a, const Expression& b) { return a + b; }, "x\ny");
  EXPECT_ERROR(sum(x, y), ErrorCode::kShapeMismatch, "[x\\x0ay]");
  EXPECT_INVALID(
      Kernel::prepare(device_, {"no\nsuch", {}, {}}),
      "[prepare] bad operator: expected a name and a version, as in 'add.1', got 'no\\x0asuch'");
  nn::Sequential net;
  EXPECT_INVALID(net.parameter("wei\nght"), "'wei\\x0aght'");
  ProcessGroup group = ProcessGroup::in_process({device_})[0];
  group.abort("a\nb");
  EXPECT_ERROR(group.barrier(), ErrorCode::kLaunchFailed, "the group was aborted: a\\x0ab");
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
  EXPECT_INVALID(
      recursive.parameters(),
      "[members] module 'me' contains itself: expected members that do not lead back to it");
  Named named;
  EXPECT_INVALID(named.parameters(), "expected some text without dots, got 'a\\x0a.b'");
}

TEST_P(MisuseTest, SamplesThatADatasetDoesNotHave) {
  const nn::TensorDataset all({ones({4, 1}, Device("cpu"))});
  const nn::Subset subset(all, {1});
  for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{1}, INT64_MAX, INT64_MIN}) {
    const std::string got =
        "[Subset] no such sample: expected 0 to 0, got " + std::to_string(index);
    EXPECT_INVALID(subset.get(index), got);
    const std::int64_t indices[] = {0, index};
    EXPECT_INVALID(subset.get_batch(indices), got);
  }
  const nn::ConcatDataset both({all, all});
  for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{8}}) {
    EXPECT_INVALID(both.get(index),
                   "[ConcatDataset] no such sample: expected 0 to 7, got " + std::to_string(index));
  }
  nn::DataLoader loader(all);
  EXPECT_INVALID(
      loader.set_state({0, INT64_MAX, 4}),
      "[DataLoader] a wrong epoch: expected 0 to 9223372036854775806, got 9223372036854775807");
}

TEST_P(MisuseTest, DevicesWithoutAName) {
  const char* const none = nullptr;
  EXPECT_INVALID(Device(none), "''");
  EXPECT_INVALID(ones({1}, device_).to(none), "''");
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
  EXPECT_INVALID(FusedFunction(SIZE_MAX, first), "got 18446744073709551615. Split it.");
}

TEST_P(MisuseTest, RangesThatADtypeDoesNotHold) {
  EXPECT_INVALID(linspace(0, 1e39, 3, {DType::f32, device_}),
                 "expected a value that f32 can hold, got 1e+39");
  EXPECT_INVALID(linspace(-3e38, 3e38, 2, {DType::f32, device_}),
                 "expected finite numbers at distances that f32 can hold");
  if (device_.properties().f16) {
    EXPECT_INVALID(linspace(0, 70000, 3, {DType::f16, device_}),
                   "expected a value that f16 can hold, got 70000");
    EXPECT_INVALID(arange(65000, 66000, 250, {DType::f16, device_}),
                   "expected a value that f16 can hold, got 65750");
  }
  EXPECT_INVALID(topk(full({}, 1.0, device_), 0),
                 "[topk] k is out of range: expected 1 for a tensor without dimensions, got 0");
}

}  // namespace
}  // namespace patchbay::test
