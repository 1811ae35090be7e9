// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_EXAMPLES_COMMON_FASHION_MNIST_H_
#define PATCHBAY_EXAMPLES_COMMON_FASHION_MNIST_H_

#include <cstdint>
#include <filesystem>
#include <vector>

namespace examples {

/// Pictures of clothes, 28 x 28 grey values, each of one of ten classes.
struct LabelledImages {
  static constexpr std::int64_t kPixels = 28 * 28;
  std::int64_t count = 0;
  std::vector<std::uint8_t> pixels;  // [count, kPixels]
  std::vector<std::uint8_t> labels;  // [count], 0 to 9
};

struct FashionMnist {
  LabelledImages training;
  LabelledImages test;
};

/// Where the Debian package dataset-fashion-mnist puts the files.
inline constexpr const char* kFashionMnistFolder = "/usr/share/datasets/fashion-mnist";

/// Reads the four files of a folder. Errors: as nn::read_idx, and for images and labels that do not
/// belong together; each says how to get the files.
FashionMnist load_fashion_mnist(const std::filesystem::path& folder);

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_FASHION_MNIST_H_
