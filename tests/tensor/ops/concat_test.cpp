// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors put together, taken apart and padded.
#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

class ConcatTest : public DeviceTest {
 protected:
  Tensor counted(const Shape& shape, float from = 0) const {
    return arange(from, from + static_cast<float>(num_elements(shape)), 1, device_).view(shape);
  }
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
  EXPECT_INVALID(concat_out(out, {out.slice(1, 0, 2), a}, 1),
                 "[concat] out and tensors[0] overlap (out: ");
  EXPECT_ERROR(concat_out(out, {a}, 1), kShapeMismatch,
               "[concat] out has the wrong shape: expected [2, 2], got [2, 4]");
}

TEST_P(ConcatTest, RefusesWhatDoesNotFit) {
  const Tensor a = counted({2, 2}), b = counted({2, 3});
  EXPECT_ERROR(concat({a, a, b}), kShapeMismatch,
               "[concat] shapes differ: expected tensors[2] of shape [2, 2] like tensors[0] but in "
               "dimension 0, got [2, 3] (tensors[0]: f32 [2, 2]" +
                   on_ + "; tensors[2]: f32 [2, 3]" + on_ + "). Reshape, pad or slice it.");
  EXPECT_ERROR(concat({a, a.view({4})}), kShapeMismatch, "[concat]", "tensors[1] of shape [2, 2]");
  EXPECT_ERROR(concat({a, a, b.cast(DType::i32)}, 1), kDtypeMismatch, "[concat]",
               "expected tensors[2] of f32 like tensors[0], got i32 (tensors[0]: f32 [2, 2]" + on_ +
                   "; tensors[2]: i32 [2, 3]" + on_ +
                   "). Convert it first: tensors[2].cast(DType::f32).");
  EXPECT_ERROR(concat({a, zeros({2, 2}, other_)}), kDeviceMismatch,
               "[concat] operands are on different devices (tensors[0]: f32 [2, 2]" + on_ +
                   "; tensors[1]: f32 [2, 2] on " + std::string(other_.name()) + ")");
  EXPECT_INVALID(concat({a, Tensor()}), "[concat] tensors[1] is undefined");
  EXPECT_INVALID(
      concat({}),
      "[concat] the list of tensors is empty. Pass at least one tensor; its extent may be 0.");
  EXPECT_INVALID(concat({a, a}, 2), "[concat] dimension 2 is out of range",
                 "expected -2 to 1 for rank 2, got 2 (tensors[0]: f32 [");
  EXPECT_INVALID(concat({ones({}, device_)}), "[concat] dimension 0", "expected none for rank 0");
  const Tensor huge = ones({1}, device_).expand({INT64_MAX / 2 / 4});
  EXPECT_ERROR(concat(std::vector<Tensor>(9, huge)), kOverflow,
               "[concat] too many elements: expected at most 2^63 - 1 in dimension 0, got more");
}

TEST_P(ConcatTest, StacksAlongANewDimension) {
  const Tensor a = counted({2}), b = counted({2}, 10);
  EXPECT_EQ(stack({a, b}).to_vector<float>(), (Floats{0, 1, 10, 11}));
  const Tensor columns = stack({a, b, a}, -1);
  EXPECT_EQ(columns.shape(), (Shape{2, 3}));
  EXPECT_EQ(columns.to_vector<float>(), (Floats{0, 10, 0, 1, 11, 1}));
  EXPECT_EQ(stack({a[0], b[1]}).to_vector<float>(), (Floats{0, 11}));
  EXPECT_ERROR(stack({a, counted({3})}), kShapeMismatch,
               "[stack] shapes differ: expected tensors[1] of shape [2] like tensors[0], got [3]");
  EXPECT_INVALID(stack({a, b}, 2), "[stack] dimension 2 is out of range",
                 "-2 to 1 for rank 1, got 2 (tensors[0]: f32 [2]" + on_ + "). Use one of these.");
  const Tensor deep = ones({1, 1, 1, 1, 1, 1, 1, 1}, device_);
  EXPECT_INVALID(stack({deep, deep}), "[stack] too many", "tensors of rank 7 at most, got 8");
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
  EXPECT_EQ(split(empty({0, 2}, device_), Longs{}).size(), 0u);
}

TEST_P(ConcatTest, ChunksAreOfOneExtentButTheLast) {
  const Tensor a = counted({2, 7});
  const auto extents = [](const std::vector<Tensor>& pieces) {
    Longs result;
    for (const Tensor& piece : pieces) result.push_back(piece.size(1));
    return result;
  };
  EXPECT_EQ(extents(chunk(a, 3, 1)), (Longs{3, 3, 1}));
  EXPECT_EQ(extents(chunk(a, 5, -1)), (Longs{2, 2, 2, 1}));
  EXPECT_EQ(extents(chunk(a, 100, 1)), (Longs(7, 1)));
  EXPECT_EQ(chunk(a, 3, 1)[1].to_vector<float>(), (Floats{3, 4, 5, 10, 11, 12}));
}

TEST_P(ConcatTest, RefusesToSplitIntoWhatIsNotThere) {
  const Tensor a = counted({5});
  EXPECT_INVALID(split(a, 0), "[split] pieces of no extent",
                 "a size of 1 or more, got 0 (tensor: f32 [5]" + on_ + "). Choose another size.");
  for (const Longs& sizes : {Longs{2, 2}, {2, 4}, {6, -1}, {INT64_MAX, INT64_MAX, 7}}) {
    EXPECT_INVALID(
        split(a, sizes), "[split] the sizes do not add up",
        "expected extents whose sum is 5 of dimension 0, got [" + std::to_string(sizes[0]) + ", ");
  }
  EXPECT_INVALID(chunk(a, -1), "[chunk]", "a count of 1 or more, got -1 (tensor: f32 [5]" + on_);
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
            (Bools{true, false, false, true, true, true}));
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
  EXPECT_INVALID(pad(a, {{1, 1}}), "[pad] wrong number of paddings",
                 "expected 2, one for each dimension, got 1 (a: f32 [2, 3]" + on_ +
                     "). Use {0, 0} where there is to be none.");
  EXPECT_INVALID(pad(a, {{0, 1}, {2, -1}}), "[pad]",
                 "expected 0 or more, got 2 and -1 in dimension 1 (a: f32 [2, 3]" + on_);
  EXPECT_ERROR(pad(a, {{INT64_MAX, 0}, {0, 0}}), kOverflow,
               "[pad] too many elements: expected at most 2^63 - 1, got more in dimension 0");
  EXPECT_ERROR(pad(a, {{INT64_MAX / 2, 0}, {0, 0}}), kOverflow, "[pad]");
  EXPECT_INVALID(pad(a.cast(DType::u8), {{1, 1}, {1, 1}}, 256), "[pad]");
}

}  // namespace
}  // namespace patchbay::test
