// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The portable product has a form for large results and one for small ones.
#include <cstdint>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

#include "support/patterns.h"
#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

/// A part of a result, whose product takes the form for small ones, has the bits of the whole.
void expect_same_bits(const Runtime& runtime, DType dtype, bool a_by_columns, bool b_by_columns) {
  const Device cpu = runtime.device("cpu:0"), fake = runtime.device("fake");
  const auto matrix = [&](std::int64_t rows, std::int64_t columns, bool by_columns) {
    const Tensor values = (pattern({rows, columns}, 7, cpu) * 50).cast(dtype);
    return by_columns ? values.t().contiguous().to(fake).t() : values.to(fake);
  };
  const auto values_of = [&](const Tensor& result) { return doubles_of(result.to(cpu)); };
  const Tensor a = matrix(130, 70, a_by_columns), b = matrix(70, 200, b_by_columns);
  const Tensor whole = matmul(a, b).to(cpu);
  for (const std::int64_t row : {0, 17, 64, 129}) {
    EXPECT_EQ(values_of(matmul(a.slice(0, row, row + 1), b)),
              doubles_of(whole.slice(0, row, row + 1)))
        << to_string(dtype) << " row " << row;
  }
  EXPECT_EQ(values_of(matmul(a, b.slice(1, 199, 200))), doubles_of(whole.slice(1, 199, 200)))
      << to_string(dtype);
}

TEST(Products, TheFormChangesNoBit) {
  const Runtime runtime(options());
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
    expect_same_bits(runtime, dtype, false, false);
  }
  for (const bool a_by_columns : {false, true}) {
    expect_same_bits(runtime, DType::f32, a_by_columns, true);
  }
  expect_same_bits(runtime, DType::f64, true, false);
}

}  // namespace
}  // namespace patchbay::test
