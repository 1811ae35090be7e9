// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which tensors the kernels of convolutions and of pooling take.
#include "kit/windows.hpp"

#include <array>
#include <exception>
#include <string>

#include <gtest/gtest.h>

namespace patchbay {
namespace {

using Four = std::array<std::int64_t, 4>;

/// What is wrong with a tensor of rank 4, or nothing.
std::string fault_of(const Four& shape, const Four& strides, std::uint8_t rank = 4) {
  patchbay_argument tensor{};
  tensor.kind = PATCHBAY_TENSOR;
  tensor.rank = rank;
  for (std::size_t d = 0; d < 4; ++d) {
    tensor.shape[d] = shape[d];
    tensor.strides[d] = strides[d];
  }
  try {
    check_images("conv2d.1", tensor);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kFault = "conv2d.1: expected contiguous tensors of rank 4";

TEST(CheckImages, TakesContiguousTensors) {
  EXPECT_EQ(fault_of({2, 3, 4, 5}, {60, 20, 5, 1}), "");
  EXPECT_EQ(fault_of({1, 3, 1, 5}, {7, 5, -9, 1}), "") << "strides of one element say nothing";
}

TEST(CheckImages, RefusesOthers) {
  EXPECT_EQ(fault_of({2, 3, 4, 5}, {60, 20, 6, 1}), kFault);
  EXPECT_EQ(fault_of({2, 3, 4, 5}, {60, 21, 5, 1}), kFault);
  EXPECT_EQ(fault_of({2, 3, 4, 5}, {0, 20, 5, 1}), kFault);
  EXPECT_EQ(fault_of({2, 3, 4, 5}, {60, 20, 5, 2}), kFault);
  EXPECT_EQ(fault_of({2, 3, 4, 5}, {60, 20, 5, 1}, 3), kFault);
  EXPECT_EQ(fault_of({2, 0, 4, 5}, {60, 20, 5, 1}, 3), kFault);
}

TEST(CheckImages, TakesEmptyTensorsWithAnyStrides) {
  EXPECT_EQ(fault_of({2, 3, 0, 5}, {0, 7, -6, 9}), "");
  EXPECT_EQ(fault_of({0, 3, 4, 5}, {1, 1, 1, 1}), "");
}

}  // namespace
}  // namespace patchbay
