// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/nearest_neighbour/nearest_neighbour.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

namespace examples {
namespace {

constexpr std::int64_t kPixels = 784;
using Pixels = std::vector<std::uint8_t>;

Pixels random_pixels(std::int64_t count, int largest, std::uint32_t seed) {
  std::mt19937 generator(seed);
  Pixels pixels(static_cast<std::size_t>(count * kPixels));
  for (auto& pixel : pixels) {
    pixel = static_cast<std::uint8_t>(generator() % static_cast<unsigned>(largest + 1));
  }
  return pixels;
}

/// The definition, in whole numbers.
std::int64_t nearest_of(const Pixels& images, const std::uint8_t* image) {
  std::int64_t best = -1, best_distance = INT64_MAX;
  const auto count = static_cast<std::int64_t>(images.size()) / kPixels;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t distance = 0;
    for (std::int64_t k = 0; k < kPixels; ++k) {
      const std::int64_t d =
          std::int64_t{images[static_cast<std::size_t>(i * kPixels + k)]} - image[k];
      distance += d * d;
    }
    if (distance < best_distance) {
      best = i;
      best_distance = distance;
    }
  }
  return best;
}

void compare(const Pixels& training, const Pixels& test, std::int64_t max_batch) {
  const auto num_training = static_cast<std::int64_t>(training.size()) / kPixels;
  const auto num_test = static_cast<std::int64_t>(test.size()) / kPixels;
  const patchbay::Device cpu("cpu:0");
  const NearestNeighbour neighbours(from_host(training, {num_training, kPixels}, cpu), max_batch);
  const patchbay::Tensor images = from_host(test, {num_test, kPixels}, cpu);
  for (std::int64_t start = 0; start < num_test; start += max_batch) {
    const auto found =
        neighbours.find(images.slice(0, start, start + max_batch)).to_vector<std::int64_t>();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t row = static_cast<std::size_t>(start) + i;
      EXPECT_EQ(found[i], nearest_of(training, &test[row * kPixels])) << row;
    }
  }
}

TEST(NearestNeighbour, FindsWhatTheDefinitionFinds) {
  compare(random_pixels(700, 255, 1), random_pixels(37, 255, 2), 16);
}

TEST(NearestNeighbour, TakesTheLowestIndexOfEqualDistances) {
  // Twice the same images, and black and white ones that are often equally far.
  Pixels training = random_pixels(100, 1, 3);
  training.insert(training.end(), training.begin(), training.end());
  compare(training, random_pixels(20, 1, 4), 20);
  compare(training, training, 64);
}

TEST(NearestNeighbour, IsExactForTheLargestDistances) {
  Pixels training = random_pixels(4, 255, 5);
  training.resize(6 * kPixels, 255);
  training.resize(8 * kPixels, 0);
  Pixels test(kPixels, 0);
  test.resize(2 * kPixels, 255);
  test.back() = 254;
  compare(training, test, 1);
}

}  // namespace
}  // namespace examples
