// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Graphs: that replays do what the recorded function would.
#include "runtime/graph/graph_device.h"
#include "support/threads.h"

namespace patchbay::test {
namespace {

PATCHBAY_GRAPH_DEVICES(GraphTest);

Floats values(const Tensor& tensor) { return tensor.to_vector<float>(); }

/// Five operations, three of whose results nobody keeps.
Tensor chain(const Tensor& x, const Tensor& w) { return relu(x * w - 3.0) + sqrt(abs(x)); }

TEST_P(GraphTest, ComputesFromWhatIsThenInItsInputs) {
  const Tensor x = ramp(1000), w = ramp(1000, 0.5F);
  Tensor y;
  const Graph graph = record_graph([&] { y = chain(x, w); });
  EXPECT_EQ(graph.num_operations(), 6u);
  graph.replay();
  EXPECT_EQ(values(y), values(chain(x, w)));
  x.copy_from(ramp(1000, -2));
  w.fill_(0.25);
  graph.replay();
  EXPECT_EQ(values(y), values(chain(x, w)));
}

TEST_P(GraphTest, DoesNothingWhileItIsRecorded) {
  const Tensor x = ramp(10), out = zeros({10}, device_);
  const Graph graph = record_graph([&] { add_out(out, x, 1); });
  EXPECT_EQ(values(out), Floats(10, 0));
  graph.replay();
  EXPECT_EQ(values(out), values(x + 1));
}

TEST_P(GraphTest, KeepsTheStorageOfWhatIsHeldAndSharesTheRest) {
  Tensor y;
  const Graph graph = record_graph([&] {
    y = zeros({1024}, device_);
    for (int i = 0; i < 20; ++i) y = y + 1;
  });
  EXPECT_EQ(graph.num_operations(), 21u);
  EXPECT_EQ(graph.memory_bytes(), 2u * 4096);  // an operand and its result
  graph.replay();
  EXPECT_EQ(values(y), Floats(1024, 20));
  const Graph in_place = record_graph([&] {
    const Tensor first = y * 2, second = y * 3, third = first + second;
    y.copy_from(third);
  });
  EXPECT_EQ(in_place.memory_bytes(), 3u * 4096);
  in_place.replay();
  in_place.replay();
  EXPECT_EQ(values(y), Floats(1024, 500));
}

TEST_P(GraphTest, KeepsWhatTheFunctionCapturedAndDropped) {
  Graph graph = record_graph([] {});
  Tensor y;
  {
    const Tensor constant = full({100}, 7, device_);
    graph = record_graph([&] { y = constant + 1; });
  }
  const Tensor reuse = full({100}, 3, device_);  // might have taken the memory
  graph.replay();
  EXPECT_EQ(values(y), Floats(100, 8));
  EXPECT_EQ(values(reuse), Floats(100, 3));
}

template <class T>
void check_integers(const Device& device) {
  using Limits = std::numeric_limits<T>;
  const Tensor x = from_host(std::vector<T>{1, Limits::max(), 3}, {3}, device);
  const Tensor index = from_host(Longs{2, 0}, {2}, device);
  Tensor chosen, flipped, largest;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    chosen = where(gt(x, recording.slot(2)), x, 0);
    flipped = index_select(x, 0, index).cast(DType::i64);
    largest = max(x);
  });
  graph.replay();
  EXPECT_EQ(chosen.template to_vector<T>(), (std::vector<T>{0, Limits::max(), 3}));
  EXPECT_EQ(flipped.to_vector<std::int64_t>(), (Longs{3, 1}));
  EXPECT_EQ(largest.template item<T>(), Limits::max());
  x.copy_from(from_host(std::vector<T>{7, 5, Limits::min()}, {3}, device));
  graph.replay();
  EXPECT_EQ(chosen.template to_vector<T>(), (std::vector<T>{7, 5, 0}));
  EXPECT_EQ(largest.template item<T>(), 7);
}

