// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The portable product has a form for large results and one for small ones.
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

// ------------------------------------------------------------------
// Portable operators whose work-items pass values to each other in sub-groups of several widths.

TEST(Groups, TheWidthOfSubGroupsChangesNoBit) {
  const auto compute = [](const char* width) {
    const Device fake = Runtime(options({{"fake_sub_group_width", width}})).device("fake");
    EXPECT_EQ(std::to_string(fake.properties().sub_group_width), width);
    std::vector<Doubles> all;
    for (const Rows& rows : kRows) {
      const Tensor a = rows_of(rows, DType::f32, fake);
      for (const NamedReduction& one : kReductions)
        all.push_back(doubles_of(one.reduce(a, Axes(1), false)));
      const Tensor x = a.detach().requires_grad_();
      const Tensor y = log_softmax(x, 1) + layer_norm(x, {rows.length});
      all.push_back(doubles_of(y));
      all.push_back(doubles_of(gradients({y}, {x}, {y.detach()})[0]));
    }
    // Long rows, columns and statistics, which groups share.
    const Tensor x = rows_of({3, 20011, 0}, DType::f32, fake), images = x.view({3, 1, 20011});
    all.push_back(doubles_of(sum(x, Axes(1), false)));
    all.push_back(doubles_of(sum(x.reshape({20011, 3}), Axes(0), false)));
    all.push_back(doubles_of(softmax(x, 1)));
    const Tensor leaf = images.detach().requires_grad_();
    const Tensor normal = batch_norm(leaf, {.training = true});
    all.push_back(doubles_of(normal));
    all.push_back(doubles_of(gradients({normal}, {leaf}, {images})[0]));
    return all;
  };
  const auto expected = compute("1");
  for (const char* width : {"2", "32", "64"}) EXPECT_EQ(compute(width), expected) << width;
}

TEST(Groups, AWidthThatIsNoPowerOfTwoIsRefused) {
  EXPECT_ERROR(Runtime(options({{"fake_sub_group_width", "12"}})).device("fake"), kUnknownDevice,
               "setting fake_sub_group_width (PATCHBAY_FAKE_SUB_GROUP_WIDTH): expected a power of "
               "2 up to 64, got '12'");
}

}  // namespace
}  // namespace patchbay::test
