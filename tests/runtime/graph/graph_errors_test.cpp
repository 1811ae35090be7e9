// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What can't be recorded, bound or set.
#include "runtime/graph/graph_device.h"

namespace patchbay::test {
namespace {

class GraphErrorsTest : public GraphTest {};
PATCHBAY_GRAPH_DEVICES(GraphErrorsTest);

constexpr const char* kRecorded = "a graph is being recorded";

TEST_P(GraphErrorsTest, NothingIsReadOrAwaitedWhileRecording) {
  const Tensor x = ramp(4);
  const Stream stream = device_.default_stream();
  const Event event = stream.record();
  const Graph empty_graph = record_graph([] {});
  const auto recording = [&](auto&& body) {
    EXPECT_INVALID(record_graph([&] { body(); }), kRecorded);
  };
  recording([&] { return x[0].item<float>(); });
  recording([&] { return (x + 1).to_vector<float>(); });
  recording([&] { return show(x); });
  recording([&] { return from_host({1.0F}, {1}, device_); });
  recording([&] { device_.synchronize(); });
  recording([&] { stream.synchronize(); });
  recording([&] { return stream.record(); });
  recording([&] { stream.wait(event); });
  recording([&] { event.wait(); });
  recording([&] { stream.add_callback([](const Error*) {}); });
  recording([&] { x.buffer().wait(); });
  recording([&] { return record_graph([] {}); });
  recording([&] { empty_graph.replay(); });
  recording([&] { return ThreadContext::current(); });
  recording([&] { return Generator(7); });
  if (!device_.properties().host_addressable) return;
  recording([&] { return x.data<float>(); });
  recording([&] { return x.buffer().host_pointer(); });
  recording([&] { return std::ostringstream() << x; });
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
    EXPECT_INVALID(result.to_vector<float>(), kWhy);
    EXPECT_INVALID(result + 1, kWhy);
    EXPECT_INVALID(result.clone(), kWhy);
  }
  const Graph after = record_graph([&] { total = whole * 2; });
  EXPECT_INVALID(after.replay(), kWhy);
  EXPECT_INVALID(total.to_vector<float>(), "the replay that was to compute these elements failed");
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
  EXPECT_INVALID(p.to_vector<float>(), "was not replayed yet");
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
  EXPECT_INVALID(graph.replay(), "index 9 at [0] is out of range");
  for (const Tensor& result : {before, found}) {
    EXPECT_INVALID(result.to_vector<float>(),
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
  EXPECT_INVALID(w.grad().to_vector<float>(), kWhy);
  EXPECT_INVALID(sum(w * w).backward(), kWhy);
  w.set_grad({});
  const Graph graph = record(false);
  graph.replay();
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{0, 2, 4, 6}));
}

TEST_P(GraphErrorsTest, CopiesStayInOneRuntime) {
  const Runtime elsewhere(options({}));
  const Buffer to = Buffer::allocate(elsewhere.device("cpu:0"), 16);
  const Tensor x = ramp(4);
  EXPECT_INVALID(record_graph([&] {
                   copy({to, 0, 16}, {x.buffer(), 0, 16});
                 }),
                 "belong to two runtimes: copies stay within one");
}

TEST_P(GraphErrorsTest, AFunctionIsNeeded) {
  EXPECT_INVALID(record_graph(std::function<void()>()), "[record_graph] the function is empty");
  EXPECT_INVALID(record_graph(std::function<void(GraphRecording&)>()),
                 "[record_graph] the function is empty");
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
  EXPECT_INVALID(record_graph([&] { kernel.launch(device_.default_stream(), arguments); }),
                 kRecorded);
}

TEST_P(GraphErrorsTest, AHostScalarOfTheGraphHasNoValue) {
  const Device cpu = device_.runtime().device("cpu:0");
  if (cpu == device_) GTEST_SKIP() << "there it is a tensor like others";
  const Tensor x = ramp(4), one = full({}, 1, cpu);
  EXPECT_INVALID(record_graph([&] { return x * (one + 1); }), "[scalar] a graph is being recorded");
}

TEST_P(GraphErrorsTest, AFailedRecordingLeavesNothingBehind) {
  const Tensor x = ramp(4);
  EXPECT_THROW(static_cast<void>(record_graph([&] {
                 static_cast<void>(x + 1);
                 throw std::runtime_error("no");
               })),
               std::runtime_error);
  EXPECT_EQ((x + 1).to_vector<float>(), (Floats{1, 2, 3, 4}));
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
  refuses(x, zeros({6}, other_), kDeviceMismatch, "[bind] operands are on different");
  refuses(x, zeros({6}, {DType::i32, device_}), kDtypeMismatch, "[bind]");
  refuses(x, zeros({2, 3}, device_), kShapeMismatch,
          "[bind] the tensors are not alike: expected shape [6] and strides [1], got [2, 3]");
  refuses(x, zeros({12}, device_).slice(0, 0, 12, 2), kShapeMismatch, "got [6] and [2]");
  refuses(x, {}, kInvalidArgument, "[bind] replacement is undefined");
  refuses(unused, x, kInvalidArgument, "[bind] the graph does not use this tensor");
  refuses(x.slice(0, 1), unused.slice(0, 1), kInvalidArgument,
          "[bind] the graph uses elements beside this tensor's");
  refuses(x, y, kInvalidArgument, "[bind] the graph uses the replacement's storage");
  refuses(out, x, kInvalidArgument, "[bind] the graph uses the replacement's storage");
  refuses(out, zeros({6}, device_).requires_grad_(), kInvalidArgument,
          "[bind] replacement requires gradients");
  graph.replay();
  EXPECT_EQ(out.to_vector<float>(), (Floats{-1, -2, -3, -4, -5, -6}));
}

TEST_P(GraphErrorsTest, UndoingABindMakesNoTwoPlacesOne) {
  const Tensor x = ramp(4), y = zeros({4}, device_), other = ramp(4);
  const Graph graph = record_graph([&] { add_out(y, x, 1); });
  graph.bind(x, other);
  graph.bind(y, x);
  EXPECT_INVALID(graph.bind(x, x), "[bind] the graph uses the replacement's storage");
}

TEST_P(GraphErrorsTest, LentMemoryThatMeetsIsOneStorage) {
  if (!device_.properties().host_addressable) GTEST_SKIP() << "no memory can be lent";
  Floats lent(6, 1);
  const Tensor x = ramp(4), y = zeros({4}, device_);
  const Graph graph = record_graph([&] { add_out(y, x, 1); });
  graph.bind(x, wrap_host(lent.data(), DType::f32, {4}, device_));
  EXPECT_INVALID(graph.bind(y, wrap_host(lent.data() + 2, DType::f32, {4}, device_)),
                 "[bind] the graph uses the replacement's storage");
}

TEST_P(GraphErrorsTest, RefusesSlotsWhereTheyCanNotBeSet) {
  const Tensor x = ramp(4), integers = ones({4}, {DType::i32, device_});
  Scalar slot = 0, unused = 0;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    slot = recording.slot(1);
    unused = recording.slot(1);
    static_cast<void>(integers + slot);
    EXPECT_INVALID(clamp(x, slot, 2), "a graph's slot can't be used here");
    EXPECT_INVALID(arange(0, slot), "a graph's slot can't be used here");
    EXPECT_INVALID(slot.to_double(), "a graph's slot can't be used here");
  });
  EXPECT_INVALID(graph.set(slot, 1.5), "[set] a literal takes the tensor's dtype");
  // All or nothing.
  Tensor sum_of_floats;
  const Graph mixed = record_graph([&](GraphRecording& recording) {
    slot = recording.slot(2);
    sum_of_floats = ramp(4) * 0 + slot;
    static_cast<void>(integers + slot);
  });
  EXPECT_INVALID(mixed.set(slot, 1.5), "[set] a literal takes");
  mixed.replay();
  EXPECT_EQ(sum_of_floats.to_vector<float>(), Floats(4, 2));
  EXPECT_INVALID(x + slot, "[add] a slot of value 2 is used outside of its recording");
  EXPECT_INVALID(graph.set(5, 1), "[set] a number is no slot");
  EXPECT_INVALID(graph.set(unused, 1), "[set] the graph does not use this slot");
}

TEST_P(GraphErrorsTest, RefusesAnEarlierStateOfAGenerator) {
  const Generator generator(3);
  static_cast<void>(rand({4}, device_, generator));
  EXPECT_INVALID(record_graph([&] {
                   generator.set_state({3, 0});
                 }),
                 "[set_state] a graph is being recorded, and each run begins where its generator");
  EXPECT_INVALID(record_graph([&] { generator.manual_seed(4); }),
                 "seed 4, offset 0 was not taken in the recording");
}

}  // namespace
}  // namespace patchbay::test
