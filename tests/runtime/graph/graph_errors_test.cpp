// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What can't be recorded, bound or set.
#include <sstream>
#include <stdexcept>
#include <vector>

#include "runtime/graph/graph_device.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

class GraphErrorsTest : public GraphTest {};
PATCHBAY_GRAPH_DEVICES(GraphErrorsTest);

constexpr const char* kRecorded = "a graph is being recorded";

TEST_P(GraphErrorsTest, NothingIsReadOrAwaitedWhileRecording) {
  const Tensor x = ramp(4);
  const Stream stream = device_.default_stream();
  const Event event = stream.record();
  const Graph empty_graph = record_graph([] {});
  const auto recording = [&](auto&& body) {
    EXPECT_ERROR(static_cast<void>(record_graph([&] { body(); })), ErrorCode::kInvalidArgument,
                 kRecorded);
  };
  recording([&] { static_cast<void>(x[0].item<float>()); });
  recording([&] { static_cast<void>((x + 1).to_vector<float>()); });
  recording([&] { static_cast<void>(show(x)); });
  recording([&] { static_cast<void>(from_host({1.0F}, {1}, device_)); });
  recording([&] { device_.synchronize(); });
  recording([&] { stream.synchronize(); });
  recording([&] { static_cast<void>(stream.record()); });
  recording([&] { stream.wait(event); });
  recording([&] { event.wait(); });
  recording([&] { stream.add_callback([](const Error*) {}); });
  recording([&] { x.buffer().wait(); });
  recording([&] { static_cast<void>(record_graph([] {})); });
  recording([&] { empty_graph.replay(); });
  recording([&] { static_cast<void>(ThreadContext::current()); });
  recording([&] { static_cast<void>(Generator(7)); });
  if (!device_.properties().host_addressable) return;
  recording([&] { static_cast<void>(x.data<float>()); });
  recording([&] { static_cast<void>(x.buffer().host_pointer()); });
  recording([&] { static_cast<void>(std::ostringstream() << x); });
}

