// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Winograd's algorithm, which computes convolutions with kernels of 3 x 3 if the user chooses it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "support/cpu_runtime.h"

namespace patchbay::test {
namespace {

struct Sizes {
  const char* name;
  std::int64_t images, channels, height, width, filters;
  std::int64_t padding = 1, groups = 1;
};

constexpr Sizes kSizes[] = {
    {"whole tiles", 11, 32, 8, 12, 48},
    {"parts of tiles", 6, 33, 9, 14, 67},
    {"no padding", 16, 40, 11, 7, 35, 0},
    {"wide padding", 16, 32, 5, 6, 32, 2},
    {"wider than the kernel", 7, 32, 5, 6, 32, 4},
    {"smaller than a tile", 65, 36, 3, 3, 33},
    {"one result", 64, 32, 3, 3, 32, 0},
    {"more channels than a product takes", 16, 400, 6, 6, 390},
    {"groups", 8, 96, 10, 9, 192, 1, 3},
    {"one image", 1, 32, 50, 60, 32},
    {"rows in pieces", 1, 16, 5, 139, 16},
    {"a long column", 1, 17, 150, 4, 18},
    {"parts of strips for each thread", 2, 40, 16, 16, 70},
};

class Winograd : public testing::Test {
 protected:
  const Runtime& with_choice(const std::string& choice, const std::string& threads = "2") {
    const auto found = made_.find(choice + threads);
    if (found != made_.end()) return found->second;
    return made_
        .emplace(choice + threads,
                 cpu_runtime({{"cpu_convolutions", choice}, {"cpu_threads", threads}}))
        .first->second;
  }

