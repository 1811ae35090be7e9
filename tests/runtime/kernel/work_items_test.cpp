// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a kernel text may do: ids, barriers, shared memory, atomics, helpers, tables, functions.

#include "support/device_test.h"
#include "support/kernels.h"
#include "support/threads.h"

namespace patchbay::test {
namespace {

class WorkItemsTest : public DeviceTest {
 protected:
  ModuleKernel kernel(const std::string& text, const char* name = "f") const {
    return KernelModule::from_source(device_, text).kernel(name);
  }
};
PATCHBAY_ON_EACH_DEVICE(WorkItemsTest);

TEST_P(WorkItemsTest, IdsCountAlongThreeAxes) {
  // One text with and one without barriers, for these run differently.
  for (const char* barrier : {"", "PATCHBAY_BARRIER();"}) {
    const ModuleKernel ids = kernel(std::string(R"(
PATCHBAY_KERNEL(f)(PATCHBAY_OUTPUT(i64, out)) {
  PATCHBAY_BIND(i64, out);
  const i64 width = PATCHBAY_NUM_GROUPS(0) * PATCHBAY_GROUP_SIZE(0);
  const i64 height = PATCHBAY_NUM_GROUPS(1) * PATCHBAY_GROUP_SIZE(1);
  const i64 at = (PATCHBAY_GLOBAL_ID64(2) * height + PATCHBAY_GLOBAL_ID(1)) * width +
                 PATCHBAY_GLOBAL_ID(0);
  )") + barrier + R"(
  out[at] = PATCHBAY_GROUP_ID(0) + 10 * PATCHBAY_GROUP_ID(1) + 100 * PATCHBAY_GROUP_ID(2) +
            1000 * PATCHBAY_LOCAL_ID(0) + 10000 * PATCHBAY_LOCAL_ID(1) +
            100000 * PATCHBAY_LOCAL_ID(2);
})");
    const Tensor out = full({4, 6, 6}, -1, {device_, DType::i64});
    ids.launch({.groups = {2, 3, 2}, .group_size = {3, 2, 2}}, {out});
    const auto got = out.to_vector<std::int64_t>();
    std::size_t at = 0;
    for (int z = 0; z < 4; ++z) {
      for (int y = 0; y < 6; ++y) {
        for (int x = 0; x < 6; ++x, ++at) {
          ASSERT_EQ(got[at], x / 3 + 10 * (y / 2) + 100 * (z / 2) + 1000 * (x % 3) +
                                 10000 * (y % 2) + 100000 * (z % 2))
              << x << ' ' << y << ' ' << z;
        }
      }
    }
  }
}

constexpr const char* kReverse = R"(
PATCHBAY_KERNEL(f)(PATCHBAY_INOUT(i32, x), PATCHBAY_VALUE(i32, rounds)) {
  PATCHBAY_BIND(i32, x);
  PATCHBAY_SHARED(i32, row, 1024);
  const i32 me = PATCHBAY_LOCAL_ID(0), size = PATCHBAY_GROUP_SIZE(0);
  const i32 at = PATCHBAY_GLOBAL_ID(0);
  for (i32 round = 0; round < rounds; ++round) {
    row[me] = x[at];
    PATCHBAY_BARRIER();
    x[at] = row[size - 1 - me] + 1;
    PATCHBAY_BARRIER();
  }
}
PATCHBAY_KERNEL(without)(PATCHBAY_INOUT(i32, x)) {
  PATCHBAY_BIND(i32, x);
  x[PATCHBAY_GLOBAL_ID(0)] += 100;
})";

TEST_P(WorkItemsTest, BarriersHoldTheGroupTogether) {
  for (const std::int64_t size : {1, 2, 3, 64, 1000, 1024}) {
    const std::int64_t n = 5 * size;
    const Tensor x = arange(0, n, 1, {device_, DType::i32});
    kernel(kReverse).launch({.groups = {5}, .group_size = {size}}, {x, 3});
    kernel(kReverse, "without").launch({.groups = {5}, .group_size = {size}}, {x});
    const Ints got = x.to_vector<std::int32_t>();
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t expected = i / size * size + (size - 1 - i % size) + 103;
      ASSERT_EQ(got[static_cast<std::size_t>(i)], expected) << "group size " << size << " at " << i;
    }
  }
}

TEST_P(WorkItemsTest, MoreSharedMemoryThanADeviceHasIsRefused) {
  constexpr const char* kLarge = R"(
PATCHBAY_KERNEL(f)(PATCHBAY_OUTPUT(f32, x)) {
  PATCHBAY_BIND(f32, x);
  PATCHBAY_SHARED(f32, t, 100000000);
  t[PATCHBAY_LOCAL_ID(0)] = 1.0f;
  PATCHBAY_BARRIER();
  x[PATCHBAY_GLOBAL_ID(0)] = t[PATCHBAY_GROUP_SIZE(0) - 1];
})";
  if (device_.name() == "opencl:0") {
    EXPECT_INVALID(kernel(kLarge), "has 400000000 bytes of shared memory: expected at most");
    return;
  }
  if (!vendors_plugin(device_.name()).empty()) GTEST_SKIP() << "the simulated card has no limit";
  const Device device = Runtime(options()).device(device_.name());
  const auto module = KernelModule::from_source(device, kLarge);
  const Tensor x = empty({8}, {device, DType::f32});
  EXPECT_ERROR((module.kernel("f").launch({.group_size = {8}}, {x}), x.to_vector<float>()),
               kLaunchFailed, "kernel 'f' has more than 1048576 bytes of shared memory");
}

