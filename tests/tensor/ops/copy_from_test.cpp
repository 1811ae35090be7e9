// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(CopyFromTest);

TEST_P(CopyFromTest, ToIsTheSameTensorWhereItIsAlready) {
  const Tensor t = ones({2, 3}, device_);
  EXPECT_TRUE(t.to(device_).is_same(t));
  const Tensor copy = t.to(device_, {.copy = true});
  EXPECT_FALSE(copy.buffer() == t.buffer());
  EXPECT_EQ(copy.to_vector<float>(), t.to_vector<float>());
}

TEST_P(CopyFromTest, GuardsComeBeforeAnythingIsAllocatedOrPacked) {
  const Tensor source = ones({300, 500}, device_).t(), destination = zeros({500, 300}, other_);
  const std::uint64_t there = other_.memory().live_blocks, here = device_.memory().live_blocks;
  const CopyGuard guard(CopyGuard::Mode::kForbid);
  EXPECT_ERROR(source.to(other_), kCopyForbidden, "[to]");
  EXPECT_ERROR(destination.copy_from(source), kCopyForbidden, "[copy_from]");
  EXPECT_ERROR(from_host<float>({1}, {1}, other_), kCopyForbidden, "[from_host]");
  EXPECT_EQ(other_.memory().live_blocks, there);
  EXPECT_EQ(device_.memory().live_blocks, here);
}

TEST_P(CopyFromTest, ValuesThatTheHostCantHoldAreAnError) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end a process that asks for too much memory";
  const Tensor huge = ones({1}, device_).expand({std::int64_t{1} << 50});
  EXPECT_ERROR(huge.to_vector<float>(), kOutOfMemory, "[to_vector] out of host");
  EXPECT_ERROR(huge.to_vector<int>(), kDtypeMismatch, "[to_vector]");
  EXPECT_ERROR(huge.to_vector<bool>(), kDtypeMismatch, "[to_vector]");
  EXPECT_ERROR(show(huge, {.max_elements = INT64_MAX}), kOutOfMemory,
               "[show] out of host memory: requested 4503599627370496 bytes");
  EXPECT_INVALID(Tensor().to_vector<float>(), "[to_vector]");
}

TEST_P(CopyFromTest, ToIsOneCountedCopy) {
  const char* const places[] = {"cpu:0", "cpu:1", "fake:0", "fake:1"};
  const Floats values = small_values<float>(12, 1);
  const Tensor source = laid_out(Layout::kTransposed, values, {4, 3}, device_);
  for (const char* place : places) {
    const Device target = test_device(place);
    if (target == device_) continue;
    const std::uint64_t before = num_copies(device_.name(), place);
    const Tensor there = source.to(target);
    EXPECT_EQ(num_copies(device_.name(), place), before + 1) << place;
    EXPECT_EQ(there.device(), target);
    EXPECT_EQ(there.to_vector<float>(), values) << place;
    EXPECT_TRUE(there.to(target).is_same(there));
  }
}

TEST_P(CopyFromTest, NonBlockingCopiesNeverYieldStaleData) {
  for (int i = 0; i < 20; ++i) {
    Tensor source = full({1000}, i, device_);
    const Tensor there = source.to(other_, {.non_blocking = true});
    source = Tensor();  // kept by the copy
    EXPECT_EQ(there.slice(0, 990).to_vector<float>(), Floats(10, static_cast<float>(i)));
  }
}

TEST_P(CopyFromTest, EmptyTensorsMove) {
  const Tensor none = zeros({0, 3}, device_).to(test_device("fake:1"));
  EXPECT_EQ(none.shape(), (Shape{0, 3}));
  zeros({0, 3}, device_).copy_from(none);
  EXPECT_TRUE(zeros({2, 0}, device_).clone().to_vector<float>().empty());
}

TEST_P(CopyFromTest, WritesIntoStorageOfAnyLayout) {
  const Floats values = small_values<float>(24, 2);
  for (const Layout from : kLayouts) {
    for (const Layout to : kLayouts) {
      const Tensor source = laid_out(from, values, {2, 3, 4}, device_);
      const Tensor target = empty_in(to, {2, 3, 4}, DType::f32, device_);
      EXPECT_TRUE(target.copy_from(source).is_same(target));
      EXPECT_EQ(target.to_vector<float>(), values) << from << " to " << to;
    }
  }
}

TEST_P(CopyFromTest, WritesAcrossDevicesLayoutsAndDtypes) {
  const auto values = small_values<std::int32_t>(24, 3);
  const Floats expected(values.begin(), values.end());
  for (const char* place : {"cpu:0", "cpu:1", "fake:0", "fake:1"}) {
    for (const Layout layout : kLayouts) {
      const Tensor source = laid_out(layout, values, {2, 3, 4}, device_);
      const Tensor target = empty_in(layout, {2, 3, 4}, DType::f32, test_device(place));
      target.copy_from(source);
      EXPECT_EQ(target.to_vector<float>(), expected) << place << ' ' << layout;
    }
  }
}

