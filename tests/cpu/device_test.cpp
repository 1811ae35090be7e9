// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Devices, options and memory of the CPU plugin.
#include <sched.h>

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
    EXPECT_HAS(reason_of(runtime),
               "setting cpu_devices (PATCHBAY_CPU_DEVICES): expected a "
               "whole number from 1 to 256, got '" +
                   std::string(value) + "'");
  }
  EXPECT_HAS(reason_of(cpu_runtime({{"cpu_threads", "0"}})),
             "setting cpu_threads (PATCHBAY_CPU_THREADS)");
}

TEST(CpuDevice, MemoryIsRefusedWhenItIsAskedFor) {
  const Runtime runtime = cpu_runtime();
  const Device cpu = runtime.device("cpu");
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

}  // namespace
}  // namespace patchbay::test
