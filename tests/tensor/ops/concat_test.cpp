// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors put together, taken apart and padded.
#include <patchbay/concat.h>
#include <patchbay/ops.h>

#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

class ConcatTest : public DeviceTest {
 protected:
  Tensor counted(const Shape& shape, float from = 0) const {
    return arange(from, from + static_cast<float>(num_elements(shape)), 1, device_).view(shape);
  }
  const std::string on_ = " on " + std::string(GetParam());
};
PATCHBAY_ON_EACH_DEVICE(ConcatTest);

TEST_P(ConcatTest, PutsOneAfterTheOther) {
  const Tensor a = counted({2, 2}), b = counted({1, 2}, 10), c = counted({2, 1}, 20);
  const Tensor rows = concat({a, b, a.slice(0, 1)});
  EXPECT_EQ(rows.shape(), (Shape{4, 2}));
  EXPECT_EQ(rows.to_vector<float>(), (Floats{0, 1, 2, 3, 10, 11, 2, 3}));
  EXPECT_EQ(concat({a.t(), c, c}, -1).to_vector<float>(), (Floats{0, 2, 20, 20, 1, 3, 21, 21}));
  const Tensor alone = concat({a});
  EXPECT_EQ(alone.to_vector<float>(), a.to_vector<float>());
  alone.fill_(9);  // new storage
  EXPECT_EQ(a.to_vector<float>(), (Floats{0, 1, 2, 3}));
}

TEST_P(ConcatTest, TakesEveryDtypeAndEightDimensions) {
  for (const DType dtype : {DType::f32, DType::i32, DType::i64, DType::u8, DType::boolean}) {
    const Tensor a = counted({1, 2, 1, 3, 1, 1, 2, 1}).cast(dtype);
    const Tensor both = concat({a, a.slice(3, 1)}, 3);
    EXPECT_EQ(both.shape(), (Shape{1, 2, 1, 5, 1, 1, 2, 1}));
    EXPECT_EQ(both.slice(3, 0, 3).cast(DType::f32).to_vector<float>(),
              a.cast(DType::f32).to_vector<float>());
    EXPECT_EQ(both.slice(3, 3).cast(DType::f32).to_vector<float>(),
              a.slice(3, 1).cast(DType::f32).to_vector<float>());
  }
}

TEST_P(ConcatTest, TakesNothingForAnOperand) {
  const Tensor a = counted({2, 2}), none = empty({0, 2}, device_), thin = empty({2, 0}, device_);
  EXPECT_EQ(concat({none, a, none}).to_vector<float>(), (Floats{0, 1, 2, 3}));
  EXPECT_EQ(concat({none, none}).shape(), (Shape{0, 2}));
  EXPECT_EQ(concat({thin, thin}, 0).shape(), (Shape{4, 0}));
}