TEST_P(CopyFromTest, AGuardForbidsMovementAndNothingElse) {
  const Tensor t = ones({2, 3}, device_), there = zeros({2, 3}, other_);
  const std::uint64_t blocks = other_.memory().live_blocks;
  const CopyGuard guard;
  EXPECT_ERROR(t.to(other_), kCopyForbidden, "[to] copy of 24 bytes");
  EXPECT_ERROR(there.copy_from(t), kCopyForbidden, "[copy_from]");
  EXPECT_ERROR(t[0][0].item<float>(), kCopyForbidden, "[item]");
  EXPECT_EQ(other_.memory().live_blocks, blocks);
  static_cast<void>((t.t() + 1).clone());
  EXPECT_TRUE(t.to(device_).is_same(t));
}

TEST_P(CopyFromTest, LeavesWhatIsBesideTheViewAlone) {
  const Tensor t = zeros({3, 4}, device_);
  t.slice(1, 1, 4, 2).copy_from(ones({3, 2}, test_device("fake:1")));
  EXPECT_EQ(t.to_vector<float>(), (Floats{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST_P(CopyFromTest, ErrorsLeaveTheDestinationAsItWas) {
  const Tensor t = ones({2, 3}, device_);
  EXPECT_ERROR(t.copy_from(zeros({3, 2}, device_)), kShapeMismatch,
               "[copy_from] shapes differ: expected a source of shape [2, 3], got [3, 2]");
  EXPECT_INVALID(t.copy_from(Tensor()), "source is undefined");
  EXPECT_INVALID(Tensor().copy_from(t), "destination is undefined");
  EXPECT_INVALID(t.slice(1, 0, 2).copy_from(t.slice(1, 1)), "destination and source overlap");
  EXPECT_INVALID(t[0].unsqueeze(0).expand({2, 3}).copy_from(zeros({2, 3}, device_)),
                 "[copy_from] destination repeats elements");
  t.copy_from(t);  // the very same elements
  EXPECT_EQ(t.to_vector<float>(), Floats(6, 1));
}

TEST_P(CopyFromTest, CastConvertsOnTheDevice) {
  const float largest = std::numeric_limits<float>::max();
  const Tensor t =
      from_host({1.9F, -1.9F, 0.0F, NAN, largest, -largest, INFINITY, 300.0F}, {8}, device_);
  const std::uint64_t before = num_copies(device_.name(), device_.name());
  EXPECT_EQ(t.cast(DType::i32).to_vector<std::int32_t>(),
            (Ints{1, -1, 0, 0, INT32_MAX, INT32_MIN, INT32_MAX, 300}));
  EXPECT_EQ(t.cast(DType::i64).to_vector<std::int64_t>(),
            (Longs{1, -1, 0, 0, INT64_MAX, INT64_MIN, INT64_MAX, 300}));
  EXPECT_EQ(t.cast(DType::u8).to_vector<std::uint8_t>(), (Bytes{1, 0, 0, 0, 255, 0, 255, 255}));
  EXPECT_EQ(t.cast(DType::boolean).to_vector<bool>(),
            (Bools{true, true, false, true, true, true, true, true}));
  EXPECT_TRUE(t.cast(DType::f32).is_same(t));
  EXPECT_EQ(num_copies(device_.name(), device_.name()), before);
}

TEST_P(CopyFromTest, CastsOfViews) {
  const auto values = small_values<double>(15, 4);
  for (const Layout layout : kLayouts) {
    const Tensor t = laid_out(layout, values, {3, 5}, device_);
    EXPECT_EQ(t.cast(DType::f32).to_vector<float>(), Floats(values.begin(), values.end()))
        << layout;
  }
  const Tensor flags = from_host({true, false, true, true}, {4}, device_);
  EXPECT_EQ(flags.slice(0, 1).cast(DType::i64).to_vector<std::int64_t>(), (Longs{0, 1, 1}));
}

TEST(CopyFromHostTest, DtypesThatOneSideLacksAreConvertedOnTheOther) {
  const Runtime runtime(options({{"fake_f64", "0"}}));
  const Tensor narrow = ones({3}, runtime.device("fake:0"));
  const Tensor wide = zeros({3}, {DType::f64, runtime.device("cpu:0")});
  wide.copy_from(narrow);
  EXPECT_EQ(wide.to_vector<double>(), Doubles(3, 1));
  narrow.copy_from(full({3}, 2, {DType::f64, runtime.device("cpu:0")}));
  EXPECT_EQ(narrow.to_vector<float>(), Floats(3, 2));
}

TEST(CopyFromHostTest, TensorsOfTwoRuntimesDoNotMix) {
  const Runtime runtime(options());
  const Tensor mine = ones({2}, test_device("cpu:0")), other = ones({2}, runtime.device("cpu:0"));
  EXPECT_ERROR(mine.copy_from(other), kDeviceMismatch, "two runtimes");
  EXPECT_ERROR(mine.to(runtime.device("fake:0")), kDeviceMismatch, "to_vector and from_host");
}

TEST(CopyFromHostTest, MemoryLentTwiceIsSeenToOverlap) {
  std::array<float, 4> memory{1, 2, 3, 4};
  const Device cpu = test_device("cpu:0");
  const Tensor first = wrap_host(memory.data(), DType::f32, {3}, cpu);
  const Tensor second = wrap_host(memory.data() + 1, DType::f32, {3}, cpu);
  EXPECT_INVALID(first.copy_from(second), "overlap");
  const Tensor t = zeros({4}, cpu), alias = wrap_host(t.data<float>(), DType::f32, {3}, cpu);
  EXPECT_INVALID(alias.copy_from(t.slice(0, 1)), "overlap");
}

}  // namespace
}  // namespace patchbay::test