TEST_P(GraphErrorsTest, ResultsHaveNoElementsBeforeTheFirstReplay) {
  const Tensor x = ramp(4);
  Tensor whole, pieces, total;
  const Graph graph = record_graph([&] {
    whole = x + 1;
    pieces = concat({x, x});
    total = sum(pieces);
  });
  const char* const kWhy =
      "the graph that computes these elements was not replayed yet. Replay it before its results "
      "are read.";
  for (const Tensor& result : {whole, pieces, total}) {
    EXPECT_ERROR(static_cast<void>(result.to_vector<float>()), ErrorCode::kInvalidArgument, kWhy);
    EXPECT_ERROR(static_cast<void>(result + 1), ErrorCode::kInvalidArgument, kWhy);
    EXPECT_ERROR(static_cast<void>(result.clone()), ErrorCode::kInvalidArgument, kWhy);
  }
  const Graph after = record_graph([&] { total = whole * 2; });
  EXPECT_ERROR(after.replay(), ErrorCode::kInvalidArgument, kWhy);
  EXPECT_ERROR(static_cast<void>(total.to_vector<float>()), ErrorCode::kInvalidArgument,
               "the replay that was to compute these elements failed. Replay the graph once more, "
               "or make the tensor again.");
  graph.replay();
  after.replay();
  EXPECT_EQ(whole.to_vector<float>(), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(pieces.to_vector<float>(), (Floats{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(total.to_vector<float>(), (Floats{2, 4, 6, 8}));
  EXPECT_EQ((whole + 1).to_vector<float>(), (Floats{2, 3, 4, 5}));
}

TEST_P(GraphErrorsTest, AResultThatIsBoundElsewhereIsWritten) {
  const Tensor x = ramp(4);
  Tensor p, q;
  const auto record = [&](Tensor& out) { return record_graph([&] { out = concat({x, x}); }); };
  const Graph first = record(p), second = record(q);
  first.bind(p, q);
  first.replay();
  EXPECT_EQ(q.to_vector<float>(), (Floats{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_ERROR(static_cast<void>(p.to_vector<float>()), ErrorCode::kInvalidArgument,
               "was not replayed yet");
  first.bind(p, p);
  first.replay();
  EXPECT_EQ(p.to_vector<float>(), (Floats{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST_P(GraphErrorsTest, AReplayThatFailsComputesNothing) {
  if (!device_.properties().completes_inline) GTEST_SKIP() << "of replays that fail at the call";
  const Tensor x = ramp(4), index = zeros({2}, {DType::i64, device_});
  Tensor before, found;
  const Graph graph = record_graph([&] {
    before = x + 1;
    found = index_select(before, 0, index) * 2;
  });
  graph.replay();
  EXPECT_EQ(found.to_vector<float>(), (Floats{2, 2}));
  index.fill_(9);
  EXPECT_ERROR(graph.replay(), ErrorCode::kInvalidArgument, "index 9 at [0] is out of range");
  for (const Tensor& result : {before, found}) {
    EXPECT_ERROR(static_cast<void>(result.to_vector<float>()), ErrorCode::kInvalidArgument,
                 "the replay that was to compute these elements failed");
  }
  index.fill_(1);
  graph.replay();
  EXPECT_EQ(found.to_vector<float>(), (Floats{4, 4}));
}

TEST_P(GraphErrorsTest, WhatTheProgramWritesItMayRead) {
  Tensor y;
  const Graph graph = record_graph([&] { y = ramp(4) + 1; });
  y.fill_(7);
  EXPECT_EQ(y.to_vector<float>(), (Floats{7, 7, 7, 7}));
  graph.replay();
  EXPECT_EQ(y.to_vector<float>(), (Floats{1, 2, 3, 4}));
}

TEST_P(GraphErrorsTest, AFailedRecordingLeavesNoElements) {
  const Tensor w = ramp(4).requires_grad_();
  const auto record = [&](bool fails) {
    return record_graph([&] {
      sum(w * w).backward();
      if (fails) throw std::runtime_error("stop");
    });
  };
  EXPECT_THROW(static_cast<void>(record(true)), std::runtime_error);
  const char* const kWhy =
      "the recording that was to compute these elements failed. Make the tensor again; remove a "
      "gradient with set_grad({}).";
  EXPECT_ERROR(static_cast<void>(w.grad().to_vector<float>()), ErrorCode::kInvalidArgument, kWhy);
  EXPECT_ERROR(sum(w * w).backward(), ErrorCode::kInvalidArgument, kWhy);
  w.set_grad({});
  const Graph graph = record(false);
  graph.replay();
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{0, 2, 4, 6}));
}

TEST_P(GraphErrorsTest, CopiesStayInOneRuntime) {
  const Runtime elsewhere(options({}));
  const Buffer to = Buffer::allocate(elsewhere.device("cpu:0"), 16);
  const Tensor x = ramp(4);
  EXPECT_ERROR(static_cast<void>(record_graph([&] {
                 copy({to, 0, 16}, {x.buffer(), 0, 16});
               })),
               ErrorCode::kInvalidArgument, "belong to two runtimes: copies stay within one");
}

TEST_P(GraphErrorsTest, AFunctionIsNeeded) {
  EXPECT_ERROR(
      static_cast<void>(record_graph(std::function<void()>())), ErrorCode::kInvalidArgument,
      "[record_graph] the function is empty. Pass the function that queues the operations.");
  EXPECT_ERROR(static_cast<void>(record_graph(std::function<void(GraphRecording&)>())),
               ErrorCode::kInvalidArgument, "[record_graph] the function is empty");
}

TEST_P(GraphErrorsTest, LaunchesByHandAreNotRecorded) {
  const Tensor x = ramp(4);
  KernelSpec spec;
  spec.op = "neg.1";
  spec.arguments = {ArgumentSpec::tensor(DType::f32, Access::kWrite),
                    ArgumentSpec::tensor(DType::f32, Access::kRead)};
  const Kernel kernel = Kernel::prepare(device_, spec);
  const Tensor y = zeros({4}, device_);
  const std::vector<Argument> arguments{
      Argument::tensor(y.buffer(), DType::f32, {4}, Access::kWrite),
      Argument::tensor(x.buffer(), DType::f32, {4}, Access::kRead)};
  EXPECT_ERROR(
      static_cast<void>(record_graph([&] { kernel.launch(device_.default_stream(), arguments); })),
      ErrorCode::kInvalidArgument, kRecorded);
}

TEST_P(GraphErrorsTest, AHostScalarOfTheGraphHasNoValue) {
  const Device cpu = device_.runtime().device("cpu:0");
  if (cpu == device_) GTEST_SKIP() << "there it is a tensor like others";
  const Tensor x = ramp(4), one = full({}, 1, cpu);
  EXPECT_ERROR(static_cast<void>(record_graph([&] { static_cast<void>(x * (one + 1)); })),
               ErrorCode::kInvalidArgument, "[scalar] a graph is being recorded");
}

TEST_P(GraphErrorsTest, AFailedRecordingLeavesNothingBehind) {
  const Tensor x = ramp(4);
  EXPECT_THROW(static_cast<void>(record_graph([&] {
                 static_cast<void>(x + 1);
                 throw std::runtime_error("no");
               })),
               std::runtime_error);
  EXPECT_EQ((x + 1).to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST_P(GraphErrorsTest, RefusesTensorsThatAreNotAlike) {
  const Tensor x = ramp(6), out = zeros({6}, device_), unused = ramp(6);
  Tensor y;
  const Graph graph = record_graph([&] {
    y = x + 1;
    neg_out(out, y);
  });
  const auto refuses = [&](const Tensor& a, const Tensor& b, ErrorCode code, const char* text) {
    EXPECT_ERROR(graph.bind(a, b), code, text);
  };
  refuses(x, zeros({6}, other_), ErrorCode::kDeviceMismatch, "[bind] operands are on different");
  refuses(x, zeros({6}, {DType::i32, device_}), ErrorCode::kDtypeMismatch, "[bind]");
  refuses(x, zeros({2, 3}, device_), ErrorCode::kShapeMismatch,
          "[bind] the tensors are not alike: expected shape [6] and strides [1], got [2, 3]");
  refuses(x, zeros({12}, device_).slice(0, 0, 12, 2), ErrorCode::kShapeMismatch, "got [6] and [2]");
  refuses(x, {}, ErrorCode::kInvalidArgument, "[bind] replacement is undefined");
  refuses(unused, x, ErrorCode::kInvalidArgument, "[bind] the graph does not use this tensor");
  refuses(x.slice(0, 1), unused.slice(0, 1), ErrorCode::kInvalidArgument,
          "[bind] the graph uses elements beside this tensor's");
  refuses(x, y, ErrorCode::kInvalidArgument, "[bind] the graph uses the replacement's storage");
  refuses(out, x, ErrorCode::kInvalidArgument, "[bind] the graph uses the replacement's storage");
  refuses(out, zeros({6}, device_).requires_grad_(), ErrorCode::kInvalidArgument,
          "[bind] replacement requires gradients");
  graph.replay();
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{-1, -2, -3, -4, -5, -6}));
}

TEST_P(GraphErrorsTest, UndoingABindMakesNoTwoPlacesOne) {
  const Tensor x = ramp(4), y = zeros({4}, device_), other = ramp(4);
  const Graph graph = record_graph([&] { add_out(y, x, 1); });
  graph.bind(x, other);
  graph.bind(y, x);
  EXPECT_ERROR(graph.bind(x, x), ErrorCode::kInvalidArgument,
               "[bind] the graph uses the replacement's storage");
}

TEST_P(GraphErrorsTest, LentMemoryThatMeetsIsOneStorage) {
  if (!device_.properties().host_addressable) GTEST_SKIP() << "no memory can be lent";
  std::vector<float> lent(6, 1);
  const Tensor x = ramp(4), y = zeros({4}, device_);
  const Graph graph = record_graph([&] { add_out(y, x, 1); });
  graph.bind(x, wrap_host(lent.data(), DType::f32, {4}, device_));
  EXPECT_ERROR(graph.bind(y, wrap_host(lent.data() + 2, DType::f32, {4}, device_)),
               ErrorCode::kInvalidArgument, "[bind] the graph uses the replacement's storage");
}

TEST_P(GraphErrorsTest, RefusesSlotsWhereTheyCanNotBeSet) {
  const Tensor x = ramp(4), integers = ones({4}, {DType::i32, device_});
  Scalar slot = 0, unused = 0;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    slot = recording.slot(1);
    unused = recording.slot(1);
    static_cast<void>(integers + slot);
    EXPECT_ERROR(static_cast<void>(clamp(x, slot, 2)), ErrorCode::kInvalidArgument,
                 "a graph's slot can't be used here");
    EXPECT_ERROR(static_cast<void>(arange(0, slot)), ErrorCode::kInvalidArgument,
                 "a graph's slot can't be used here");
    EXPECT_ERROR(static_cast<void>(slot.to_double()), ErrorCode::kInvalidArgument,
                 "a graph's slot can't be used here");
  });
  EXPECT_ERROR(graph.set(slot, 1.5), ErrorCode::kInvalidArgument,
               "[set] a literal takes the tensor's dtype");
  // All or nothing.
  Tensor sum_of_floats;
  const Graph mixed = record_graph([&](GraphRecording& recording) {
    slot = recording.slot(2);
    sum_of_floats = ramp(4) * 0 + slot;
    static_cast<void>(integers + slot);
  });
  EXPECT_ERROR(mixed.set(slot, 1.5), ErrorCode::kInvalidArgument, "[set] a literal takes");
  mixed.replay();
  EXPECT_EQ(sum_of_floats.to_vector<float>(), std::vector<float>(4, 2));
  EXPECT_ERROR(static_cast<void>(x + slot), ErrorCode::kInvalidArgument,
               "[add] a slot of value 2 is used outside of its recording");
  EXPECT_ERROR(graph.set(5, 1), ErrorCode::kInvalidArgument, "[set] a number is no slot");
  EXPECT_ERROR(graph.set(unused, 1), ErrorCode::kInvalidArgument,
               "[set] the graph does not use this slot");
}

TEST_P(GraphErrorsTest, RefusesAnEarlierStateOfAGenerator) {
  const Generator generator(3);
  static_cast<void>(rand({4}, device_, generator));
  EXPECT_ERROR(static_cast<void>(record_graph([&] {
                 generator.set_state({3, 0});
               })),
               ErrorCode::kInvalidArgument,
               "[set_state] a graph is being recorded, and each run begins where its generator");
  EXPECT_ERROR(static_cast<void>(record_graph([&] { generator.manual_seed(4); })),
               ErrorCode::kInvalidArgument, "seed 4, offset 0 was not taken in the recording");
}

}  // namespace
}  // namespace patchbay::test
