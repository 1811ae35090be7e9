// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Generators: states, copies, threads, and the default of a runtime.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

TEST(GeneratorTest, StatesAreSavedAndSet) {
  const Generator generator(37);
  EXPECT_EQ(generator.state(), (Generator::State{37, 0}));
  EXPECT_EQ(generator.advance(5), (Generator::State{37, 0}));
  const Generator::State saved = generator.state();
  EXPECT_EQ(saved, (Generator::State{37, 5}));
  const auto device = test_device("cpu:0");
  const auto first = rand({9}, device, generator).to_vector<float>();
  EXPECT_NE(rand({9}, device, generator).to_vector<float>(), first);
  generator.set_state(saved);
  EXPECT_EQ(rand({9}, device, generator).to_vector<float>(), first);
  EXPECT_EQ(rand({9}, device, Generator(saved)).to_vector<float>(), first);
  generator.manual_seed(38);
  EXPECT_EQ(generator.state(), (Generator::State{38, 0}));
}

TEST(GeneratorTest, CopiesShareOneSequence) {
  const Generator generator(41), copy = generator;
  EXPECT_EQ(copy, generator);
  copy.advance();
  EXPECT_EQ(generator.state().offset, 1u);
  EXPECT_NE(Generator(41), generator);
}

TEST(GeneratorTest, ThreadsTakeOffsetsOfTheirOwn) {
  const Generator generator(43);
  constexpr int kThreads = 4, kCalls = 1000;
  std::vector<std::vector<std::uint64_t>> taken(kThreads);
  std::vector<std::thread> threads;
  for (auto& mine : taken) {
    threads.emplace_back([&generator, &mine] {
      for (int i = 0; i < kCalls; ++i) mine.push_back(generator.advance().offset);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& mine : taken) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), std::size_t{kThreads * kCalls});
  EXPECT_EQ(generator.state().offset, std::uint64_t{kThreads * kCalls});
}

/// Where a tensor is made changes no number, of it or of those after it.
TEST(GeneratorTest, OneDefaultForAllDevicesOfARuntime) {
  const Runtime runtime(options()), other(options());
  EXPECT_EQ(default_generator(runtime).state(), (Generator::State{0, 0}));
  const auto draw_on = [&](const char* name) { return rand({5}, runtime.device(name)); };
  const auto first = draw_on("cpu:0").to_vector<float>(),
             second = draw_on("fake:0").to_vector<float>();
  EXPECT_NE(first, second);
  default_generator(runtime).manual_seed(0);
  EXPECT_EQ(draw_on("fake:1").to_vector<float>(), first);
  EXPECT_EQ(draw_on("cpu:1").to_vector<float>(), second);
  EXPECT_EQ(default_generator(runtime).state().offset, 2u);
  EXPECT_EQ(default_generator(other).state().offset, 0u);
}

/// As a program of several runtimes expects it: the same numbers, wherever they are drawn.
TEST(GeneratorTest, ManualSeedConcernsAllRuntimes) {
  const Runtime runtime(options());
  static_cast<void>(rand({3}, runtime.device("cpu:0")));
  manual_seed(77);
  const Runtime later(options());
  const auto expected = rand({5}, runtime.device("fake:0"), Generator(77)).to_vector<float>();
  EXPECT_EQ(rand({5}, runtime.device("fake:0")).to_vector<float>(), expected);
  EXPECT_EQ(rand({5}, later.device("cpu:0")).to_vector<float>(), expected);
  EXPECT_EQ(default_generator(later).state(), (Generator::State{77, 1}));
  const Generator own(5);
  default_generator(runtime).manual_seed(6);
  EXPECT_EQ(default_generator(later).state().seed, 77U);
  manual_seed(0);
  EXPECT_EQ(default_generator(runtime).state(), (Generator::State{0, 0}));
  EXPECT_EQ(default_generator(later).state(), (Generator::State{0, 0}));
  EXPECT_EQ(own.state(), (Generator::State{5, 0}));
}

TEST(GeneratorTest, TheDefaultIsThatOfTheDefaultDevice) {
  const Runtime runtime(options());
  const DefaultDeviceScope scope(runtime.device("fake:0"));
  EXPECT_EQ(default_generator(), default_generator(runtime));
  static_cast<void>(rand({3}));
  EXPECT_EQ(default_generator().state(), (Generator::State{0, 1}));
}

TEST(GeneratorTest, ManualSeedIsNoOperationOfAGraph) {
  EXPECT_INVALID(record_graph([] { manual_seed(1); }), "[manual_seed] a graph is being recorded");
}

}  // namespace
}  // namespace patchbay::test
