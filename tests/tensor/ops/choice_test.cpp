// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// where and clamp: literals, edges and errors. tests/operators compares every dtype and layout with
// references.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(ChoiceTest);

TEST_P(ChoiceTest, WhereOfMoreThanOneWorkGroup) {
  const Tensor n = arange(0, 70001, 1, {DType::i32, device_}), result = where(lt(n, 35000), n, -n);
  EXPECT_EQ(sum(result).item<std::int64_t>(),
            34999LL * 35000 / 2 - (70000LL * 70001 / 2 - 34999LL * 35000 / 2));
}

TEST_P(ChoiceTest, WhereKeepsNanAndWhatIsNotChosenOut) {
  const Tensor c = from_host({true, false, true}, {3}, device_), a = floats({NAN, NAN, -0.0F});
  const auto got = where(c, a, floats({1, 2, 3})).to_vector<float>();
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(got[1], 2);
  EXPECT_TRUE(std::signbit(got[2]));
}

TEST_P(ChoiceTest, WhereWithLiterals) {
  const Tensor t = floats({-1, 2, -3});
  EXPECT_EQ(where(gt(t, 0), t, 0).to_vector<float>(), (Floats{0, 2, 0}));
  EXPECT_EQ(where(gt(t, 0), 7, t).to_vector<float>(), (Floats{-1, 7, -3}));
  const Tensor out = zeros({3}, device_);
  EXPECT_EQ(where_out(out, gt(t, 0), t, 1.5).to_vector<float>(), (Floats{1.5F, 2, 1.5F}));
  EXPECT_EQ(where_out(out, gt(t, 0), 1.5, t).to_vector<float>(), (Floats{-1, 1.5F, -3}));
  const Tensor flags = from_host({true, false}, {2}, device_);
  EXPECT_EQ(where(flags, flags, true).to_vector<bool>(), (Bools{true, true}));
}

TEST_P(ChoiceTest, WhereOfTwoLiterals) {
  const Tensor c = from_host({true, false, true}, {3}, device_);
  const Tensor ints = where(c, 1, 0), floats = where(c, 1.5, -2), mixed = where(c, 1, 0.5F);
  EXPECT_EQ(ints.device(), device_);
  EXPECT_EQ(ints.to_vector<std::int64_t>(), (Longs{1, 0, 1}));
  EXPECT_EQ(floats.to_vector<float>(), (Floats{1.5F, -2, 1.5F}));
  EXPECT_EQ(mixed.to_vector<float>(), (Floats{1, 0.5F, 1}));
  EXPECT_EQ(where(c.view({3, 1}).expand({3, 2}), INT64_MAX, 0).to_vector<std::int64_t>(),
            (Longs{INT64_MAX, INT64_MAX, 0, 0, INT64_MAX, INT64_MAX}));
  EXPECT_EQ(where(c[0], 1, 0).item<std::int64_t>(), 1);
  EXPECT_EQ(where(zeros({0}, {DType::boolean, device_}), 1, 0).dtype(), DType::i64);
  const Tensor out = zeros({3}, {DType::i32, device_}), one = zeros({}, {DType::i32, device_});
  EXPECT_EQ(where_out(out, c, 7, -7).to_vector<std::int32_t>(), (Ints{7, -7, 7}));
  const Tensor flags = zeros({3}, {DType::boolean, device_});
  EXPECT_EQ(where_out(flags, c, false, true).to_vector<bool>(), (Bools{false, true, false}));
  const Tensor yes = full({}, true, {DType::boolean, test_device("cpu:0")});
  EXPECT_EQ(where_out(one, yes, 3, 4).item<std::int32_t>(), 3);
  EXPECT_ERROR(where(ints, 1, 0), kDtypeMismatch, "the condition has the wrong");
  EXPECT_INVALID(where(c, 1e300, 0),
                 "[where] a literal takes the tensor's dtype: expected a value that f32 can hold");
  EXPECT_INVALID(where_out(out, c, 1.5, 0), "got 1.5");
}