TEST_P(ConcatTest, WritesIntoWhatItIsGiven) {
  const Tensor a = counted({2, 2}), out = zeros({2, 4}, device_).slice(1, 0, 4);
  const Tensor across = zeros({4, 2}, device_).t();
  EXPECT_TRUE(concat_out(out, {a, a}, 1).is_same(out));
  EXPECT_EQ(out.to_vector<float>(), (Floats{0, 1, 0, 1, 2, 3, 2, 3}));
  concat_out(across, {a, a}, 1);
  EXPECT_EQ(across.to_vector<float>(), (Floats{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_ERROR(concat_out(out, {out.slice(1, 0, 2), a}, 1), ErrorCode::kInvalidArgument,
               "[concat] out and tensors[0] overlap (out: ");
  EXPECT_ERROR(concat_out(out, {a}, 1), ErrorCode::kShapeMismatch,
               "[concat] out has the wrong shape: expected [2, 2], got [2, 4]");
}

TEST_P(ConcatTest, RefusesWhatDoesNotFit) {
  const Device other = test_device(device_ == test_device("cpu:0") ? "fake:0" : "cpu:0");
  const Tensor a = counted({2, 2}), b = counted({2, 3});
  EXPECT_ERROR(static_cast<void>(concat({a, a, b})), ErrorCode::kShapeMismatch,
               "[concat] shapes differ: expected tensors[2] of shape [2, 2] like tensors[0] but in "
               "dimension 0, got [2, 3] (tensors[0]: f32 [2, 2]" +
                   on_ + "; tensors[2]: f32 [2, 3]" + on_ + "). Reshape, pad or slice it.");
  EXPECT_ERROR(static_cast<void>(concat({a, a.view({4})})), ErrorCode::kShapeMismatch,
               "[concat] shapes differ: expected tensors[1] of shape [2, 2]");
  EXPECT_ERROR(static_cast<void>(concat({a, a, b.cast(DType::i32)}, 1)), ErrorCode::kDtypeMismatch,
               "[concat] operands have different dtypes: expected tensors[2] of f32 like "
               "tensors[0], got i32 (tensors[0]: f32 [2, 2]" +
                   on_ + "; tensors[2]: i32 [2, 3]" + on_ +
                   "). Convert it first: tensors[2].cast(DType::f32).");
  EXPECT_ERROR(static_cast<void>(concat({a, zeros({2, 2}, other)})), ErrorCode::kDeviceMismatch,
               "[concat] operands are on different devices (tensors[0]: f32 [2, 2]" + on_ +
                   "; tensors[1]: f32 [2, 2] on " + std::string(other.name()) + ")");
  EXPECT_ERROR(static_cast<void>(concat({a, Tensor()})), ErrorCode::kInvalidArgument,
               "[concat] tensors[1] is undefined. Create it first");
  EXPECT_ERROR(
      static_cast<void>(concat({})), ErrorCode::kInvalidArgument,
      "[concat] the list of tensors is empty. Pass at least one tensor; its extent may be 0.");
  EXPECT_ERROR(static_cast<void>(concat({a, a}, 2)), ErrorCode::kInvalidArgument,
               "[concat] dimension 2 is out of range: expected -2 to 1 for rank 2, got 2 "
               "(tensors[0]: f32 [");
  EXPECT_ERROR(static_cast<void>(concat({ones({}, device_)})), ErrorCode::kInvalidArgument,
               "[concat] dimension 0 is out of range: expected none for rank 0");
  const Tensor huge = ones({1}, device_).expand({INT64_MAX / 2 / 4});
  EXPECT_ERROR(static_cast<void>(concat(std::vector<Tensor>(9, huge))), ErrorCode::kOverflow,
               "[concat] too many elements: expected at most 2^63 - 1 in dimension 0, got more");
}

TEST_P(ConcatTest, StacksAlongANewDimension) {
  const Tensor a = counted({2}), b = counted({2}, 10);
  EXPECT_EQ(stack({a, b}).to_vector<float>(), (Floats{0, 1, 10, 11}));
  const Tensor columns = stack({a, b, a}, -1);
  EXPECT_EQ(columns.shape(), (Shape{2, 3}));
  EXPECT_EQ(columns.to_vector<float>(), (Floats{0, 10, 0, 1, 11, 1}));
  EXPECT_EQ(stack({a[0], b[1]}).to_vector<float>(), (Floats{0, 11}));
  EXPECT_ERROR(static_cast<void>(stack({a, counted({3})})), ErrorCode::kShapeMismatch,
               "[stack] shapes differ: expected tensors[1] of shape [2] like tensors[0], got [3]");
  EXPECT_ERROR(static_cast<void>(stack({a, b}, 2)), ErrorCode::kInvalidArgument,
               "[stack] dimension 2 is out of range: expected -2 to 1 for rank 1, got 2 "
               "(tensors[0]: f32 [2]" +
                   on_ + "). Use one of these.");
  const Tensor deep = ones({1, 1, 1, 1, 1, 1, 1, 1}, device_);
  EXPECT_ERROR(static_cast<void>(stack({deep, deep})), ErrorCode::kInvalidArgument,
               "[stack] too many dimensions: expected tensors of rank 7 at most, got 8");
}

TEST_P(ConcatTest, SplitsIntoViews) {
  const Tensor a = counted({5, 2});
  const std::vector<Tensor> pieces = split(a, 2);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[1].to_vector<float>(), (Floats{4, 5, 6, 7}));
  EXPECT_EQ(pieces[2].shape(), (Shape{1, 2}));
  pieces[0].fill_(0);
  EXPECT_EQ(a.to_vector<float>(), (Floats{0, 0, 0, 0, 4, 5, 6, 7, 8, 9}));
  const std::vector<Tensor> sized = split(a, {1, 0, 4}, 0);
  ASSERT_EQ(sized.size(), 3u);
  EXPECT_EQ(sized[1].shape(), (Shape{0, 2}));
  EXPECT_EQ(sized[2].to_vector<float>(), (Floats{0, 0, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(split(a, INT64_MAX, 1).size(), 1u);
  EXPECT_EQ(split(empty({0, 2}, device_), 3).size(), 1u);
  EXPECT_EQ(split(empty({0, 2}, device_), std::vector<std::int64_t>{}).size(), 0u);
}

TEST_P(ConcatTest, ChunksAreOfOneExtentButTheLast) {
  const Tensor a = counted({2, 7});
  const auto extents = [](const std::vector<Tensor>& pieces) {
    std::vector<std::int64_t> result;
    for (const Tensor& piece : pieces) result.push_back(piece.size(1));
    return result;
  };
  EXPECT_EQ(extents(chunk(a, 3, 1)), (std::vector<std::int64_t>{3, 3, 1}));
  EXPECT_EQ(extents(chunk(a, 5, -1)), (std::vector<std::int64_t>{2, 2, 2, 1}));
  EXPECT_EQ(extents(chunk(a, 100, 1)), (std::vector<std::int64_t>(7, 1)));
  EXPECT_EQ(chunk(a, 3, 1)[1].to_vector<float>(), (Floats{3, 4, 5, 10, 11, 12}));
}

TEST_P(ConcatTest, RefusesToSplitIntoWhatIsNotThere) {
  const Tensor a = counted({5});
  EXPECT_ERROR(static_cast<void>(split(a, 0)), ErrorCode::kInvalidArgument,
               "[split] pieces of no extent: expected a size of 1 or more, got 0 (tensor: f32 [5]" +
                   on_ + "). Choose another size.");
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{2, 2}, {2, 4}, {6, -1}, {INT64_MAX, INT64_MAX, 7}}) {
    EXPECT_ERROR(static_cast<void>(split(a, sizes)), ErrorCode::kInvalidArgument,
                 "[split] the sizes do not add up: expected extents whose sum is 5 of dimension 0, "
                 "got [" +
                     std::to_string(sizes[0]) + ", ");
  }
  EXPECT_ERROR(static_cast<void>(chunk(a, -1)), ErrorCode::kInvalidArgument,
               "[chunk] no pieces: expected a count of 1 or more, got -1 (tensor: f32 [5]" + on_ +
                   "). Choose another count.");
}

TEST_P(ConcatTest, Pads) {
  const Tensor a = counted({2, 2}, 1);
  EXPECT_EQ(pad(a, {{1, 0}, {0, 2}}, 7).to_vector<float>(),
            (Floats{7, 7, 7, 7, 1, 2, 7, 7, 3, 4, 7, 7}));
  EXPECT_EQ(pad(a.t(), {{0, 0}, {0, 0}}).to_vector<float>(), (Floats{1, 3, 2, 4}));
  EXPECT_EQ(pad(empty({0}, device_), {{1, 2}}, -1).to_vector<float>(), (Floats{-1, -1, -1}));
  EXPECT_EQ(pad(empty({0, 3}, device_), {{0, 0}, {1, 1}}).shape(), (Shape{0, 5}));
  EXPECT_EQ(pad(ones({}, device_), {}).item<float>(), 1);
  EXPECT_EQ(pad(gt(a, 2), {{0, 0}, {1, 0}}, true).to_vector<bool>(),
            (std::vector<bool>{true, false, false, true, true, true}));
}

/// Where borders are thin they are filled alone: none of it may be missed.
TEST_P(ConcatTest, PadsLargeTensorsToo) {
  const Tensor a = counted({3, 70, 500});
  for (const std::vector<Padding>& padding : {std::vector<Padding>{{0, 0}, {1, 2}, {3, 4}},
                                              {{0, 0}, {0, 0}, {0, 1}},
                                              {{0, 0}, {0, 9}, {0, 0}},
                                              {{0, 0}, {2, 3}, {0, 0}}}) {
    const Tensor padded = pad(a, padding, 0.5);
    Tensor inside = padded;
    for (int dim = 0; dim < 3; ++dim) {
      const std::int64_t begin = padding[static_cast<std::size_t>(dim)].before;
      inside = inside.slice(dim, begin, begin + a.size(dim));
    }
    EXPECT_EQ(inside.to_vector<float>(), a.to_vector<float>());
    EXPECT_EQ(sum(eq(padded, 0.5)).item<std::int64_t>(), padded.num_elements() - a.num_elements());
  }
}

TEST_P(ConcatTest, RefusesPaddingsThatAreNone) {
  const Tensor a = counted({2, 3});
  EXPECT_ERROR(static_cast<void>(pad(a, {{1, 1}})), ErrorCode::kInvalidArgument,
               "[pad] wrong number of paddings: expected 2, one for each dimension, got 1 (a: f32 "
               "[2, 3]" +
                   on_ + "). Use {0, 0} where there is to be none.");
  EXPECT_ERROR(static_cast<void>(pad(a, {{0, 1}, {2, -1}})), ErrorCode::kInvalidArgument,
               "[pad] a negative padding: expected 0 or more, got 2 and -1 in dimension 1 (a: f32 "
               "[2, 3]" +
                   on_ + "). Use slice to take elements away.");
  EXPECT_ERROR(static_cast<void>(pad(a, {{INT64_MAX, 0}, {0, 0}})), ErrorCode::kOverflow,
               "[pad] too many elements: expected at most 2^63 - 1, got more in dimension 0");
  EXPECT_ERROR(static_cast<void>(pad(a, {{INT64_MAX / 2, 0}, {0, 0}})), ErrorCode::kOverflow,
               "[pad]");
  EXPECT_ERROR(static_cast<void>(pad(a.cast(DType::u8), {{1, 1}, {1, 1}}, 256)),
               ErrorCode::kInvalidArgument, "[pad]");
}

}  // namespace
}  // namespace patchbay::test
