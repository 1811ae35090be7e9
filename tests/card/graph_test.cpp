// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Recorded graphs as graphs of the driver: the same values as launch by launch, in one submission.
#include <optional>
#include <string>
#include <vector>

#include <patchbay/nn.h>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

using Values = std::vector<float>;

class SimGraph : public SimTest {
 protected:
  /// What a recording with an input, a slot and random numbers gives over several replays, in which
  /// each of them changes.
  static std::vector<Values> replays(const Settings& settings = {}) {
    const Device device = new_card(settings);
    Generator generator(7);
    const Tensor x = from_host<float>({1, 2, 3, 4, 5, 6}, {2, 3}, device);
    const Tensor other = from_host<float>({-1, 0, 1, 2, 0, 1}, {2, 3}, device);
    Tensor y, z;
    Scalar slot = 0;
    const Graph graph = record_graph([&](GraphRecording& recording) {
      slot = recording.slot(2);
      y = matmul(x, x.t()) * slot;
      z = sum(exp(y * 0.01F), 0) + rand({2}, device, generator);
    });
    std::vector<Values> all;
    const auto replay = [&] {
      graph.replay();
      all.push_back(y.to_vector<float>());
      all.push_back(z.to_vector<float>());
    };
    replay();
    replay();  // other random numbers
    graph.set(slot, 3);
    replay();
    graph.bind(x, other);
    replay();
    return all;
  }
};

TEST_F(SimGraph, GivesTheValuesOfSingleLaunches) {
  const auto expected = replays({{"driver_graphs", "off"}});
  EXPECT_EQ(counters().graphs_made, 0u);
  EXPECT_EQ(replays(), expected);
  const patchbay_sim_counters after = counters();
#ifdef PATCHBAY_SIM_HIP
  EXPECT_EQ(after.graphs_made, 4u);
  EXPECT_EQ(after.graph_updates, 0u);
#else
  EXPECT_EQ(after.graphs_made, 1u);
  EXPECT_EQ(after.graph_updates, 3u);  // in place
#endif
  EXPECT_EQ(after.graph_runs, 4u);
}

TEST_F(SimGraph, IsRecordedOnceWhereNothingChanges) {
  const Device device = new_card();
  const Tensor x = full({4}, 1, device);
  Tensor y;
  const Graph graph = record_graph([&] {
    y = x;
    for (int i = 0; i < 20; ++i)
      y = matmul(y.reshape({2, 2}), y.reshape({2, 2})).reshape({4}) * 0.5F;
  });
  for (int i = 0; i < 5; ++i) graph.replay();
  EXPECT_EQ(y.to_vector<float>(), Values(4, 1));
  x.fill_(0);
  graph.replay();
  EXPECT_EQ(y.to_vector<float>(), Values(4, 0));
  const patchbay_sim_counters after = counters();
  EXPECT_EQ(after.graphs_made, 1u);
  EXPECT_EQ(after.graph_updates, 0u);
  EXPECT_EQ(after.graph_runs, 6u);
}

TEST_F(SimGraph, RunsOnEveryStreamInOrder) {
  const Device device = new_card();
  const Tensor x = full({1000}, 1, device);
  const Graph graph = record_graph([&] {
    for (int i = 0; i < 4; ++i) add_out(x, x, x);
  });
  const Stream one(device), two(device);
  for (const Stream* stream : {&one, &two, &one}) {
    const StreamScope scope(*stream);
    graph.replay();
  }
  EXPECT_EQ(x.to_vector<float>(), Values(1000, 4096));
}

/// Recording anew each time costs more than the launches, so that it ends.
TEST_F(SimGraph, ThatChangesEveryTimeRunsLaunchByLaunch) {
  const auto draw = [](const Settings& settings) {
    const Runtime runtime(options(settings));
    Generator generator(7);
    const Tensor x = full({4}, 1, runtime.device(kNames.device(0)));
    Tensor y;
    const Graph graph = record_graph([&] { y = x + rand({4}, x.device(), generator); });
    std::vector<Values> all;
    for (int i = 0; i < 12; ++i) {
      graph.replay();
      all.push_back(y.to_vector<float>());
    }
    return all;
  };
  const auto expected = draw({{"driver_graphs", "off"}});
  EXPECT_EQ(draw({}), expected);
  EXPECT_EQ(counters().graph_runs, 8u);
}

