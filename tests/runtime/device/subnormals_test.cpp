// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Subnormal numbers are values like others, or zeros where the program asks for that: in all
// threads that compute, and not in the caller's own arithmetic.
#include "kit/machine/subnormals.hpp"

#include <bit>
#include <cfloat>

#include "support/device_test.h"
#include "support/kernels.h"
#include "support/threads.h"

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
  const float product = tiny * one;
  return std::bit_cast<std::uint32_t>(product) != 0;  // a comparison would take both for zeros
}

/// An operation by a thread that may take subnormal numbers for zeros itself.
template <class Body>
Tensor run(bool caller_flushes, const Body& body) {
  const Subnormals::Scope scope{Subnormals(caller_flushes)};
  const Tensor result = body();
  EXPECT_EQ(keeps_here(), !caller_flushes);
  return result;
}

/// Operations of each kind: small ones, which the caller's thread may compute, and large ones.
class Operations {
 public:
  Operations(const Device& device, bool flushes, bool caller_flushes)
      : device_(device), expected_(flushes ? 0 : kTiny), caller_flushes_(caller_flushes) {
    expect_elementwise(5);
    expect_elementwise(1 << 20);
    expect_own_kernel();
    constexpr double kNumber = kTiny;  // a normal number
    expect_all([&] { return full({4}, kNumber, device_); }, kTiny, "a number");
    expect_all([&] { return -full({4}, -kNumber, device_); }, kTiny, "a negative number");
    // The products of the vendors' libraries keep them.
    const bool is_card = device.name().starts_with("cuda") || device.name().starts_with("hip");
    if (is_card && flushes) return;
    expect_product(3);
    expect_product(200);
  }

 private:
  template <class Body>
  void expect_all(const Body& body, float value, const char* what) const {
    const Floats elements = run(caller_flushes_, body).template to_vector<float>();
    const auto other = std::find_if(elements.begin(), elements.end(),
                                    [value](float element) { return element != value; });
    if (other == elements.end()) return;
    ADD_FAILURE() << what << " of " << elements.size() << ": element " << other - elements.begin()
                  << " is " << *other << ", expected " << value;
  }
  Tensor tiny(const Shape& shape, std::int64_t count) const {
    return from_host(Floats(static_cast<std::size_t>(count), kTiny), shape, device_);
  }
  void expect_elementwise(std::int64_t size) const {
    const auto chain = fuse([](Expression x) { return (x / 16) * 8 + x * 0; });
    const Tensor normal = full({size}, FLT_MIN, device_), small = tiny({size}, size);
    expect_all([&] { return normal / 16; }, expected_, "a result");
    expect_all([&] { return small * 1; }, expected_, "an operand");
    expect_all([&] { return chain(normal); }, expected_ * 8, "a fused result");
    expect_all([&] { return sum(small.view({size, 1}) * 1, {1}); }, expected_, "a sum");
  }
  void expect_product(std::int64_t size) const {
    const Tensor rows = tiny({size, 64}, size * 64), columns = ones({64, size}, device_);
    expect_all([&] { return matmul(rows, columns); }, expected_ * 64, "a product");
  }
  void expect_own_kernel() const {
    constexpr std::int64_t kSize = 1000;
    const ModuleKernel scale = KernelModule::from_source(device_, kScale).kernel("scale");
    const Tensor x = full({kSize}, FLT_MIN, device_), y = empty({kSize}, device_);
    const auto launch = [&] {
      scale.launch({.groups = {16}, .group_size = {64}}, {x, y, 0.0625F, kSize});
      return y;
    };
    expect_all(launch, expected_, "a kernel of the program's");
  }

  const Device device_;
  const float expected_;
  const bool caller_flushes_;
};

void expect_results(const Device& device, bool flushes, bool caller_flushes = false) {
  static_cast<void>(Operations(device, flushes, caller_flushes));
}

PATCHBAY_DEVICE_TESTS(SubnormalsOn);

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
  expect_results(keeping, false, /*caller_flushes=*/true);
  expect_results(flushing, true, /*caller_flushes=*/true);
}

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
                          on_threads(n, [&](std::size_t i) {
                            const Subnormals::Scope own{Subnormals()};
                            body(i);
                            num_changed += keeps_here() ? 0 : 1;
                          });
                        }};
  expect_results(Runtime(wanted).device("cpu:0"), true);
  EXPECT_EQ(num_changed, 0);
}

TEST(Subnormals, AreASettingToo) {
  expect_results(Runtime(options({{"flush_subnormals", "1"}})).device("cpu:0"), true);
  EXPECT_INVALID(Runtime(options({{"flush_subnormals", "yes"}})),
                 "[Runtime] bad setting 'flush_subnormals': expected 0 or 1, got 'yes'.");
}

}  // namespace
}  // namespace patchbay::test