TEST_P(GraphTest, KeepsIntegersThatNoOperatorComputesIn) {
  check_integers<std::int8_t>(device_);
  check_integers<std::int16_t>(device_);
  check_integers<std::uint16_t>(device_);
  check_integers<std::uint32_t>(device_);
  check_integers<std::uint64_t>(device_);
}

TEST_P(GraphTest, DrawsAsTheFunctionWould) {
  Tensor y;
  const auto draw = [&] {
    y = rand({1001}, device_) +
        randn({1001}, device_) * dropout_mask(0.5, {1001}, device_).cast(DType::f32);
  };
  const Generator generator = default_generator(device_.runtime());
  generator.manual_seed(5);
  draw();
  const Floats first = values(y);
  draw();
  const Floats second = values(y);
  const Generator::State after = generator.state();
  generator.manual_seed(99);
  const Graph graph = record_graph(draw);
  EXPECT_EQ(generator.state(), (Generator::State{99, 0}));
  generator.manual_seed(5);
  graph.replay();
  EXPECT_EQ(values(y), first);
  graph.replay();
  EXPECT_EQ(values(y), second);
  EXPECT_EQ(generator.state(), after);
}

TEST_P(GraphTest, DrawsFromSeveralGenerators) {
  const Generator one(1), two(2);
  Tensor a, b, permutation;
  const auto draw = [&] {
    a = rand({5}, device_, one);
    b = rand({5}, device_, two);
    a = a + rand({5}, device_, one);
    permutation = randperm(50, device_, two);
  };
  draw();
  const Floats first_a = values(a), first_b = values(b);
  const auto first_permutation = permutation.to_vector<std::int64_t>();
  one.set_state({1, 0});
  two.set_state({2, 0});
  record_graph(draw).replay();
  EXPECT_EQ(values(a), first_a);
  EXPECT_EQ(values(b), first_b);
  EXPECT_EQ(permutation.to_vector<std::int64_t>(), first_permutation);
  EXPECT_EQ(one.state().offset, 2u);
  EXPECT_EQ(two.state().offset, 2u);
}

TEST_P(GraphTest, TakesOtherTensorsForItsOwn) {
  const Tensor x = ramp(100), other = ramp(100, 3), out = zeros({100}, device_);
  Tensor y;
  const Graph graph = record_graph([&] {
    y = x.slice(0, 50) + 1;
    add_out(out, x, x);
  });
  const Tensor elsewhere = zeros({300}, device_);
  graph.bind(x, other);
  graph.bind(out, elsewhere.slice(0, 100, 200));
  graph.replay();
  EXPECT_EQ(values(y), values(other.slice(0, 50) + 1));
  EXPECT_EQ(values(out), Floats(100, 0));
  EXPECT_EQ(values(elsewhere.slice(0, 100, 200)), values(other + other));
  EXPECT_EQ(values(elsewhere.slice(0, 200)), Floats(100, 0));
  graph.bind(x, x);
  graph.bind(out, out);
  graph.replay();
  EXPECT_EQ(values(out), values(x + x));
}

TEST_P(GraphTest, SetsItsSlots) {
  const Tensor w = ones({10}, device_), x = ones({10}, {DType::i64, device_});
  Scalar rate = 0, start = 0, count = 0;
  Tensor y, z;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    rate = recording.slot(0.5);
    start = recording.slot(2);
    count = recording.slot(4);
    y = full({10}, start, device_) - w * rate;
    z = x + count;
  });
  graph.replay();
  EXPECT_EQ(values(y), Floats(10, 1.5F));
  EXPECT_EQ(z.to_vector<std::int64_t>(), Longs(10, 5));
  graph.set(rate, 3);
  graph.set(count, -1);
  graph.replay();
  EXPECT_EQ(values(y), Floats(10, -1));
  EXPECT_EQ(z.to_vector<std::int64_t>(), Longs(10, 0));
}