/// A whole training step has nothing that changes from replay to replay, as its counts are elements
/// of the device.
TEST_F(SimGraph, RunsTrainingStepsAsOneSubmission) {
  const auto train = [](const Settings& settings, bool is_recorded) {
    const Device device = new_card(settings);
    const nn::Parameter w(from_host<float>({0.5F, -1, 2, 0.25F, 1, -2}, {2, 3}, device));
    const Tensor x = from_host<float>({1, 2, 3, 4, -1, -2}, {2, 3}, device);
    nn::Adam optimizer({w}, {.learning_rate = 0.05});
    const auto step = [&] {
      optimizer.zero_grad();
      mean(square(x * w.value() - 1)).backward();
      static_cast<void>(nn::clip_grad_norm(std::vector{w}, 1));
      optimizer.step();
    };
    std::optional<Graph> graph;
    if (is_recorded) graph = record_graph(step);
    for (int i = 0; i < 12; ++i) {
      if (i == 6) optimizer.set_learning_rate(0.01);
      is_recorded ? graph->replay() : step();
    }
    EXPECT_EQ(optimizer.num_steps(), 12);
    return w->detach().to_vector<float>();
  };
  const Values eager = train({}, false);
  EXPECT_EQ(train({{"driver_graphs", "off"}}, true), eager);
  EXPECT_EQ(counters().graph_runs, 0u);
  EXPECT_EQ(train({}, true), eager);
  EXPECT_EQ(counters().graph_runs, 12u);
  EXPECT_EQ(counters().graphs_made, 1u);
  EXPECT_EQ(counters().graph_updates, 0u);
}

/// Users' kernels among operations.
TEST_F(SimGraph, LaunchesUsersKernels) {
  const Device device = new_card();
  const std::string text =
      kernel_text("twice", "INOUT", "const i64 i = PATCHBAY_GLOBAL_ID64(0); y[i] = 2.0f * y[i]");
  const ModuleKernel twice = KernelModule::from_source(device, text).kernel("twice");
  const Tensor x = full({8}, 1, device);
  const Graph graph = record_graph([&] {
    add_out(x, x, 1);
    twice.launch({.groups = {2}, .group_size = {4}}, {x});
  });
  graph.replay();
  graph.replay();
  EXPECT_EQ(x.to_vector<float>(), Values(8, 10));
  EXPECT_EQ(counters().graph_runs, 2u);
  EXPECT_EQ(counters().graphs_made, 1u);
}

/// A driver that does not record leaves the launches to the runtime.
TEST_F(SimGraph, DriverThatDoesNotRecord) {
  set("CAPTURE", "0");
  std::string log;
  const Device device = new_card({}, &log);
  const Tensor x = full({3}, 2, device);
  Tensor y;
  const Graph graph = record_graph([&] { y = sum(x * x) + 1; });
  graph.replay();
  graph.replay();
  EXPECT_EQ(y.item<float>(), 13);
  const std::string line = "the driver records no graph, which runs launch by launch: [replay] ";
  EXPECT_HAS(log, line);
  EXPECT_EQ(log.find(line), log.rfind(line)) << log;  // once
}

/// A replay that fails takes its device along, and is among those named.
TEST_F(SimGraph, FailedReplayIsNamed) {
  // After the launches of x, of the recording, and of a replay that works.
  set("FAIL_LAUNCH", "2");
  const Device device = new_card();
  const Tensor x = full({3}, 2, device);
  Tensor y;
  const Graph graph = record_graph([&] { y = sum(x * x) + 1; });
  graph.replay();
  EXPECT_ERROR(device.synchronize(), ErrorCode::kDeviceLost, "'replay'");
}

/// The driver's graph would read them.
TEST_F(SimGraph, ElementsThatWereNeverWrittenAreNotRead) {
  const Device device = new_card();
  const Tensor x = full({3}, 2, device);
  Tensor y;
  const Graph graph = record_graph([&] { y = sum(x * x) + 1; });
  graph.replay();
  graph.replay();
  const auto runs = counters().graph_runs;
  EXPECT_GT(runs, 0u);
  const std::vector<ProcessGroup> group = ProcessGroup::in_process(
      {device, device.runtime().device("cpu:0")}, {std::chrono::milliseconds(1)});
  EXPECT_ERROR(group[0].all_reduce(x).wait(), ErrorCode::kTimedOut, "[all_reduce]");
  EXPECT_ERROR(graph.replay(), ErrorCode::kTimedOut, "[mul] all_reduce failed");
  EXPECT_EQ(counters().graph_runs, runs);
  x.fill_(3);
  graph.replay();
  EXPECT_EQ(y.item<float>(), 28);
  EXPECT_EQ(counters().graph_runs, runs + 1);
}

TEST_F(SimGraph, OnAndOffOnly) {
  EXPECT_INVALID(Runtime(options({{"driver_graphs", "yes"}})),
                 "setting 'driver_graphs': expected on or off, got 'yes'");
}

}  // namespace
}  // namespace patchbay::sim_test
