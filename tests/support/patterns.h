// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors of many sizes whose values are the same everywhere, and their comparison.
#ifndef PATCHBAY_TESTS_SUPPORT_PATTERNS_H_
#define PATCHBAY_TESTS_SUPPORT_PATTERNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

namespace patchbay::test {

/// Values in (-1, 1) that are the same everywhere.
inline Tensor pattern(const Shape& shape, std::uint64_t seed, const Device& device) {
  std::vector<float> values(static_cast<std::size_t>(num_elements(shape)));
  std::uint64_t state = seed;
  for (float& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(static_cast<std::int32_t>(state >> 33)) / 0x1p30F - 1.0F;
  }
  return from_host(values, shape, device);
}

inline std::vector<double> doubles_of(const Tensor& tensor) {
  return tensor.detach().cast(DType::f64).to_vector<double>();
}

/// No element may differ by more than `bound`. `expected` may be on another device.
inline void expect_near(const Tensor& got, const Tensor& expected, double bound,
                        const std::string& what) {
  const std::vector<double> ours = doubles_of(got), theirs = doubles_of(expected);
  ASSERT_EQ(ours.size(), theirs.size()) << what;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_NEAR(ours[i], theirs[i], bound) << what << ", element " << i;
  }
}

/// Rows of several lengths. Skipping the first elements moves the rows to other addresses.
struct Rows {
  std::int64_t count, length, skipped;
};
inline constexpr Rows kRows[] = {{1, 1, 0},      {70, 3, 0},   {9, 33, 1},
                                 {5, 1024, 0},   {3, 1025, 3}, {2, 40'000, 0},
                                 {2, 20'001, 1}, {400, 70, 0}, {3000, 17, 0}};

inline Tensor rows_of(const Rows& rows, DType dtype, const Device& device) {
  const Tensor all = pattern({rows.count * rows.length + rows.skipped}, 7, device);
  const Tensor scaled = dtype == DType::f32 ? all : (all * 100).cast(dtype);
  return scaled.slice(0, rows.skipped).view({rows.count, rows.length});
}

using Reduction = Tensor (*)(const Tensor&, const Axes&, bool);
struct NamedReduction {
  const char* name;
  Reduction reduce;
};
inline constexpr NamedReduction kReductions[] = {
    {"sum", sum}, {"max", max}, {"argmin", argmin}, {"min", min}};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_PATTERNS_H_
