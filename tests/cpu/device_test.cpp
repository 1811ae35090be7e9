// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Devices, options and memory of the CPU plugin.
#include <sched.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "support/cpu_runtime.h"

namespace patchbay::test {
namespace {

std::string reason_of(const Runtime& runtime) {
  (void)runtime.devices();  // opens every plugin
  for (const PluginInfo& plugin : runtime.plugins()) {
    if (plugin.name == "cpu-openblas" && plugin.status != PluginStatus::kShadowed) {
      return plugin.reason;
    }
  }
  return "not found";
}

TEST(CpuDevice, OneDeviceOfAllAllowedCores) {
  const Runtime runtime = cpu_runtime();
  ASSERT_EQ(runtime.devices().size(), 1u);
  const DeviceProperties& properties = runtime.device("cpu").properties();
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  // A quota of the control group may allow less.
  EXPECT_GE(properties.compute_units, 1u);
  EXPECT_LE(properties.compute_units, static_cast<unsigned>(CPU_COUNT(&allowed)));
  EXPECT_EQ(properties.kind, DeviceKind::kCpu);
  EXPECT_TRUE(properties.host_addressable);
  EXPECT_TRUE(properties.f64);
  EXPECT_FALSE(properties.name.empty());
  EXPECT_GT(properties.memory_total_bytes, 0u);
}

TEST(CpuDevice, AffinityCounts) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  int core = 0;
  while (!CPU_ISSET(core, &before)) ++core;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  const Runtime runtime = cpu_runtime();
  EXPECT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(runtime.device("cpu").properties().compute_units, 1u);
}

TEST(CpuDevice, DevicesShareTheCoresEqually) {
  const Runtime runtime = cpu_runtime({{"cpu_devices", "3"}});
  ASSERT_EQ(runtime.devices().size(), 3u);
  const unsigned first = runtime.device("cpu:0").properties().compute_units;
  EXPECT_EQ(runtime.device("cpu:1").properties().compute_units, first);
  EXPECT_EQ(runtime.device("cpu:2").properties().compute_units, first);
}

TEST(CpuDevice, ThreadsCanBeAskedFor) {
  const Runtime runtime = cpu_runtime({{"cpu_threads", "5"}});
  EXPECT_EQ(runtime.device("cpu").properties().compute_units, 5u);
}

TEST(CpuDevice, BadOptionsAreTheReason) {
  for (const char* value : {"0", "-1", "257", "two", "1x", " 1"}) {
    const Runtime runtime = cpu_runtime({{"cpu_devices", value}});
    EXPECT_TRUE(runtime.devices().empty());
    EXPECT_HAS(
        reason_of(runtime),
        "setting cpu_devices (PATCHBAY_CPU_DEVICES): expected a whole number from 1 to 256, got '" +
            std::string(value) + "'");
  }
  EXPECT_HAS(reason_of(cpu_runtime({{"cpu_threads", "0"}})),
             "setting cpu_threads (PATCHBAY_CPU_THREADS)");
}

TEST(CpuDevice, MemoryIsRefusedWhenItIsAskedFor) {
  const Device cpu = cpu_runtime().device("cpu");
  const auto too_much = static_cast<std::int64_t>(cpu.memory().total_bytes) + 1;
  const Error error = error_of([&] { (void)empty({too_much}, {DType::u8, cpu}); });
  EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
  EXPECT_HAS(error.what(), std::to_string(too_much));
  EXPECT_EQ(ones({3}, {DType::f32, cpu}).to_vector<float>(), std::vector<float>(3, 1));
}

TEST(CpuDevice, UnloadsAfterProductsAndLoadsAgain) {
  for (int round = 0; round < 3; ++round) {
    Runtime runtime = cpu_runtime();
    {
      const Tensor a = ones({120, 120}, {DType::f64, runtime.device("cpu")});
      EXPECT_EQ(matmul(a, a).select(0, 5).select(0, 7).item<double>(), 120);
    }
    runtime.unload("cpu-openblas");
  }
}

// ----------------------------------------------------------------------------- threads ---

/// Large enough to be split, in pieces that do not come out even.
constexpr std::int64_t kLarge = 1'234'567;

std::vector<float> sums_of(const Device& device, const std::vector<float>& values) {
  const Tensor flat = from_host(values, {kLarge}, device);
  const Tensor rows = flat.slice(0, 0, 1110 * 1111).view({1110, 1111});
  std::vector<float> results{sum(flat).item<float>(), sum_squares(flat).item<float>()};
  for (const Tensor& t : {sum(rows, 0), sum(rows, 1), sum(rows.t(), 0), exp(rows)}) {
    const std::vector<float> part = t.to_vector<float>();
    results.insert(results.end(), part.begin(), part.end());
  }
  return results;
}

TEST(CpuThreads, SameBitsForAnyNumberOfThreads) {
  const std::vector<float> values = rough_values(kLarge, 1);
  const Runtime alone = cpu_runtime({{"cpu_threads", "1"}});
  const std::vector<float> expected = sums_of(alone.device("cpu"), values);
  for (const char* threads : {"2", "3", "7"}) {
    const Runtime runtime = cpu_runtime({{"cpu_threads", threads}});
    const std::vector<float> got = sums_of(runtime.device("cpu"), values);
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0) << threads;
  }
  const Runtime several = cpu_runtime({{"cpu_devices", "2"}, {"cpu_threads", "3"}});
  EXPECT_EQ(sums_of(several.device("cpu:1"), values), expected);
}

TEST(CpuThreads, SumsAreAccurate) {
  const std::vector<float> values = rough_values(kLarge, 2);
  double exact = 0;
  for (const float value : values) exact += static_cast<double>(value);
  const Runtime runtime = cpu_runtime();
  const auto got = sum(from_host(values, {kLarge}, runtime.device("cpu"))).item<float>();
  EXPECT_NEAR(static_cast<double>(got), exact, exact * 1e-6);
}

/// Runs `body` in several threads at once.
template <class Body>
void at_once(int count, const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(CpuThreads, CallersAtOnceDoNotDisturbEachOther) {
  for (const char* devices : {"1", "2"}) {
    const Device device =
        cpu_runtime({{"cpu_devices", devices}, {"cpu_threads", "2"}}).device("cpu:0");
    std::atomic<int> wrong{0};
    at_once(4, [&](int caller) {
      for (int round = 0; round < 20; ++round) {
        const Tensor a = full({200'000}, caller, {DType::f32, device});
        const Tensor b = a + static_cast<float>(round);
        if (sum(b).item<float>() != 200'000.0F * static_cast<float>(caller + round)) ++wrong;
      }
    });
    EXPECT_EQ(wrong.load(), 0) << devices;
  }
}

}  // namespace
}  // namespace patchbay::test