TEST_P(GraphTest, TrainsAsTheFunctionWould) {
  const Tensor x = ramp(12, 0.1F).reshape({4, 3}), target = ones({4, 2}, device_);
  const auto make = [&] { return (ramp(6, 0.2F).reshape({3, 2})).requires_grad_(); };
  const auto step = [&](const Tensor& weight) {
    const Tensor error = tanh(matmul(x, weight)) - target, loss = sum(error * error);
    weight.set_grad({});
    loss.backward();
    const NoGrad no_grad;
    weight -= weight.grad() * 0.05;
    return loss;
  };
  const Tensor eager = make(), recorded = make();
  Tensor loss;
  const Graph graph = record_graph([&] { loss = step(recorded); });
  for (int i = 0; i < 5; ++i) {
    const Tensor expected = step(eager);
    graph.replay();
    EXPECT_EQ(values(recorded), values(eager)) << i;
    EXPECT_EQ(values(recorded.grad()), values(eager.grad())) << i;
    EXPECT_EQ(values(loss), values(expected)) << i;
  }
}

TEST_P(GraphTest, CopiesBetweenDevices) {
  const Tensor x = ramp(1000);
  Tensor y, z;
  const Graph graph = record_graph([&] {
    const Tensor there = (x * 2).to(other_);
    y = (there + 1).to(device_) + x;
    z = x.reshape({10, 100}).t().to(other_);
  });
  EXPECT_EQ(graph.num_operations(), 7u);  // three copies, one of them packed before
  Runtime runtime = device_.runtime();
  Ledger& ledger = runtime.ledger();
  device_.synchronize();
  ledger.reset();
  for (int i = 1; i < 4; ++i) {
    x.fill_(i);
    graph.replay();
    EXPECT_EQ(values(y), Floats(1000, static_cast<float>(3 * i + 1)));
    EXPECT_EQ(values(z), Floats(1000, static_cast<float>(i)));
  }
  EXPECT_EQ(ledger.total(device_.name(), other_.name()).copies, 6u);
  EXPECT_EQ(ledger.total(other_.name(), device_.name()).copies, 3u);
  const CopyGuard guard(CopyGuard::Mode::kForbid);
  EXPECT_ERROR(graph.replay(), kCopyForbidden, "inside a CopyGuard");
}

TEST_P(GraphTest, CountsCopiesThatKernelsMake) {
  const Tensor x = ramp(100).reshape({10, 10});
  Tensor y;
  Runtime runtime = device_.runtime();
  Ledger& ledger = runtime.ledger();
  device_.synchronize();
  ledger.reset();
  const Graph graph = record_graph([&] { y = x.t().contiguous(); });
  EXPECT_EQ(ledger.total(device_.name(), device_.name()).copies, 0u);
  graph.replay();
  graph.replay();
  EXPECT_EQ(ledger.total(device_.name(), device_.name()).copies, 2u);
  EXPECT_EQ(values(y), values(x.t()));
}

TEST_P(GraphTest, TakesTheValueOfAHostScalar) {
  const Device cpu = device_.runtime().device("cpu:0");
  const Tensor factor = full({}, 3, cpu), x = ramp(10);
  Tensor y;
  const Graph graph = record_graph([&] { y = x * factor; });
  graph.replay();
  EXPECT_EQ(values(y), values(x * 3));
}

TEST_P(GraphTest, LaunchesKernelsOfModules) {
  if (!device_.properties().modules) GTEST_SKIP() << "no modules";
  const auto module = KernelModule::from_source(
      device_,
      "PATCHBAY_KERNEL(twice)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y)) {\n"
      "  PATCHBAY_BIND_INPUT(f32, x);\n"
      "  PATCHBAY_BIND(f32, y);\n"
      "  const i64 i = PATCHBAY_GLOBAL_ID64(0);\n"
      "  y[i] = 2 * x[i];\n"
      "}\n");
  const Tensor x = ramp(64);
  Tensor z;
  Graph graph = record_graph([&] {
    const Tensor y = empty({64}, device_);
    module.kernel("twice").launch({.groups = {2}, .group_size = {32}}, {x + 1, y});
    z = y + 1;
  });
  x.fill_(4);
  graph.replay();
  EXPECT_EQ(values(z), Floats(64, 11));
}

