// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// For programs whose tests also run with PATCHBAY_VALIDATE=1: fails if validation finds anything.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class NothingIsFound : public testing::Environment {
 public:
  void TearDown() override {
    const ValidationReport report = validation_report(test_runtime());
    EXPECT_EQ(report.num_findings, 0u) << report.to_text();
  }
};

const testing::Environment* const registered =
    testing::AddGlobalTestEnvironment(new NothingIsFound);

}  // namespace
}  // namespace patchbay::test
