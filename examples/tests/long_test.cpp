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
  EXPECT_EQ(value_after(output, "accuracy"), "0.8497 (8,497 of 10,000)");
}

TEST(SweepLong, GoesTo4096) {
  const std::string output = output_of("sweep", {"--device", "cpu:0"});
  EXPECT_THAT(output, testing::HasSubstr("\n  4096 "));
}

}  // namespace
}  // namespace examples
