// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Datasets: their samples, their batches, and what they refuse.
#include <limits>
#include <stdexcept>

#include "data/datasets.h"

namespace patchbay::test {
namespace {

using nn::Batch;
using Floats = std::vector<float>;
using Indices = std::vector<std::int64_t>;

Device cpu() { return test_device("cpu:0"); }
Tensor counted(const Shape& shape, DType dtype = DType::f32) {
  return arange(0, num_elements(shape), 1, {dtype, cpu()}).reshape(shape);
}
Batch batch_of(const nn::Dataset& dataset, const Indices& indices) {
  return dataset.get_batch(indices);
}

TEST(TensorDatasetTest, GathersRowsOfEveryDtype) {
  for (const DType dtype : kDTypes) {
    const Tensor x = arange(0, 24, 1, {DType::i32, cpu()}).cast(dtype).reshape({4, 2, 3});
    const nn::TensorDataset dataset({x, counted({4}, DType::i64)});
    EXPECT_EQ(dataset.size(), 4);
    const Batch batch = batch_of(dataset, {2, 0, 2});
    ASSERT_EQ(batch.size(), 2u);
    EXPECT_EQ(batch[0].shape(), (Shape{3, 2, 3}));
    EXPECT_EQ(batch[0].dtype(), dtype);
    const Tensor expected = stack({x[2], x[0], x[2]});
    EXPECT_TRUE(all(eq(batch[0], expected)).item<bool>()) << dtype;
    EXPECT_EQ(batch[1].to_vector<std::int64_t>(), (Indices{2, 0, 2}));
    EXPECT_FALSE(batch[1].is_same(dataset.tensors()[1]));
  }
}

TEST(TensorDatasetTest, TakesViewsAndEmptyTensors) {
  const Tensor x = counted({3, 4}).t().slice(0, 1);  // [3, 3], neither contiguous nor at the start
  const nn::TensorDataset dataset({x, zeros({3, 0}, cpu())});
  const Batch batch = batch_of(dataset, {1, 2});
  EXPECT_EQ(batch[0].to_vector<float>(), (Floats{2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(batch[1].shape(), (Shape{2, 0}));
  EXPECT_EQ(dataset.get(0)[0].to_vector<float>(), (Floats{1, 5, 9}));
  EXPECT_EQ(nn::TensorDataset({zeros({0, 7}, cpu())}).size(), 0);
}

TEST(TensorDatasetTest, RowsAreRightWhileWorkIsPending) {
  const Tensor x = zeros({1000, 100}, cpu());
  const nn::TensorDataset dataset({x});
  x.fill_(3);
  EXPECT_EQ(batch_of(dataset, {999})[0].to_vector<float>(), Floats(100, 3));
}

TEST(TensorDatasetTest, RefusesTensorsThatDoNotFit) {
  const auto make = [](std::vector<Tensor> tensors) {
    const nn::TensorDataset dataset(std::move(tensors));
  };
  EXPECT_INVALID(make({}), "[TensorDataset] no tensors: expected at");
  EXPECT_INVALID(make({Tensor()}),
                 "[TensorDataset] tensor 0 is undefined: expected [n, ...]. Create it first.");
  EXPECT_INVALID(make({zeros({}, cpu())}),
                 "[TensorDataset] tensor 0 has no dimension of samples: expected [n, ...], got []");
  EXPECT_ERROR(make({zeros({3}, cpu()), zeros({2, 3}, cpu())}), ErrorCode::kShapeMismatch,
               "[TensorDataset] tensor 1 has another number of samples than tensor 0: expected 3, "
               "got 2 ([2, 3])");
  EXPECT_ERROR(make({zeros({3}, test_device("fake:0"))}), ErrorCode::kUnsupported,
               "[TensorDataset] the host can't address tensor 0 on fake:0. Copy it to a CPU device "
               "first: tensor.to(\"cpu\").");
  const nn::TensorDataset dataset({zeros({3}, cpu())});
  EXPECT_INVALID(batch_of(dataset, {0, 3}),
                 "[TensorDataset] no such sample: expected 0 to 2, got 3");
}

/// Samples are what the function makes of their index.
class Made : public nn::Dataset {
 public:
  explicit Made(std::function<Batch(std::int64_t)> make) : make_(std::move(make)) {}
  std::int64_t size() const override { return 4; }
  Batch get(std::int64_t index) const override { return make_(index); }

 private:
  std::function<Batch(std::int64_t)> make_;
};

TEST(DatasetTest, StacksSamples) {
  const Made dataset([](std::int64_t i) {
    return Batch{full({2}, i, cpu()), full({}, i, {DType::i64, cpu()})};
  });
  const Batch batch = batch_of(dataset, {3, 1});
  EXPECT_EQ(batch[0].to_vector<float>(), (Floats{3, 3, 1, 1}));
  EXPECT_EQ(batch[1].to_vector<std::int64_t>(), (Indices{3, 1}));
  EXPECT_EQ(batch[1].shape(), Shape{2});
}

TEST(DatasetTest, NamesTheSampleThatDiffers) {
  const auto differing = [](Batch other) {
    return Made([other](std::int64_t i) { return i == 2 ? other : Batch{zeros({2}, cpu())}; });
  };
  const auto stack_all = [&](Batch other) {
    static_cast<void>(batch_of(differing(std::move(other)), {1, 2}));
  };
  EXPECT_INVALID(
      stack_all({}),
      "[Dataset] sample 2 has another number of tensors than sample 1: expected 1, got 0");
  EXPECT_INVALID(stack_all({Tensor()}),
                 "[Dataset] tensor 0 of sample 2 is undefined: expected one with a value. Let "
                 "get() return it.");
  EXPECT_ERROR(stack_all({zeros({3}, cpu())}), ErrorCode::kShapeMismatch,
               "[Dataset] tensor 0 of sample 2 has another shape than in sample 1: expected [2], "
               "got [3]. Make the samples alike, for example with a MapDataset.");
  EXPECT_ERROR(
      stack_all({zeros({2}, {DType::i32, cpu()})}), ErrorCode::kDtypeMismatch,
      "[Dataset] tensor 0 of sample 2 has another dtype than in sample 1: expected f32, got i32");
  EXPECT_ERROR(stack_all({zeros({2}, test_device("cpu:1"))}), ErrorCode::kDeviceMismatch,
               "[Dataset] tensor 0 of sample 2 has another device than in sample 1: expected "
               "cpu:0, got cpu:1");
}

TEST(DatasetTest, NamesTheSampleThatThrows) {
  const Numbers dataset(4, [](std::int64_t i) {
    if (i == 1) throw std::runtime_error("no\nfile");
    if (i == 2) throw 2;
    if (i == 3) throw Error(ErrorCode::kIo, "[mine] as it is");
  });
  const auto get = [&](std::int64_t i) { static_cast<void>(batch_of(dataset, {0, i})); };
  EXPECT_INVALID(get(1), "[Dataset] sample 1 can't be read: no\\x0afile");
  EXPECT_INVALID(get(2),
                 "[Dataset] sample 2 can't be read: an exception that is no std::exception");
  EXPECT_ERROR(get(3), ErrorCode::kIo, "[mine] as it is");
}

TEST(DatasetTest, OthersAreMadeOfDatasets) {
  const nn::Subset odd(Numbers(6), {5, 3, 1});
  const nn::MapDataset doubled(odd, [](Batch sample) { return Batch{sample[0] * 2}; });
  const nn::ConcatDataset both({doubled, Numbers(0), std::make_shared<Numbers>(2)});
  EXPECT_EQ(both.size(), 5);
  EXPECT_EQ(numbers_of(batch_of(both, {0, 1, 2, 3, 4})), (Indices{10, 6, 2, 0, 1}));
  EXPECT_EQ(numbers_of(batch_of(odd, {2, 0})), (Indices{1, 5}));
  EXPECT_EQ(numbers_of(odd.get(1)), (Indices{3}));

  EXPECT_INVALID(nn::Subset(Numbers(6), {6}),
                 "[Subset] no such sample: expected indices below 6, got 6");
  EXPECT_INVALID(nn::Subset(Numbers(6), {-1}), "got -1");
  EXPECT_INVALID(nn::MapDataset(Numbers(6), nullptr), "[MapDataset] the function is empty");
  EXPECT_INVALID(nn::ConcatDataset({}), "[ConcatDataset] no datasets");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_ERROR(nn::ConcatDataset({Numbers(most), Numbers(1)}), ErrorCode::kOverflow,
               "[ConcatDataset] more than 2^63 - 1 samples. Join fewer datasets.");
  EXPECT_INVALID(nn::AnyDataset(std::shared_ptr<const Numbers>()),
                 "[AnyDataset] the dataset is null");
}

TEST(DatasetTest, RandomSplitsShareNoSample) {
  const std::vector<nn::Subset> parts = nn::random_split(Numbers(10), {7, 0, 3}, 5);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].size(), 0);
  Indices all = parts[0].indices();
  all.insert(all.end(), parts[2].indices().begin(), parts[2].indices().end());
  EXPECT_EQ(all, randperm(10, cpu(), Generator({5, 0})).to_vector<std::int64_t>());
  const auto split = [](std::initializer_list<std::int64_t> sizes) {
    static_cast<void>(nn::random_split(Numbers(10), sizes));
  };
  EXPECT_INVALID(
      split({7, 4}),
      "[random_split] the sizes do not add up to that of the dataset: expected 10, got 7 + 4");
  EXPECT_INVALID(split({7, 2}), "expected 10, got 7 + 2");
  EXPECT_INVALID(split({11, -1}), "expected 10, got 11 + -1");
  EXPECT_INVALID(split({-1, 11}), "[random_split] a wrong size: expected >= 0, got -1");
}

}  // namespace
}  // namespace patchbay::test
