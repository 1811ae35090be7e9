// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <sstream>
#include <type_traits>
#include <vector>

#include <patchbay/shape.h>

#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

TEST(Shape, PlacesAreChecked) {
  Shape shape{1, 2};
  EXPECT_ERROR(shape.erase(2), ErrorCode::kInvalidArgument, "from 0 to 1, got 2 (shape [1, 2])");
  EXPECT_ERROR(shape.erase(-1), ErrorCode::kInvalidArgument, "got -1");
  EXPECT_ERROR(shape.insert(3, 1), ErrorCode::kInvalidArgument, "from 0 to 2, got 3");
  shape.insert(2, 3);
  shape.erase(0);
  EXPECT_EQ(shape, (Shape{2, 3}));
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

TEST(ShapeTest, HoldsUpToEightExtents) {
  const Shape shape{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(shape.rank(), 8);
  EXPECT_EQ(shape[7], 8);
  EXPECT_EQ(num_elements(shape), 40320);
  EXPECT_ERROR((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), ErrorCode::kInvalidArgument, "at most 8, got 9");
  EXPECT_ERROR(Shape(std::vector<std::int64_t>(20, 1)), ErrorCode::kInvalidArgument, "got 20");
  EXPECT_ERROR(Shape(shape).push_back(1), ErrorCode::kInvalidArgument, "at most 8, got 9");
}

TEST(ShapeTest, TakesIntegersOfAnyType) {
  const std::vector<float> values(4);
  const unsigned two = 2;
  const char three = 3;
  EXPECT_EQ((Shape{values.size(), two, three, 5LL}), (Shape{4, 2, 3, 5}));
  EXPECT_EQ(num_elements({values.size(), 2}), 8);
  EXPECT_EQ(num_elements({values.size()}), 4);
  EXPECT_EQ(Shape(std::vector<std::size_t>{4, 2}), (Shape{4, 2}));
  EXPECT_EQ(Shape(std::vector<int>{4, 2}), (Shape{4, 2}));
  EXPECT_FALSE((std::is_constructible_v<Extent, double>));
  EXPECT_ERROR((Shape{values.size() - 5}), ErrorCode::kOverflow,
               "[shape] extent too large: expected at most 2^63 - 1, got 18446744073709551615.");
  EXPECT_ERROR(Shape(std::vector<std::size_t>{1, SIZE_MAX}), ErrorCode::kOverflow, "too large");
  EXPECT_ERROR(Shape(std::vector<std::size_t>(20, 1)), ErrorCode::kInvalidArgument, "got 20");
}

TEST(ShapeTest, InsertsAndErases) {
  Shape shape{2, 4};
  shape.insert(1, 3);
  shape.push_back(5);
  EXPECT_EQ(shape, (Shape{2, 3, 4, 5}));
  shape.erase(0);
  shape.erase(2);
  EXPECT_EQ(shape, (Shape{3, 4}));
  EXPECT_NE(shape, (Shape{3, 4, 1}));
}

TEST(ShapeTest, PrintsItsExtents) {
  std::ostringstream out;
  out << Shape{2, 3} << Shape{};
  EXPECT_EQ(out.str(), "[2, 3][]");
}

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(num_elements({}), 1);
  EXPECT_EQ(num_elements({3, 0, 5}), 0);
  EXPECT_EQ(num_elements({kHuge}), kHuge);
  EXPECT_EQ(checked_size_bytes({2, 3}, DType::f64), 48u);
  EXPECT_EQ(checked_size_bytes({0}, DType::f64), 0u);
}

TEST(ShapeTest, RefusesNegativeExtents) {
  EXPECT_ERROR(num_elements({2, -1}), ErrorCode::kInvalidArgument, "got -1 (shape [2, -1])");
  EXPECT_ERROR(num_elements({0, -1}), ErrorCode::kInvalidArgument, "negative extent");
  EXPECT_ERROR(contiguous_strides({-3}), ErrorCode::kInvalidArgument, "negative extent");
}

TEST(ShapeTest, RefusesSizesThatDoNotFit) {
  EXPECT_ERROR(num_elements({kHuge, 2}), ErrorCode::kOverflow, "[9223372036854775807, 2]");
  EXPECT_ERROR(num_elements({1 << 30, 1 << 30, 1 << 30}), ErrorCode::kOverflow,
               "too many elements");
  // Without elements, but with strides that are products of the extents.
  EXPECT_ERROR(num_elements({0, kHuge, kHuge}), ErrorCode::kOverflow, "too many elements");
  EXPECT_ERROR(checked_size_bytes({kHuge / 2}, DType::f32), ErrorCode::kOverflow, "too many bytes");
}

TEST(ShapeTest, StridesAreRowMajor) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Shape{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({2, 0, 4}), (Shape{4, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Shape{});
}

}  // namespace
}  // namespace patchbay::test