TEST_P(WorkItemsTest, UnevenBarriersAreAnError) {
  if (!vendors_plugin(device_.name()).empty()) GTEST_SKIP() << "drivers do not notice them";
  for (const char* condition : {"me < 3", "me > 3", "me == 7", "me != 7", "me != 0"}) {
    const Device device = Runtime(options()).device(device_.name());
    const auto fresh = KernelModule::from_source(device, std::string(R"(
PATCHBAY_KERNEL(f)(PATCHBAY_OUTPUT(i32, x)) {
  PATCHBAY_BIND(i32, x);
  const i32 me = PATCHBAY_LOCAL_ID(0);
  if ()") + condition + R"() PATCHBAY_BARRIER();
  x[me] = me;
})");
    const Tensor x = empty({8}, {device, DType::i32});
    EXPECT_ERROR((fresh.kernel("f").launch({.group_size = {8}}, {x}), x.to_vector<std::int32_t>()),
                 kLaunchFailed, "some work-items of a group reached a barrier");
  }
}

TEST_P(WorkItemsTest, AtomicsLoseNothing) {
  const ModuleKernel count = kernel(R"(
PATCHBAY_KERNEL(f)(PATCHBAY_INOUT(i32, sums), PATCHBAY_INOUT(f32, total)) {
  PATCHBAY_BIND(i32, sums);
  PATCHBAY_BIND(f32, total);
  PATCHBAY_SHARED(f32, part, 1);
  const i32 i = PATCHBAY_GLOBAL_ID(0);
  if (PATCHBAY_LOCAL_ID(0) == 0) part[0] = 0.0f;
  PATCHBAY_BARRIER();
  PATCHBAY_ATOMIC_ADD_I32(&sums[0], 1);
  PATCHBAY_ATOMIC_MIN_I32(&sums[1], -i);
  PATCHBAY_ATOMIC_MAX_I32(&sums[2], i);
  i32 seen = sums[3];
  i32 before;
  do {
    before = seen;
    seen = PATCHBAY_ATOMIC_CAS_I32(&sums[3], before, before + 2);
  } while (seen != before);
  PATCHBAY_ATOMIC_ADD_SHARED_F32(&part[0], 0.5f);
  PATCHBAY_BARRIER();
  if (PATCHBAY_LOCAL_ID(0) == 0) PATCHBAY_ATOMIC_ADD_F32(&total[0], part[0]);
})");
  const Tensor sums = zeros({4}, {device_, DType::i32}), total = zeros({1}, device_);
  count.launch({.groups = {500}, .group_size = {128}}, {sums, total});
  EXPECT_EQ(sums.to_vector<std::int32_t>(), (Ints{64000, -63999, 63999, 128000}));
  EXPECT_EQ(total.item<float>(), 32000);
}

TEST_P(WorkItemsTest, HelpersTablesAndFunctions) {
  const ModuleKernel mixed = kernel(R"(
PATCHBAY_TABLE(f32, weights, 3) = {0.25f, 0.5f, 0.25f};
typedef struct { f32 low, high; } Range;
PATCHBAY_FUNCTION f32 clamp_to(f32 x, Range range) { return fmin(fmax(x, range.low), range.high); }
PATCHBAY_FUNCTION f32 blur(PATCHBAY_GLOBAL const f32* x, i64 i, i64 n) {
  f32 sum = 0.0f;
  for (i32 k = -1; k <= 1; ++k) {
    const i64 at = i + k < 0 ? 0 : (i + k >= n ? n - 1 : i + k);
    sum += weights[k + 1] * x[at];
  }
  return sum;
}
PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y), PATCHBAY_VALUE(i64, n)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND(f32, y);
  const i64 i = PATCHBAY_GLOBAL_ID64(0);
  Range range;
  range.low = -PATCHBAY_INFINITY;
  range.high = PATCHBAY_FROM_BITS(PATCHBAY_BITS(1.0f) + 0x00800000u);
  if (i < n) y[i] = clamp_to(blur(x, i, n), range) + pow(x[i], 2.0f) + fma(x[i], 2.0f, 1.0f);
})");
  const Tensor x = floats({0, 4, 8, 4}), y = empty({4}, device_);
  mixed.launch({.group_size = {64}}, {x, y, 4});
  EXPECT_EQ(y.to_vector<float>(), (Floats{1 + 0 + 1, 2 + 16 + 9, 2 + 64 + 17, 2 + 16 + 9}));
}

