// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elements chosen by index. tests/operators compares every dtype and layout with loops.
#include <random>

#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

class IndexingTest : public DeviceTest {
 protected:
  Tensor floats(const Floats& values, const Shape& shape) const {
    return from_host(values, shape, device_);
  }
  Tensor longs(const Longs& values, const Shape& shape) const {
    return from_host(values, shape, device_);
  }
  Tensor longs(const Longs& values) const {
    return longs(values, {static_cast<std::int64_t>(values.size())});
  }
  bool tells_at_the_call() const { return device_.properties().completes_inline; }
};
PATCHBAY_ON_EACH_DEVICE(IndexingTest);

TEST_P(IndexingTest, GathersElements) {
  const Tensor a = floats({0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_EQ(gather(a, 1, longs({2, 0, 0, 1}, {2, 2})).to_vector<float>(), (Floats{2, 0, 3, 4}));
  EXPECT_EQ(gather(a, -2, longs({1, 0}, {1, 2})).to_vector<float>(), (Floats{3, 1}));
  EXPECT_EQ(gather(a, 0, longs({1, 0}, {1, 2}).cast(DType::i32)).to_vector<float>(),
            (Floats{3, 1}));
  EXPECT_EQ(gather(a, 0, longs({}, {0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(gather(a, 0, longs({}, {5, 0})).shape(), (Shape{5, 0}));
}

TEST_P(IndexingTest, SelectsSlices) {
  const Tensor a = floats({0, 1, 2, 3, 4, 5}, {2, 3}), index = longs({1, 1, 0});
  EXPECT_EQ(index_select(a, 0, index).to_vector<float>(), (Floats{3, 4, 5, 3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(index_select(a, 1, index).to_vector<float>(), (Floats{1, 1, 0, 4, 4, 3}));
  EXPECT_EQ(index_select(a.t(), 1, index).to_vector<float>(), (Floats{3, 3, 0, 4, 4, 1, 5, 5, 2}));
  EXPECT_EQ(index_select(a, 0, longs({})).shape(), (Shape{0, 3}));
  const Tensor out = empty({3, 4}, device_).slice(1, 0, 3);
  index_select_out(out, a, 0, index);
  EXPECT_EQ(out.to_vector<float>(), (Floats{3, 4, 5, 3, 4, 5, 0, 1, 2}));
}

TEST_P(IndexingTest, TakesEightDimensions) {
  const Shape shape{2, 1, 3, 1, 2, 1, 2, 2};
  const Tensor a = arange(0.0, 48, 1, device_).view(shape).transpose(0, 6).transpose(2, 7);
  const Tensor chosen = index_select(a, 2, longs({1, 0, 1}));
  for (const std::int64_t i : {0, 1, 2}) {
    EXPECT_EQ(chosen.select(2, i).to_vector<float>(),
              a.select(2, i == 1 ? 0 : 1).to_vector<float>());
  }
  const Tensor sums = index_add(zeros(a.shape(), device_), 2, longs({1, 0, 1}), chosen);
  EXPECT_EQ(sums.select(2, 1).to_vector<float>(), (2 * a.select(2, 1)).to_vector<float>());
  EXPECT_EQ(sums.select(2, 0).to_vector<float>(), a.select(2, 0).to_vector<float>());
}

TEST_P(IndexingTest, AddsWhereTheIndexSays) {
  const Tensor a = floats({10, 20, 30, 40}, {2, 2}), index = longs({1, 0, 1, 1, 0, 1}, {3, 2});
  const Tensor source = floats({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(scatter_add(a, 0, index, source).to_vector<float>(), (Floats{15, 22, 34, 50}));
  EXPECT_EQ(a.to_vector<float>(), (Floats{10, 20, 30, 40}));
  const Tensor rows = index_add(a, 1, longs({1, 1}), floats({1, 2, 3, 4}, {2, 2}));
  EXPECT_EQ(rows.to_vector<float>(), (Floats{10, 23, 30, 47}));
  EXPECT_EQ(scatter_add(a, 0, longs({}, {0, 2}), floats({}, {0, 2})).to_vector<float>(),
            (Floats{10, 20, 30, 40}));
}

TEST_P(IndexingTest, AddsInPlace) {
  const Tensor a = floats({10, 20, 30, 40}, {2, 2}), out = zeros({2, 2}, device_);
  const Tensor index = longs({0, 0}), source = floats({1, 2, 3, 4}, {2, 2});
  EXPECT_TRUE(index_add_out(out, a, 0, index, source).is_same(out));
  EXPECT_EQ(out.to_vector<float>(), (Floats{14, 26, 30, 40}));
  index_add_out(a.t(), a.t(), 1, index, source.t());
  EXPECT_EQ(a.to_vector<float>(), (Floats{14, 26, 30, 40}));
  EXPECT_INVALID(index_add_out(a, a.t(), 0, index, source),
                 "[index_add] out and a overlap in part (out: ");
  EXPECT_INVALID(index_add_out(a, a, 0, index, a), "[index_add] out and source overlap (out: ");
  const Tensor places = longs({0, 1});
  EXPECT_INVALID(gather_out(places, places, 0, places), "[gather] out and index overlap (out: ");
}

TEST_P(IndexingTest, EmbedsIndicesOfAnyShape) {
  const Tensor weight = floats({0, 1, 10, 11, 20, 21}, {3, 2}), index = longs({2, 0, 1, 2}, {2, 2});
  const Tensor rows = embedding(weight, index.t());
  EXPECT_EQ(rows.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(rows.to_vector<float>(), (Floats{20, 21, 10, 11, 0, 1, 20, 21}));
  EXPECT_EQ(embedding(weight, index[0][0]).to_vector<float>(), (Floats{20, 21}));
  EXPECT_EQ(embedding(weight, longs({}, {4, 0})).shape(), (Shape{4, 0, 2}));
}

/// As in training: few rows of many are named, some of them often.
TEST_P(IndexingTest, EmbeddingsGradientAddsUpRepeatedRows) {
  const Tensor weight = zeros({50, 3}, device_).requires_grad_();
  Longs tokens;
  Floats counts(150, 0.0F);
  std::mt19937 engine(7);
  for (int i = 0; i < 400; ++i) {
    tokens.push_back(static_cast<std::int64_t>(engine() % 10 * 5));
    for (int k = 0; k < 3; ++k) counts[static_cast<std::size_t>(tokens.back() * 3 + k)] += 1;
  }
  sum(embedding(weight, longs(tokens, {20, 20}))).backward();
  EXPECT_EQ(weight.grad().to_vector<float>(), counts);
}

TEST_P(IndexingTest, FillsWhereTheMaskIsTrue) {
  const Tensor a = floats({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(masked_fill(a, from_host({true, false}, {2}, device_), -1).to_vector<float>(),
            (Floats{-1, 2, -1, 4}));
}

TEST_P(IndexingTest, AnIndexOutOfRangeIsFollowedNowhere) {
  const Tensor all = floats({-1, -2, 0, 1, 2, 3, 4, 5, -3, -4}, {5, 2});
  const Tensor a = all.slice(0, 1, 4), out = zeros({2, 2}, device_);
  const Tensor index = longs({2, 3}), low = longs({0, 0, -1, 1}, {2, 2});
  if (tells_at_the_call()) {
    const std::string on = " (" + std::string(GetParam()) + ")";
    EXPECT_INVALID(index_select(a, 0, index), "[index_select] index 3 at [1] is out of range",
                   "expected 0 to 2 for dimension 0, got 3" + on);
    EXPECT_INVALID(gather_out(out, a, 1, low), "[gather] index -1 at [1, 0] is out of range",
                   "expected 0 to 1 for dimension 1, got -1" + on);
    EXPECT_INVALID(scatter_add_out(all, all, 1, low.cast(DType::i32), out),
                   "[scatter_add] index -1 at [1, 0] is out of range");
    EXPECT_INVALID(index_add(a, 0, longs({7, 7}), out),
                   "[index_add] index 7 at [0] is out of range");
    EXPECT_INVALID(embedding(a, low), "[embedding] index -1 at [2] is out of range");
    EXPECT_EQ(out.to_vector<float>(), (Floats{0, 0, 0, 0}));
  } else {
    const Floats rows = index_select(a, 0, index).to_vector<float>();
    EXPECT_EQ((Floats{rows[0], rows[1]}), (Floats{4, 5}));
    EXPECT_TRUE(std::isnan(rows[2]) && std::isnan(rows[3]));
    EXPECT_EQ(gather(a.cast(DType::i32), 0, low).to_vector<std::int32_t>(), (Ints{0, 1, 0, 3}));
    const Tensor source = floats({1, 2, 3, 4}, {2, 2});
    EXPECT_EQ(index_add(a, 0, index, source).to_vector<float>(), (Floats{0, 1, 2, 3, 5, 7}));
    index_add_out(a, a, 0, longs({INT64_MAX, INT64_MIN}), source);
  }
  EXPECT_EQ(all.to_vector<float>(), (Floats{-1, -2, 0, 1, 2, 3, 4, 5, -3, -4}));
}

TEST_P(IndexingTest, RefusesWhatDoesNotFit) {
  const Tensor a = zeros({3, 2}, device_), index = longs({0, 1});
  const std::string a_text = "(a: f32 [3, 2]" + on_ + "; index: ";
  EXPECT_ERROR(gather(a, 0, index), kShapeMismatch, "[gather] index",
               "expected the rank of a and, but in dimension 0, no larger extents, got [2] " +
                   a_text + "i64 [2]" + on_);
  EXPECT_ERROR(gather(a, 0, zeros({1, 3}, {DType::i64, device_})), kShapeMismatch,
               "no larger extents, got [1, 3]");
  EXPECT_ERROR(index_select(a, 0, longs({0, 1}, {1, 2})), kShapeMismatch, "[index_select] index",
               "expected rank 1, got [1, 2] " + a_text + "i64 [1, 2]" + on_ +
                   "). Flatten it with reshape({-1}), or use gather for an index of each element.");
  EXPECT_ERROR(index_select(a, 0, index.cast(DType::f32)), kDtypeMismatch, "[index_select] index",
               "expected i64 or i32, got f32 (index: f32 [2]" + on_ +
                   "). Convert it first: index.cast(DType::i64).");
  EXPECT_ERROR(index_select(a, 0, zeros({2}, {DType::i64, other_})), kDeviceMismatch,
               "[index_select] operands are on different devices (a: f32 ");
  EXPECT_INVALID(index_select(a, 2, index),
                 "[index_select] dimension 2 is out of range: expected -2 to 1 for rank 2, got 2");
  EXPECT_INVALID(index_select(a.slice(0, 0, 0), 0, index),
                 "[index_select] dimension 0 has no elements to index (a: f32 [0, 2]" + on_ +
                     "; index: i64 [2]" + on_ + "). Use an index of extent 0, or another tensor.");
  EXPECT_ERROR(index_add(a, 0, index, zeros({3, 2}, device_)), kShapeMismatch, "[index_add] source",
               "expected [2, 2], an element for each index, got [3, 2]");
  EXPECT_ERROR(index_add(a, 0, index, zeros({2, 2}, {DType::i32, device_})), kDtypeMismatch,
               "[index_add]", "expected source of f32 like a, got i32");
  const Tensor flags = gt(a, 0);
  EXPECT_ERROR(index_add(flags, 0, index, flags.slice(0, 0, 2)), kDtypeMismatch,
               "[index_add] is not defined",
               "one of f32, f64, f16, bf16, i32, i64, u8, c64, c128, got bool");
  EXPECT_ERROR(embedding(a[0], index), kShapeMismatch, "[embedding] no table of rows",
               "a weight of rank 2 and an index of rank 7 at most, got 1 and 1 (weight: f32 [2]" +
                   on_ + "; index: i64 [2]" + on_ + "). Reshape them.");
  EXPECT_INVALID(gather(a, 0, Tensor()), "[gather] index is undefined");
  const Tensor wide = zeros({1}, device_).expand({INT64_MAX / 8, 1});
  EXPECT_ERROR(index_select(wide, 1, zeros({9}, {DType::i64, device_})), kOverflow,
               "[index_select]");
}

/// Without elements there is nothing to look up or add, but the index is checked as ever.
TEST_P(IndexingTest, AnIndexOfSlicesWithoutElementsIsChecked) {
  const Tensor a = zeros({0, 3}, device_), index = longs({2, 3}), good = longs({2, 0});
  EXPECT_EQ(index_select(a, 1, good).shape(), (Shape{0, 2}));
  EXPECT_EQ(index_select(a, 1, longs({})).shape(), (Shape{0, 0}));
  EXPECT_EQ(index_add(a, 1, good, zeros({0, 2}, device_)).shape(), (Shape{0, 3}));
  EXPECT_EQ(embedding(zeros({3, 0}, device_), good).shape(), (Shape{2, 0}));
  const Tensor sums = zeros({0, 3}, device_), source = zeros({0, 2}, device_);
  if (!tells_at_the_call()) {
    EXPECT_EQ(index_select(a, 1, index).shape(), (Shape{0, 2}));
    index_add_out(sums, sums, 1, index, source);
    return;
  }
  const std::string outside = "index 3 at [1] is out of range: expected 0 to 2 for dimension 1";
  EXPECT_INVALID(index_select(a, 1, index), "[index_select] " + outside);
  EXPECT_INVALID(index_select_out(source, a, 1, index.cast(DType::i32)),
                 "[index_select] " + outside);
  EXPECT_INVALID(index_add(a, 1, index, source), "[index_add] " + outside);
  EXPECT_INVALID(index_add_out(sums, sums, 1, index, source), "[index_add] " + outside);
  const Tensor half = zeros({0, 3}, {DType::f16, device_});
  EXPECT_INVALID(
      index_add(half, 1, longs({5, 9, -1}).slice(0, 0, 3, 2), zeros({0, 2}, {DType::f16, device_})),
      "[index_add] index 5 at [0] is out of range");
  EXPECT_INVALID(embedding(zeros({3, 0}, device_), longs({0, 1, 2, 7}, {2, 2})),
                 "[embedding] index 7 at [3] is out of range");
}

/// On a stream that queues, the CPU's failure comes later and names the launch.
TEST(IndexingOnStreams, AnIndexOutOfRangeFailsTheLaunch) {
  const Device device = test_device("cpu:0");
  const Tensor a = ones({3}, device), index = from_host(Longs{5}, {1}, device);
  const Stream stream(device);
  const Tensor found = on_stream(stream, [&] { return index_select(a, 0, index); });
  EXPECT_ERROR(found.to_vector<float>(), kLaunchFailed,
               "index 5 at [0] is out of range: expected 0 to 2 for dimension 0, got 5");
  EXPECT_EQ(index_select(a, 0, zeros({1}, {DType::i64, device})).to_vector<float>(), (Floats{1}));
}

/// The same bits, whatever the number of threads.
TEST(IndexingThreads, AddInTheOrderOfTheIndex) {
  const auto sums = [](const char* threads, const Shape& shape) {
    RuntimeOptions options = device_options();
    options.settings["cpu_threads"] = threads;
    const Device device = Runtime(options).device("cpu:0");
    const std::int64_t width = shape[1], count = 40000 / width;
    std::mt19937 engine(3);
    Floats values(static_cast<std::size_t>(count * width));
    for (float& value : values) value = std::normal_distribution<float>()(engine);
    Longs index(static_cast<std::size_t>(count));
    for (auto& one : index) one = static_cast<std::int64_t>(engine()) % shape[0];
    return index_add(zeros(shape, device), 0, from_host(index, {count}, device),
                     from_host(values, {count, width}, device))
        .to_vector<float>();
  };
  for (const Shape& shape : {Shape{7, 1}, Shape{100, 2}, Shape{13, 100}, Shape{5, 1000}}) {
    const Floats alone = sums("1", shape);
    EXPECT_EQ(sums("2", shape), alone) << shape;
    EXPECT_EQ(sums("5", shape), alone) << shape;
  }
}

}  // namespace
}  // namespace patchbay::test
