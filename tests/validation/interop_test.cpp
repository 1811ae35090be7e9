// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the application lends: no misuse is found in it that is none.
#include "kernels/kernels.h"
#include "validation/validated.h"

namespace patchbay::test {
namespace {

class ValidatedContexts : public ValidationTest {};
INSTANTIATE_TEST_SUITE_P(, ValidatedContexts, testing::Values("opencl:0", "cuda:0"),
                         device_test_name);

TEST_P(ValidatedContexts, OfTheApplicationAreSeen) {
  adopt_context(device_, native_context(test_device(GetParam())).value);
  {
    const Tensor x = ones({100}, device_);
    EXPECT_EQ((x + 1).to_vector<float>(), Floats(100, 2));
    EXPECT_EQ(validation_report(runtime_).live.size(), 1u);
  }
  EXPECT_EQ(num_findings(), 0u);
}

}  // namespace
}  // namespace patchbay::test