TEST_P(GraphTest, LaunchesFusedFunctions) {
  const Tensor x = ramp(100);
  Tensor y;
  const Graph graph = record_graph([&] {
    const auto step = fuse([](Expression a) { return relu(a * 2 - 5) + 1; });
    y = step(x) * 2;
  });
  EXPECT_EQ(graph.num_operations(), 2u);
  x.fill_(4);
  graph.replay();
  EXPECT_EQ(values(y), Floats(100, 8));
}

TEST_P(GraphTest, RunsOnTheStreamOfTheScope) {
  const Tensor x = ramp(1 << 16);
  Tensor y;
  const Graph graph = record_graph([&] { y = chain(x, x); });
  const Stream stream(device_);
  x.fill_(9);  // on the default stream
  on_stream(stream, [&] { graph.replay(); });
  graph.replay();
  EXPECT_EQ(values(y), values(chain(x, x)));
}

TEST_P(GraphTest, IsSafeToReplayFromSeveralThreads) {
  const Tensor x = ramp(500), y = zeros({500}, device_);
  const Graph graph = record_graph([&] { add_out(y, y, x * 1); });
  on_threads(4, [&](int) {
    for (int i = 0; i < 25; ++i) graph.replay();
  });
  EXPECT_EQ(values(y), values(x * 100));
}

TEST_P(GraphTest, CountsAsAWriteForAutograd) {
  const Tensor w = ramp(5).requires_grad_(), x = ramp(5);
  const Graph graph = record_graph([&] { x.fill_(3); });
  const Tensor y = sum(w * x);
  graph.replay();
  EXPECT_INVALID(y.backward(), "overwritten");
}

TEST_P(GraphTest, MayGoWhileItsCopiesArePending) {
  const Tensor x = ramp(1 << 18);
  Tensor y;
  for (int i = 0; i < 5; ++i) {
    record_graph([&] { y = (x + i).to(other_); }).replay();
    EXPECT_EQ(y[1].item<float>(), static_cast<float>(1 + i));
  }
}

TEST(GraphLifetime, OutlivesItsRuntime) {
  std::vector<Graph> graphs;
  {
    Runtime runtime(options({{"cpu_devices", "1"}}));
    const Tensor x = ones({10}, runtime.device("cpu:0"));
    graphs.push_back(record_graph([&] {
      const auto twice = fuse([](Expression a) { return a * 2 + 1; });
      static_cast<void>(twice(x) + x);
    }));
  }
  graphs[0].replay();
  graphs.clear();
}

TEST(GraphFaults, AReplayRewritesWhatAFailedCopyLeft) {
  const Runtime runtime(options({{"cpu_devices", "1"}, {"fake_fail_async_launch", "2"}}));
  const Device cpu = runtime.device("cpu:0"), fake = runtime.device("fake:0");
  const Tensor x = ones({100}, cpu), y = zeros({100}, cpu);
  const Graph graph = record_graph([&] { add_out(y, x, 1); });
  y.copy_from(full({100}, 2, fake) * 3, /*non_blocking=*/true);  // the product is to fail
  EXPECT_THROW(y.buffer().wait(), Error);
  graph.replay();
  EXPECT_EQ(values(y), Floats(100, 2));
}

TEST_P(GraphTest, OfEmptyTensorsAndOfNothing) {
  record_graph([] {}).replay();
  const Tensor none = zeros({0, 3}, device_);
  Tensor y;
  const Graph graph = record_graph([&] { y = none * 2 + 1; });
  EXPECT_EQ(graph.num_operations(), 0u);
  graph.replay();
  EXPECT_EQ(y.shape(), (Shape{0, 3}));
}

}  // namespace
}  // namespace patchbay::test