TEST_P(WorkItemsTest, ExampleTextsAreRight) {
  const auto load = [&](const char* name) {
    return KernelModule::from_file(device_, example_path(name)).kernel(name);
  };
  const Tensor x = from_host(values(1000), {1000}, device_);
  const Tensor y = arange(0, 1000, 1, {DType::f32, device_}), sums = empty({4}, device_);
  const Tensor sum = x * 2.5 + y;
  load("saxpy").launch({.groups = {4}, .group_size = {256}}, {x, y, 2.5, 1000});
  EXPECT_EQ(y.to_vector<float>(), sum.to_vector<float>());
  load("block_sum").launch({.groups = {4}, .group_size = {256}}, {x, sums, 1000});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(sums[i].item<float>(),
              patchbay::sum(x.slice(0, i * 256, (i + 1) * 256)).item<float>());
  }
  const Tensor a = from_host(values(37 * 50), {37, 50}, device_);
  const Tensor b = from_host(values(50 * 21), {50, 21}, device_), c = empty({37, 21}, device_);
  load("tiled_gemm").launch({.groups = {2, 3}, .group_size = {16, 16}}, {a, b, c, 37, 21, 50});
  EXPECT_EQ(c.to_vector<float>(), matmul(a, b).to_vector<float>());  // small integers: exact
}

TEST_P(WorkItemsTest, ManyThreadsAtOnce) {
  on_threads(8, [this](int t) {
    for (int round = 0; round < 5; ++round) {
      // Half of the threads share a text, so that several ask for one that is being compiled.
      const ModuleKernel reverse = kernel("// " + std::to_string(t % 2 == 0 ? 0 : t) + kReverse);
      const Tensor x = arange(0, 6400, 1, {device_, DType::i32});
      reverse.launch({.groups = {100}, .group_size = {64}}, {x, 2});
      const Ints got = x.to_vector<std::int32_t>();
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i], static_cast<std::int32_t>(i) + 2);
      }
    }
  });
}

}  // namespace
}  // namespace patchbay::test