TEST_P(ChoiceTest, WhereBroadcastsAllThree) {
  const Tensor c = from_host({true, false}, {2, 1, 1}, device_);
  const Tensor a = from_host({1.0F, 2.0F}, {2, 1}, device_), b = floats({10, 20, 30});
  const Tensor result = where(c, a, b);
  EXPECT_EQ(result.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(result.to_vector<float>(), (Floats{1, 1, 1, 2, 2, 2, 10, 20, 30, 10, 20, 30}));
  EXPECT_EQ(where(full({}, true, {DType::boolean, device_}), b, 0).to_vector<float>(),
            (Floats{10, 20, 30}));
  EXPECT_EQ(where(zeros({0, 3}, {DType::boolean, device_}), b, b).shape(), (Shape{0, 3}));
  EXPECT_EQ(where(gt(b[0], 0), b[0], b[1]).item<float>(), 10);
}

TEST_P(ChoiceTest, HostScalarsMayBeOperandsOfWhere) {
  const Device cpu = test_device("cpu:0");
  const Tensor t = floats({1, 2}), c = gt(t, 1);
  const Tensor seven = full({}, 7, cpu), yes = full({}, true, {DType::boolean, cpu});
  const std::uint64_t copies = num_copies("", "");
  const Tensor chosen = where(c, seven, t), always = where(yes, t, seven), out = zeros({}, device_);
  where_out(out, yes, seven, seven);
  // Each value that goes to another device is counted.
  EXPECT_EQ(num_copies("", "") - copies, device_ == cpu ? 0u : 6u);
  EXPECT_EQ(chosen.device(), device_);
  EXPECT_EQ(chosen.to_vector<float>(), (Floats{1, 7}));
  EXPECT_EQ(always.to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(out.item<float>(), 7);
}

TEST_P(ChoiceTest, WhereRefusesWhatDoesNotFit) {
  const Tensor t = ones({2}, device_), c = ones({2}, {DType::boolean, device_});
  EXPECT_ERROR(where(t, t, t), kDtypeMismatch, "[where] the condition",
               "expected bool, got f32 (condition: f32 [2]" + on_ + ")");
  EXPECT_ERROR(where(c, t, ones({2}, {DType::i32, device_})), kDtypeMismatch,
               "[where] operands have different dtypes: expected b of f32 like a, got i32");
  EXPECT_ERROR(where(c, t, ones({3}, device_)), kShapeMismatch,
               "[where] shapes [2] and [3] do not broadcast");
  EXPECT_ERROR(where(ones({3}, {DType::boolean, device_}), t, t), kShapeMismatch,
               "(condition: bool [3]");
  EXPECT_INVALID(where(Tensor(), t, t), "[where] condition is undefined");
  EXPECT_INVALID(where(c, t, Tensor()), "[where] b is undefined");
  EXPECT_INVALID(where(c, t.cast(DType::i32), 1.5), "got 1.5");
  EXPECT_ERROR(where_out(zeros({3}, device_), c, t, t), kShapeMismatch,
               "[where] out has the wrong shape: expected [2], got [3]");
  const Tensor long_one = ones({3}, device_);
  EXPECT_INVALID(where_out(long_one.slice(0, 1), c, long_one.slice(0, 0, 2), t),
                 "[where] out and a overlap");
}

TEST_P(ChoiceTest, WhereRefusesOtherDevices) {
  const Tensor t = ones({2}, device_), c = ones({2}, {DType::boolean, device_});
  const Tensor elsewhere = ones({2}, other_);
  EXPECT_ERROR(where(c, t, elsewhere), kDeviceMismatch,
               "[where] operands are on different devices (condition: bool [2]" + on_ +
                   "; b: f32 [2] on " + other_.name() + "). Copy b first");
  EXPECT_ERROR(where(ones({2}, {DType::boolean, other_}), t, t), kDeviceMismatch, "[where]");
  EXPECT_ERROR(where_out(elsewhere, c, t, t), kDeviceMismatch,
               "[where] operands are on different devices (out: f32 [2] on " + other_.name());
}

TEST_P(ChoiceTest, ClampOfExtremes) {
  const Tensor t = floats({NAN, INFINITY, -INFINITY, 0.5F});
  const auto got = clamp(t, -1, 1).to_vector<float>();
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(Floats(got.begin() + 1, got.end()), (Floats{1, -1, 0.5F}));
  EXPECT_EQ(clamp(t, -INFINITY).slice(0, 1).to_vector<float>(),
            (Floats{INFINITY, -INFINITY, 0.5F}));
  EXPECT_EQ(clamp(from_host({INT32_MIN, INT32_MAX}, {2}, device_), {}, 0).to_vector<std::int32_t>(),
            (Ints{INT32_MIN, 0}));
  EXPECT_EQ(clamp(zeros({0}, device_), 0, 1).num_elements(), 0);
  EXPECT_EQ(clamp(full({}, 3, device_), 0, 1).item<float>(), 1);
  const Tensor out = zeros({}, device_);
  EXPECT_EQ(clamp_out(out, full({}, 3, test_device("cpu:0")), 0, 1).item<float>(), 1);
}

TEST_P(ChoiceTest, ClampRefusesBoundsThatAreNone) {
  const Tensor t = ones({2}, device_), whole = t.cast(DType::i64);
  EXPECT_INVALID(clamp(t, 2, 1), "[clamp] low is greater than high",
                 "expected low <= high, got 2 and 1 (a: f32 [2]" + on_ + "). Swap them.");
  EXPECT_INVALID(clamp(whole, INT64_MAX, INT64_MAX - 1), "[clamp] low is greater than high");
  EXPECT_INVALID(clamp(whole, UINT64_MAX, INT64_MAX), "[clamp] low is greater than high",
                 "expected low <= high, got 18446744073709551615 and 9223372036854775807");
  EXPECT_INVALID(clamp(whole, -1, -2), "[clamp] low is greater than high");
  EXPECT_INVALID(clamp(whole, 0, -1), "[clamp] low is greater than high");
  EXPECT_INVALID(clamp(t, {}, {}), "[clamp] there is no bound", "Give low, high or both.");
  EXPECT_INVALID(clamp(t, NAN, 1), "[clamp] low is not a number");
  EXPECT_INVALID(clamp(t, 0, NAN), "[clamp] high is not a number");
  EXPECT_INVALID(clamp(whole, 0.5, 1), "got 0.5");
  EXPECT_ERROR(clamp(whole.cast(DType::boolean), 0, 1), kDtypeMismatch,
               "[clamp] is not defined for bool");
  EXPECT_ERROR(clamp_out(zeros({3}, device_), t, 0, 1), kShapeMismatch,
               "[clamp] out has the wrong shape");
  EXPECT_ERROR(clamp_out(zeros({2}, other_), t, 0, 1), kDeviceMismatch, "[clamp]");
  EXPECT_EQ(clamp(whole, 3, 3).to_vector<std::int64_t>(), (Longs{3, 3}));
}

TEST_P(ChoiceTest, ClampRefusesANumberThatReplaysMayChange) {
  const Tensor t = ones({2}, device_);
  static_cast<void>(record_graph([&](GraphRecording& recording) {
    const Scalar slot = recording.slot(1.5);
    const std::string text = "[clamp] a graph's slot can't be used here, because its value is not";
    EXPECT_INVALID(clamp(t, slot), text);
    EXPECT_INVALID(clamp(t, 0, slot), text);
    t.copy_from(t * slot);
  }));
}

}  // namespace
}  // namespace patchbay::test