 private:
  std::map<std::string, Runtime> made_;
};

std::vector<float> random_values(const Shape& shape, unsigned seed) {
  std::vector<float> values = rough_values(static_cast<std::size_t>(num_elements(shape)), seed);
  for (float& value : values) value -= 0.5F;
  return values;
}

/// The result, the gradient of x, and that of the weight.
std::vector<Tensor> compute(const Sizes& sizes, const Device& cpu, DType dtype, bool magnitudes) {
  const auto operand = [&](const Shape& shape, unsigned seed) {
    const Tensor values = from_host(random_values(shape, seed), shape, cpu).cast(dtype);
    return magnitudes ? abs(values) : values;
  };
  const Conv2dOptions options{.padding = sizes.padding, .groups = sizes.groups};
  const Tensor x = operand({sizes.images, sizes.channels, sizes.height, sizes.width}, 1);
  const Tensor w = operand({sizes.filters, sizes.channels / sizes.groups, 3, 3}, 2);
  x.requires_grad_();
  w.requires_grad_();
  const Tensor y = conv2d(x, w, {}, options);
  const std::vector<Tensor> slopes = gradients({y}, {x, w}, {operand(y.shape(), 3)});
  return {y.detach(), slopes[0], slopes[1]};
}

std::vector<double> wide(const Tensor& t) { return t.cast(DType::f64).to_vector<double>(); }

constexpr double kBound = 8;

/// Relative to the largest sum of the terms' magnitudes, in units in the last place: an element's
/// error is in proportion to the terms of its whole tile.
double largest_error(const Tensor& got, const Tensor& expected, const Tensor& magnitude) {
  const std::vector<double> a = wide(got), b = wide(expected), sizes = wide(magnitude);
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most / *std::max_element(sizes.begin(), sizes.end()) /
         std::numeric_limits<float>::epsilon();
}

TEST_F(Winograd, IsWithinItsBound) {
  for (const Sizes& sizes : kSizes) {
    SCOPED_TRACE(sizes.name);
    const Device chosen = with_choice("winograd").device("cpu"),
                 exact = with_choice("own").device("cpu");
    const std::vector<Tensor> got = compute(sizes, chosen, DType::f32, false),
                              expected = compute(sizes, exact, DType::f64, false),
                              size = compute(sizes, exact, DType::f64, true);
    for (const std::size_t part : {0, 1}) {
      EXPECT_LE(largest_error(got[part], expected[part], size[part]), kBound) << part;
    }
  }
}

TEST_F(Winograd, IsWithinItsBoundOnEachInstructionSet) {
  const Sizes& sizes = kSizes[1];
  const Device exact = with_choice("own").device("cpu");
  const std::vector<Tensor> expected = compute(sizes, exact, DType::f64, false),
                            size = compute(sizes, exact, DType::f64, true);
  for (const std::string simd : {"avx512", "avx2", "sse4.2"}) {
    const Runtime runtime = cpu_runtime({{"cpu_convolutions", "winograd"}, {"cpu_simd", simd}});
    const std::string got = runtime.device("cpu").properties().driver_version;
    if (got.substr(0, simd.size()) != simd) continue;  // this processor lacks it
    const std::vector<Tensor> results = compute(sizes, runtime.device("cpu"), DType::f32, false);
    for (const std::size_t part : {0, 1}) {
      EXPECT_LE(largest_error(results[part], expected[part], size[part]), kBound)
          << simd << ", " << part;
    }
  }
}

TEST_F(Winograd, WhatIsNotFiniteStaysInItsTiles) {
  constexpr std::int64_t kExtent = 40, kRow = 17, kColumn = 22;
  const Device cpu = with_choice("winograd").device("cpu");
  std::vector<float> values(32 * kExtent * kExtent, 1.0F);
  values[(2 * kExtent + kRow) * kExtent + kColumn] = INFINITY;
  const Tensor x = from_host(values, {1, 32, kExtent, kExtent}, cpu);
  const Tensor y = conv2d(x, ones({32, 32, 3, 3}, cpu), {}, {.padding = 1});
  const std::vector<bool> is_finite = isfinite(y).to_vector<bool>();
  for (std::size_t i = 0; i < is_finite.size(); ++i) {
    const std::int64_t at = static_cast<std::int64_t>(i) % (kExtent * kExtent);
    const std::int64_t distance =
        std::max(std::abs(at / kExtent - kRow), std::abs(at % kExtent - kColumn));
    const bool is_open = distance > 1 && distance <= 4;  // depends on the tile's place
    if (!is_open) {
      ASSERT_EQ(is_finite[i], distance > 4) << i;
    }
  }
}

TEST_F(Winograd, IsUsedWhereItApplies) {
  const Sizes sizes = kSizes[0];
  const std::vector<Tensor> chosen = compute(sizes, with_choice("winograd").device("cpu"),
                                             DType::f32, false),
                            usual = compute(sizes, with_choice("auto").device("cpu"), DType::f32,
                                            false);
  EXPECT_NE(wide(chosen[0]), wide(usual[0]));
  EXPECT_NE(wide(chosen[1]), wide(usual[1]));
  EXPECT_EQ(wide(chosen[2]), wide(usual[2])) << "gradients of weights are computed as usual";
}

TEST_F(Winograd, LeavesWhatItDoesNotCompute) {
  struct Other {
    const char* name;
    Shape images, weight;
    Conv2dOptions options;
    DType dtype = DType::f32;
  };
  const Other others[] = {
      {"a stride", {16, 32, 9, 9}, {32, 32, 3, 3}, {.stride = 2}},
      {"a dilation", {16, 32, 9, 9}, {32, 32, 3, 3}, {.dilation = 2}},
      {"5 x 5", {16, 32, 9, 9}, {32, 32, 5, 5}, {}},
      {"3 x 1", {16, 32, 9, 9}, {32, 32, 3, 1}, {}},
      {"few channels", {16, 8, 9, 9}, {32, 8, 3, 3}, {}},
      {"few filters", {16, 32, 9, 9}, {8, 32, 3, 3}, {}},
      {"f64", {16, 32, 9, 9}, {32, 32, 3, 3}, {}, DType::f64},
      {"few tiles", {7, 32, 9, 9}, {32, 32, 3, 3}, {}},
      {"most of the tiles outside", {99, 32, 3, 4}, {32, 32, 3, 3}, {}},
      {"more kernels than fit", {1, 1040, 24, 24}, {1040, 1040, 3, 3}, {}},
      {"no images", {0, 32, 9, 9}, {32, 32, 3, 3}, {}},
  };
  for (const Other& other : others) {
    const auto result = [&](const char* choice) {
      const Device cpu = with_choice(choice).device("cpu");
      return wide(
          conv2d(from_host(random_values(other.images, 4), other.images, cpu).cast(other.dtype),
                 from_host(random_values(other.weight, 5), other.weight, cpu).cast(other.dtype), {},
                 other.options));
    };
    EXPECT_EQ(result("winograd"), result("auto")) << other.name;
  }
}

TEST_F(Winograd, RepeatsItsBitsForAnyNumberOfThreads) {
  for (const Sizes& sizes : kSizes) {
    const std::vector<Tensor> one =
        compute(sizes, with_choice("winograd", "1").device("cpu"), DType::f32, false);
    for (const char* threads : {"2", "3", "7"}) {
      const std::vector<Tensor> several =
          compute(sizes, with_choice("winograd", threads).device("cpu"), DType::f32, false);
      for (const std::size_t part : {0, 1, 2}) {
        EXPECT_EQ(wide(several[part]), wide(one[part])) << sizes.name << ", " << threads;
      }
    }
  }
}

TEST_F(Winograd, KeepsTransformedWeightsWhileTheyStay) {
  const Device cpu = with_choice("winograd").device("cpu");
  const Tensor x = ones({16, 32, 8, 8}, cpu), weight = ones({32, 32, 3, 3}, cpu);
  for (const double value : {1.0, 2.0, 3.0}) {
    weight.fill_(value);
    for (int launch = 0; launch < 4; ++launch) {
      const std::vector<double> y = wide(conv2d(x, weight));
      for (const double element : y) ASSERT_NEAR(element, 288 * value, 1e-3 * value);
    }
  }
}

}  // namespace
}  // namespace patchbay::test
