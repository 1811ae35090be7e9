// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Portable operators whose work-items pass values to each other in sub-groups of several widths.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

#include "support/patterns.h"
#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

TEST(Groups, TheWidthOfSubGroupsChangesNoBit) {
  const auto compute = [](const char* width) {
    const Runtime runtime(options({{"fake_sub_group_width", width}}));
    const Device fake = runtime.device("fake");
    EXPECT_EQ(std::to_string(fake.properties().sub_group_width), width);
    std::vector<std::vector<double>> all;
    for (const Rows& rows : kRows) {
      const Tensor a = rows_of(rows, DType::f32, fake);
      for (const Named& one : kReductions) all.push_back(doubles_of(one.reduce(a, Axes(1), false)));
      const Tensor x = a.detach().requires_grad_();
      const Tensor y = log_softmax(x, 1) + layer_norm(x, {rows.length});
      all.push_back(doubles_of(y));
      all.push_back(doubles_of(gradients({y}, {x}, {y.detach()})[0]));
    }
    // Long rows, columns and statistics, which groups share.
    const Tensor x = rows_of({3, 20011, 0}, DType::f32, fake);
    const Tensor images = x.view({3, 1, 20011});
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
  EXPECT_ERROR((void)Runtime(options({{"fake_sub_group_width", "12"}})).device("fake"),
               ErrorCode::kUnknownDevice,
               "setting fake_sub_group_width (PATCHBAY_FAKE_SUB_GROUP_WIDTH): expected a power of "
               "2 up to 64, got '12'");
}

}  // namespace
}  // namespace patchbay::test
