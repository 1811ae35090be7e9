// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Subnormal numbers are values like others, or zeros where the program asks for that: in all
// threads that compute, and not in the caller's own arithmetic.
#include "kit/machine/subnormals.hpp"

#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <patchbay/fuse.h>
#include <patchbay/patchbay.h>

#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

constexpr float kTiny = FLT_MIN / 16;  // subnormal, and exact

RuntimeOptions options_with(bool flushes) {
  RuntimeOptions wanted = device_options();
  wanted.flush_subnormals = flushes;
  return wanted;
}

/// Whether this thread computes with subnormal numbers as values.
bool keeps_here() {
  const volatile float tiny = kTiny, one = 1;
  return tiny * one == kTiny;
}

/// Expects all elements to be `value`.
void expect_all(const Tensor& t, float value, const char* what) {
  const std::vector<float> elements = t.to_vector<float>();
  const auto other = std::find_if(elements.begin(), elements.end(),
                                  [value](float element) { return element != value; });
  if (other == elements.end()) return;
  ADD_FAILURE() << what << ": element " << other - elements.begin() << " is " << *other
                << ", expected " << value;
}

void expect_elementwise(const Device& device, std::int64_t size, float expected) {
  const auto chain = fuse([](Expression x) { return (x / 16) * 8 + x * 0; });
  const Tensor normal = full({size}, FLT_MIN, device), tiny = full({size}, kTiny, device);
  expect_all(normal / 16, expected, "a result");
  expect_all(tiny * 1, expected, "an operand");
  expect_all(chain(normal), expected * 8, "a fused result");
  expect_all(sum(tiny.view({size, 1}) * 1, {1}), expected, "a sum");
}

void expect_own_kernel(const Device& device, float expected) {
  constexpr std::int64_t kSize = 1000;
  const KernelModule module = KernelModule::from_source(device, kScale);
  const Tensor x = full({kSize}, FLT_MIN, device), y = empty({kSize}, device);
  module.kernel("scale").launch({.groups = {16}, .group_size = {64}}, {x, y, 0.0625F, kSize});
  expect_all(y, expected, "a kernel of the program's");
}

/// Operations of each kind: small ones, which the caller's thread may compute, and large ones.
void expect_results(const Device& device, bool flushes) {
  const float expected = flushes ? 0 : kTiny;
  expect_elementwise(device, 5, expected);
  expect_elementwise(device, 1 << 20, expected);
  for (const std::int64_t size : {3, 200}) {
    const Tensor rows = full({size, 64}, kTiny, device), columns = ones({64, size}, device);
    expect_all(matmul(rows, columns), expected * 64, "a product");
  }
  expect_own_kernel(device, expected);
}

class SubnormalsOn : public DeviceTest {};

TEST_P(SubnormalsOn, AreValuesByDefault) {
  expect_results(Runtime(options_with(false)).device(GetParam()), false);
}

TEST_P(SubnormalsOn, AreZerosIfTheProgramAsks) {
  const Device device = Runtime(options_with(true)).device(GetParam());
  expect_results(device, true);
  EXPECT_TRUE(keeps_here());
  const Stream stream(device);
  const StreamScope scope(stream);
  expect_results(device, true);
}

/// The caller's own treatment neither matters nor changes.
TEST_P(SubnormalsOn, AreTreatedAlikeInEveryThread) {
  const Device keeping = Runtime(options_with(false)).device(GetParam());
  const Device flushing = Runtime(options_with(true)).device(GetParam());
  const Subnormals::Scope scope(Subnormals(true));
  expect_results(keeping, false);
  expect_results(flushing, true);
  EXPECT_FALSE(keeps_here());
}
PATCHBAY_ON_EACH_DEVICE(SubnormalsOn);

/// All of them use their own threads.
TEST(Subnormals, AreZerosOnEachOfSeveralCpuDevices) {
  RuntimeOptions wanted = options({{"cpu_devices", "2"}, {"cpu_threads", "3"}});
  wanted.flush_subnormals = true;
  const Runtime flushing(wanted);
  expect_results(flushing.device("cpu:1"), true);
  expect_results(Runtime(options({{"cpu_devices", "2"}})).device("cpu:1"), false);
}

TEST(Subnormals, AreZerosInThreadsOfThePlugin) {
  for (const bool flushes : {false, true}) {
    RuntimeOptions wanted = options({{"cpu_devices", "1"}, {"cpu_threads", "4"}});
    wanted.flush_subnormals = flushes;
    expect_results(Runtime(wanted).device("cpu:0"), flushes);
  }
}

/// The application's threads keep their own treatment.
TEST(Subnormals, AreZerosInLentThreads) {
  RuntimeOptions wanted = options({{"cpu_devices", "1"}});
  wanted.flush_subnormals = true;
  std::atomic<int> num_changed{0};
  wanted.thread_pool = {4, [&](std::size_t n, const std::function<void(std::size_t)>& body) {
                          std::vector<std::thread> threads;
                          for (std::size_t i = 0; i < n; ++i) {
                            threads.emplace_back([&, i] {
                              const Subnormals::Scope own{Subnormals()};
                              body(i);
                              num_changed += keeps_here() ? 0 : 1;
                            });
                          }
                          for (std::thread& thread : threads) thread.join();
                        }};
  expect_results(Runtime(wanted).device("cpu:0"), true);
  EXPECT_EQ(num_changed, 0);
}

TEST(Subnormals, AreASettingToo) {
  expect_results(Runtime(options({{"flush_subnormals", "1"}})).device("cpu:0"), true);
  EXPECT_ERROR(Runtime(options({{"flush_subnormals", "yes"}})), ErrorCode::kInvalidArgument,
               "[Runtime] bad setting 'flush_subnormals': expected 0 or 1, got 'yes'.");
}

}  // namespace
}  // namespace patchbay::test
