// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a vendor's profiler is shown with the setting `ranges`.
#include "sim/ranges.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "support/threads.h"

namespace patchbay::sim_test {
namespace {

class SimRanges : public SimTest {
 protected:
  void SetUp() override {
    SimTest::SetUp();
    (void)shown();  // what other tests have left
  }

  /// What the profiler was shown since the last call.
  static std::string shown() {
    void* const profiler = dlopen(library(kNames.ranges).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (profiler == nullptr) return dlerror();
    auto* const take = reinterpret_cast<decltype(&patchbay_sim_take_ranges)>(
        dlsym(profiler, "patchbay_sim_take_ranges"));
    return take();
  }

  static Settings with_ranges(Settings settings = {}) {
    settings["ranges"] = "1";
    return settings;
  }
};

TEST_F(SimRanges, ShowSpansOfTheLibraryAndOfTheProgram) {
  const Device card = new_card(with_ranges());
  const Tensor a = from_host<float>({1, 2}, {2}, card);
  const Tensor warm = add(a, a);
  card.synchronize();
  (void)shown();
  {
    const TraceScope scope("step", card.runtime());
    (void)add(a, a);
    card.synchronize();
  }
  EXPECT_EQ(shown(), "<step<add><wait>>");
}

/// Work of other devices is shown too.
TEST_F(SimRanges, AreOfAllDevicesOfTheRuntime) {
  const Runtime runtime(options(with_ranges()));
  (void)runtime.devices();  // opens the plugin
  const Tensor a = from_host<float>({1, 2}, {2}, runtime.device("cpu:0"));
  (void)shown();
  (void)add(a, a);
  EXPECT_EQ(shown(), "<add>");
}

TEST_F(SimRanges, NestInEachThread) {
  const Runtime runtime(options(with_ranges()));
  (void)runtime.devices();
  (void)shown();
  test::on_threads(4, [&runtime](int) {
    for (int round = 0; round < 50; ++round) {
      const TraceScope outer("outer", runtime);
      const TraceScope inner("inner", runtime);
    }
  });
  const std::string events = shown();
  const auto number_of = [&events](char event) {
    return std::count(events.begin(), events.end(), event);
  };
  EXPECT_EQ(number_of('<'), 400);
  EXPECT_EQ(number_of('>'), 400);
  EXPECT_EQ(number_of('!'), 0);
}

/// A trace that starts and stops within a span leaves its range whole.
TEST_F(SimRanges, StandBesideATrace) {
  const std::string file = testing::TempDir() + "/ranges_and_trace.json";
  const Runtime runtime(options(with_ranges()));
  (void)runtime.devices();
  (void)shown();
  {
    const TraceScope outer("outer", runtime);
    runtime.start_trace(file);
    { const TraceScope inner("inner", runtime); }
    runtime.stop_trace();
  }
  EXPECT_EQ(shown(), "<outer<inner>>");
}

TEST_F(SimRanges, AreOffWithoutTheSetting) {
  const Device card = new_card();
  const TraceScope scope("step", card.runtime());
  (void)from_host<float>({1, 2}, {2}, card);
  EXPECT_EQ(shown(), "");
}

TEST_F(SimRanges, EndWithTheirRuntime) {
  const Runtime other(options({{"ranges", "0"}}));
  (void)other.devices();
  {
    const Runtime runtime(options(with_ranges()));
    (void)runtime.devices();
  }
  (void)shown();
  const TraceScope scope("step", other);
  EXPECT_EQ(shown(), "");
}

/// Devices work as before.
TEST_F(SimRanges, NeedAProfiler) {
  for (const std::string& file : {std::string("/nowhere/libprofiler.so"), library("bare_driver")}) {
    std::vector<std::string> lines;
    RuntimeOptions changed =
        options(with_ranges({{kNames.setting("ranges_library"), file}, {"log", "info"}}));
    changed.log = [&lines](LogLevel, std::string_view line) { lines.emplace_back(line); };
    const Runtime runtime(changed);
    const Tensor a = from_host<float>({1, 2}, {2}, runtime.device(kNames.device(0)));
    EXPECT_EQ(add(a, a).to_vector<float>(), (std::vector<float>{2, 4}));
    const auto is_reason = [&file](const std::string& line) {
      return line.find("no ranges: " + file) != std::string::npos;
    };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_reason), 1) << file;
  }
}

TEST_F(SimRanges, SettingIsZeroOrOne) {
  EXPECT_INVALID(Runtime(options({{"ranges", "maybe"}})),
                 "bad setting 'ranges': expected 0 or 1, got 'maybe'");
}

}  // namespace
}  // namespace patchbay::sim_test
