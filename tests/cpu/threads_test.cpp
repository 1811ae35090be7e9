// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The CPU plugin's threads: equal bits for any number of them, and callers that come at once.
#include <atomic>
#include <cstring>
#include <thread>

#include "support/cpu_runtime.h"

namespace patchbay::test {
namespace {

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
    const Runtime runtime = cpu_runtime({{"cpu_devices", devices}, {"cpu_threads", "2"}});
    const Device device = runtime.device("cpu:0");
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
