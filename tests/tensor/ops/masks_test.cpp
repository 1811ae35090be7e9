// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Triangles, identities, ranges, classes as vectors, and whether elements hold.
#include "support/device_test.h"
#include "tensor/ops/functions.h"

namespace patchbay::test {
namespace {

Bytes bytes_of(const Tensor& a) { return a.cast(DType::u8).to_vector<std::uint8_t>(); }

PATCHBAY_DEVICE_TESTS(MasksTest);

TEST_P(MasksTest, Triangles) {
  const Tensor a = arange(1, 13, 1, device_).view({3, 4});
  EXPECT_EQ(tril(a).to_vector<std::int64_t>(), (Longs{1, 0, 0, 0, 5, 6, 0, 0, 9, 10, 11, 0}));
  EXPECT_EQ(tril(a, -1).to_vector<std::int64_t>(), (Longs{0, 0, 0, 0, 5, 0, 0, 0, 9, 10, 0, 0}));
  EXPECT_EQ(tril(a, 2).to_vector<std::int64_t>(), (Longs{1, 2, 3, 0, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(triu(a).to_vector<std::int64_t>(), (Longs{1, 2, 3, 4, 0, 6, 7, 8, 0, 0, 11, 12}));
  EXPECT_EQ(triu(a, 3).to_vector<std::int64_t>(), (Longs{0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(triu(a, -9).to_vector<std::int64_t>(), a.to_vector<std::int64_t>());
  EXPECT_EQ(triu(a, INT64_MAX).to_vector<std::int64_t>(), Longs(12, 0));
  EXPECT_EQ(tril(a, INT64_MAX).to_vector<std::int64_t>(), a.to_vector<std::int64_t>());
  EXPECT_EQ(tril(a, INT64_MIN).to_vector<std::int64_t>(), Longs(12, 0));
  const Tensor batch = ones({2, 2, 2}, {DType::boolean, device_});
  EXPECT_EQ(bytes_of(tril(batch)), (Bytes{1, 0, 1, 1, 1, 0, 1, 1}));
  EXPECT_EQ(triu(zeros({0, 3}, device_)).shape(), (Shape{0, 3}));
  // 0 takes the place of what is left out, whatever that is.
  expect_values(tril(full({2, 2}, NAN, device_)), {NAN, 0, NAN, NAN});
  EXPECT_ERROR(tril(zeros({3}, device_)), kShapeMismatch, "[tril]", "rank 2 or more, got 1");
  EXPECT_INVALID(triu(Tensor()), "[triu] a is undefined");
}

TEST_P(MasksTest, Identities) {
  expect_values(eye(2, device_), {1, 0, 0, 1});
  expect_values(eye(2, 3, device_), {1, 0, 0, 0, 1, 0});
  expect_values(eye(3, 1, device_), {1, 0, 0});
  EXPECT_EQ(eye(2, {DType::i32, device_}).to_vector<std::int32_t>(), (Ints{1, 0, 0, 1}));
  EXPECT_EQ(eye(0, device_).shape(), (Shape{0, 0}));
  EXPECT_EQ(eye(2, 0, device_).shape(), (Shape{2, 0}));
  EXPECT_INVALID(eye(-1, device_), "[eye]");
}

TEST_P(MasksTest, Ranges) {
  expect_values(linspace(0, 1, 5, device_), {0, 0.25F, 0.5F, 0.75F, 1});
  expect_values(linspace(3, -3, 3, device_), {3, 0, -3});
  expect_values(linspace(7, 9, 1, device_), {7});
  EXPECT_EQ(linspace(0, 1, 0, device_).shape(), Shape{0});
  EXPECT_ERROR(linspace(0, 1, std::int64_t{1} << 62, {DType::f16, device_}), kOverflow,
               "[linspace] too many bytes: expected at most 2^63 - 1 in f32, in which f16 is "
               "computed, got 4611686018427387904 elements. Use a smaller count.");
  for (const int count : {10, 1000, 12345}) {
    const Floats values = linspace(-0.1, 0.7, count, device_).to_vector<float>();
    EXPECT_EQ(values.front(), -0.1F);
    EXPECT_EQ(values.back(), 0.7F) << "exactly the end";
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double exact = -0.1 + 0.8 * static_cast<double>(i) / (count - 1);
      EXPECT_NEAR(values[i], exact, 1.2e-7) << i;
    }
  }
  if (device_.properties().f16) {
    const Floats values =
        linspace(0, 100, 1001, {DType::f16, device_}).cast(DType::f32).to_vector<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], 0.1 * static_cast<double>(i), 0.05) << i;
    }
  }
  EXPECT_INVALID(linspace(0, 1, -1, device_), "[linspace]",
                 "expected finite numbers at distances that f32 can hold and a count of 0 or more");
  EXPECT_INVALID(linspace(0, INFINITY, 3, device_), "[linspace] no such range");
  EXPECT_ERROR(linspace(0, 1, 3, {DType::i64, device_}), kDtypeMismatch,
               "[linspace] is not defined for i64");
}

TEST_P(MasksTest, ClassesAsVectors) {
  const Tensor classes = from_host<std::int64_t>({2, 0, 1, 2}, {2, 2}, device_);
  const Longs expected = {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_EQ(one_hot(classes, 3).to_vector<std::int64_t>(), expected);
  EXPECT_EQ(one_hot(classes, 3).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(one_hot(classes.cast(DType::i32), 3).to_vector<std::int64_t>(), expected);
  EXPECT_EQ(one_hot(zeros({0}, {DType::i64, device_}), 3).shape(), (Shape{0, 3}));
  EXPECT_EQ(one_hot(from_host<std::int64_t>({1}, {}, device_), 2).to_vector<std::int64_t>(),
            (Longs{0, 1}));
  EXPECT_INVALID(one_hot(classes, 0), "[one_hot] no classes");
  EXPECT_ERROR(one_hot(zeros({2}, device_), 3), kDtypeMismatch,
               "[one_hot] index has the wrong dtype: expected i64 or i32, got f32");
  EXPECT_ERROR(one_hot(zeros({1, 1, 1, 1, 1, 1, 1, 1}, {DType::i64, device_}), 3), kShapeMismatch,
               "[one_hot] too many dimensions");
  EXPECT_ERROR(one_hot(zeros({1}, {DType::i64, device_}), std::int64_t{1} << 62), kOverflow,
               "[one_hot] too many bytes");
  if (device_ == test_device("cpu:0")) {
    EXPECT_INVALID(one_hot(classes, 2),
                   "[one_hot] index 2 at [0, 0] is out of range: expected 0 to 1 for dimension 2");
    EXPECT_INVALID(one_hot(classes[0][0], 2), "[one_hot] index 2 at [] is out of range",
                   "expected 0 to 1 for dimension 0, got 2");
  }
}

TEST_P(MasksTest, AnyAndAll) {
  const Tensor a = from_host({0.0F, 1.0F, NAN, 2.0F, 0.0F, -0.0F}, {3, 2}, device_);
  EXPECT_EQ(bytes_of(any(a, 1)), (Bytes{1, 1, 0}));
  EXPECT_EQ(bytes_of(all(a, 1)), (Bytes{0, 1, 0}));
  EXPECT_EQ(bytes_of(any(a)), Bytes{1});
  EXPECT_EQ(bytes_of(all(a)), Bytes{0});
  EXPECT_EQ(any(a, 0, true).shape(), (Shape{1, 2}));
  EXPECT_EQ(any(a).dtype(), DType::boolean);
  const Tensor flags = from_host({true, false, true, true}, {2, 2}, device_);
  EXPECT_EQ(bytes_of(all(flags, 1)), (Bytes{0, 1}));
  EXPECT_EQ(bytes_of(any(flags.cast(DType::u8), 0)), (Bytes{1, 1}));
  const Tensor none = zeros({2, 0}, device_);
  EXPECT_EQ(bytes_of(any(none, 1)), (Bytes{0, 0}));
  EXPECT_EQ(bytes_of(all(none, 1)), (Bytes{1, 1}));
  EXPECT_EQ(any(none, 0).shape(), Shape{0});
  EXPECT_INVALID(any(a, 2), "[any] dimension 2");
  EXPECT_INVALID(all(Tensor()), "[all] a is undefined");
}

}  // namespace
}  // namespace patchbay::test
