// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The examples at full size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tests/gzip_files.h"
#include "examples/tests/programs.h"

namespace examples {
namespace {

TEST(DemoLong, LearnsToClassify) {
  if (!has_fashion_mnist()) GTEST_SKIP() << "the package dataset-fashion-mnist is missing";
  const TemporaryFolder folder;
  const std::string output = output_of("patchbay-demo", {"--output", folder.path().string()});
  EXPECT_GE(std::stod(value_after(output, "accuracy")), 0.9);
}

TEST(NearestNeighbourLong, ClassifiesAllImages) {
  if (!has_fashion_mnist()) GTEST_SKIP() << "the package dataset-fashion-mnist is missing";
  const std::string output = output_of("nearest_neighbour", {});
  EXPECT_EQ(value_after(output, "accuracy"), "0.8497 (8497 of 10000)");
}

TEST(SweepLong, GoesTo4096) {
  const std::string output = output_of("sweep", {"4096", "cpu:0"});
  EXPECT_THAT(output, testing::HasSubstr("\n  4096 "));
}

/// The devices that compile its kernels take minutes at first.
class TransformerLong : public OnSetting {};
TEST_P(TransformerLong, LearnsItsTextOnEachDevice) {
  const std::string output =
      output_of("transformer", {GetParam().device, "50"}, GetParam().environment);
  EXPECT_THAT(output, testing::HasSubstr("\nstep    0: loss 3."));
  EXPECT_THAT(output, testing::ContainsRegex("\nstep   50: loss [0-2]\\."));
}
INSTANTIATE_TEST_SUITE_P(On, TransformerLong, testing::ValuesIn(all_settings()), setting_name);

}  // namespace
}  // namespace examples
