// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What computes convolutions on the CPU: oneDNN gives the values of our own loops, wherever it can.
#include <cmath>
#include <filesystem>
#include <limits>

#include "support/cpu_runtime.h"

namespace patchbay::test {
namespace {

struct Sizes {
  const char* name;
  std::int64_t images, channels, height, width, filters, kernel;
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;

  Conv2dOptions options() const {
    return {.stride = stride, .padding = padding, .dilation = dilation, .groups = groups};
  }
  Shape weight() const { return {filters, channels / groups, kernel, kernel}; }
};

constexpr Sizes kSizes[] = {
    {"one of each", 1, 1, 1, 1, 1, 1},
    {"blocks of 16", 4, 16, 9, 11, 32, 3, 1, 1},
    {"no whole blocks", 5, 7, 10, 6, 19, 3, 1, 1},
    {"few channels", 6, 3, 21, 20, 24, 7, 2, 3},
    {"points", 4, 20, 8, 8, 40, 1},
    {"points far apart", 4, 3, 9, 9, 40, 1, 2},
    {"windows that leave a rest", 4, 17, 12, 13, 16, 4, 3},
    {"gaps", 4, 16, 13, 12, 16, 3, 2, 2, 2},
    {"groups", 4, 24, 7, 7, 48, 3, 1, 1, 1, 3},
    {"a group for each channel", 4, 32, 7, 7, 32, 3, 1, 1, 1, 32},
    {"many images", 17, 16, 6, 6, 16, 5, 1, 2},
    {"bands of rows", 4, 5, 90, 100, 6, 3, 1, 1},
    {"padding wider than the kernel", 4, 8, 6, 7, 9, 3, 1, 4},
    {"gaps without a stride", 4, 16, 13, 12, 16, 3, 1, 3, 3},
    {"more channels than a chain", 4, 100, 7, 6, 20, 3, 1, 1},
    {"many filters", 4, 16, 7, 9, 200, 3, 1, 1},
    {"bands of many channels", 4, 64, 40, 37, 17, 3, 1, 1},
};

struct Results {
  std::vector<float> forward, input, weight;
};

Results compute(const Sizes& sizes, const Device& cpu) {
  const Shape images{sizes.images, sizes.channels, sizes.height, sizes.width};
  const auto random = [&cpu](const Shape& shape, unsigned seed) {
    const auto count = static_cast<std::size_t>(num_elements(shape));
    return from_host(rough_values(count, seed), shape, cpu) - 0.5;
  };
  const Tensor x = random(images, 1).requires_grad_(),
               w = random(sizes.weight(), 2).requires_grad_();
  const Tensor y = conv2d(x, w, {}, sizes.options());
  const std::vector<Tensor> slopes = gradients({y}, {x, w}, {random(y.shape(), 3)});
  return {y.detach().to_vector<float>(), slopes[0].to_vector<float>(),
          slopes[1].to_vector<float>()};
}

/// `terms` are the products of one sum, each below 1/4.
void expect_near(const std::vector<float>& got, const std::vector<float>& expected,
                 std::int64_t terms, const std::string& what) {
  const double bound = 0.25 * static_cast<double>(terms) * std::sqrt(static_cast<double>(terms)) *
                       std::numeric_limits<float>::epsilon();
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], bound) << what << ", element " << i;
  }
}

struct Opened {
  Runtime runtime;
  std::shared_ptr<std::vector<std::string>> lines;  // of the log
};

Opened open_with(std::map<std::string, std::string> settings) {
  const auto lines = std::make_shared<std::vector<std::string>>();
  RuntimeOptions options;
  options.plugins = {"cpu-openblas"};
  options.settings = std::move(settings);
  options.settings["log"] = "info";
  options.read_environment = false;
  options.log = [lines](LogLevel, std::string_view line) { lines->emplace_back(line); };
  return {Runtime(options), lines};
}

/// The lines that say something of oneDNN.
std::vector<std::string> lines_of(const Opened& opened) {
  std::vector<std::string> found;
  for (const std::string& line : *opened.lines) {
    if (line.find("oneDNN") != std::string::npos) found.push_back(line);
  }
  return found;
}

bool has_onednn() {
  const Opened opened = open_with({{"cpu_convolutions", "onednn"}});
  (void)compute(kSizes[0], opened.runtime.device("cpu"));
  const std::vector<std::string> lines = lines_of(opened);
  return !lines.empty() && lines[0].find("convolutions by oneDNN") != std::string::npos;
}

TEST(CpuConvolutions, OneDnnGivesTheValuesOfOwnLoops) {
  if (!has_onednn()) GTEST_SKIP() << "oneDNN (libdnnl2) is not installed";
  const Runtime library = cpu_runtime({{"cpu_convolutions", "onednn"}}),
                own = cpu_runtime({{"cpu_convolutions", "own"}});
  for (const Sizes& sizes : kSizes) {
    const Results got = compute(sizes, library.device("cpu")),
                  expected = compute(sizes, own.device("cpu"));
    const std::int64_t depth = sizes.channels / sizes.groups * sizes.kernel * sizes.kernel;
    expect_near(got.forward, expected.forward, depth, sizes.name);
    expect_near(got.input, expected.input,
                sizes.filters / sizes.groups * sizes.kernel * sizes.kernel, sizes.name);
    expect_near(got.weight, expected.weight,
                static_cast<std::int64_t>(got.forward.size()) / sizes.filters, sizes.name);
  }
}

/// The gradient of a weight adds a product for each place of each image. Those of like sign show
/// what long sums lose.
TEST(CpuConvolutions, LargeImagesKeepTheBound) {
  std::vector<const char*> choices{"own", "auto"};
  if (has_onednn()) choices.push_back("onednn");
  for (const Sizes& sizes :
       {Sizes{"one channel", 4, 1, 1000, 1000, 1, 3, 1, 1},
        Sizes{"strides", 4, 3, 301, 403, 8, 5, 2, 2}, Sizes{"gaps", 4, 4, 200, 190, 4, 3, 1, 9, 4},
        Sizes{"groups", 4, 4, 130, 140, 4, 3, 1, 0, 1, 2}}) {
    const Shape images{sizes.images, sizes.channels, sizes.height, sizes.width};
    for (const char* choice : choices) {
      const Device cpu = cpu_runtime({{"cpu_convolutions", choice}}).device("cpu");
      const auto random = [&cpu](const Shape& shape, unsigned seed) {
        return from_host(rough_values(static_cast<std::size_t>(num_elements(shape)), seed), shape,
                         cpu);
      };
      for (const bool is_even : {false, true}) {
        const auto made = [&](const Shape& shape, unsigned seed) {
          return is_even ? full(shape, 0.1, {DType::f32, cpu}) : random(shape, seed);
        };
        const Tensor x = made(images, 1), w = random(sizes.weight(), 2).requires_grad_();
        const Tensor y = conv2d(x, w, {}, sizes.options());
        const Tensor grad = made(y.shape(), 3);
        const Tensor wide = w.detach().cast(DType::f64).requires_grad_();
        const Tensor wide_y = conv2d(x.cast(DType::f64), wide, {}, sizes.options());
        const auto got = gradients({y}, {w}, {grad})[0].to_vector<float>();
        const auto expected =
            gradients({wide_y}, {wide}, {grad.cast(DType::f64)})[0].to_vector<double>();
        for (std::size_t i = 0; i < got.size(); ++i) {
          // All terms are positive; the table's bound is 512 units of their sum.
          ASSERT_NEAR(got[i], expected[i], 512 * 0x1p-23 * expected[i])
              << choice << ", " << sizes.name << ", element " << i;
        }
      }
    }
  }
}

TEST(CpuConvolutions, BitsDoNotDependOnTheThreads) {
  for (const char* choice : {"auto", "own", "onednn"}) {
    const Runtime one = cpu_runtime({{"cpu_convolutions", choice}, {"cpu_threads", "1"}}),
                  three = cpu_runtime({{"cpu_convolutions", choice}, {"cpu_threads", "3"}});
    for (const Sizes& sizes :
         {kSizes[1], kSizes[2], kSizes[10], Sizes{"faster by oneDNN", 8, 32, 16, 16, 32, 3, 1, 1},
          Sizes{"bands of rows", 4, 4, 90, 100, 8, 3, 1, 1},
          Sizes{"one channel", 5, 1, 28, 28, 30, 5, 1, 2},
          Sizes{"as many filters as are summed in vectors", 6, 12, 15, 15, 64, 3}}) {
      const Results got = compute(sizes, three.device("cpu")),
                    expected = compute(sizes, one.device("cpu"));
      const std::string what = std::string(choice) + ", " + sizes.name;
      EXPECT_EQ(got.forward, expected.forward) << what;
      EXPECT_EQ(got.input, expected.input) << what;
      EXPECT_EQ(got.weight, expected.weight) << what;
    }
  }
}

TEST(CpuConvolutions, WhatIsNotFiniteStaysWhereItsWindowsAre) {
  constexpr std::int64_t kExtent = 8;
  for (const char* choice : {"own", "onednn"}) {
    const Device cpu = cpu_runtime({{"cpu_convolutions", choice}}).device("cpu");
    std::vector<float> values(4 * 16 * kExtent * kExtent, 1.0F);
    values[((16 + 2) * kExtent + 3) * kExtent + 4] = NAN;  // image 1, channel 2
    const Tensor x = from_host(values, {4, 16, kExtent, kExtent}, cpu);
    const Tensor y = conv2d(x, ones({16, 16, 3, 3}, cpu), {}, {.padding = 1});
    const std::vector<bool> is_nan = isnan(y).to_vector<bool>();
    for (std::size_t i = 0; i < is_nan.size(); ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i), column = at % kExtent,
                         row = at / kExtent % kExtent, image = at / (16 * kExtent * kExtent);
      ASSERT_EQ(is_nan[i], image == 1 && std::abs(row - 3) <= 1 && std::abs(column - 4) <= 1)
          << choice << ", element " << i;
    }
  }
}

/// Rows whose last vector reaches beyond the image, where elements of the kernel lie on the
/// padding.
TEST(CpuConvolutions, GradientsOfWeightsHaveNoProductsBeyondTheImage) {
  for (const std::int64_t extent : {3, 7, 8, 13, 20}) {
    const Device cpu = cpu_runtime({{"cpu_convolutions", "own"}}).device("cpu");
    const auto count = static_cast<std::size_t>(extent * extent);
    std::vector<float> values(2 * count, 1.0F);
    values[count - 1] = INFINITY;  // the last element of channel 0
    const Tensor x = from_host(values, {1, 2, extent, extent}, cpu);
    const Tensor w = ones({6, 2, 3, 3}, cpu).requires_grad_();
    const Tensor y = conv2d(x, w, {}, {.padding = 1});
    const std::vector<float> slopes =
        gradients({y}, {w}, {ones(y.shape(), cpu)})[0].to_vector<float>();
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      const std::int64_t column = static_cast<std::int64_t>(i % 3), row = i / 3 % 3;
      const std::int64_t places =
          (column == 1 ? extent : extent - 1) * (row == 1 ? extent : extent - 1);
      const bool is_infinite = i / 9 % 2 == 0 && row > 0 && column > 0;
      ASSERT_EQ(slopes[i], is_infinite ? INFINITY : static_cast<float>(places))
          << extent << ", element " << i;
    }
  }
}

TEST(CpuConvolutions, OneDnnStartsNoThreads) {
  if (!has_onednn()) GTEST_SKIP() << "oneDNN (libdnnl2) is not installed";
  const auto count = [] {
    std::size_t threads = 0;
    for ([[maybe_unused]] const auto& task :
         std::filesystem::directory_iterator("/proc/self/task")) {
      ++threads;
    }
    return threads;
  };
  const Runtime runtime = cpu_runtime({{"cpu_convolutions", "onednn"}, {"cpu_threads", "1"}});
  const std::size_t before = count();
  for (const Sizes& sizes : kSizes) (void)compute(sizes, runtime.device("cpu"));
  EXPECT_EQ(count(), before) << "oneDNN started threads of its own";
}

TEST(CpuConvolutions, AnAbsentLibraryIsNamedOnce) {
  const Opened opened = open_with({{"onednn_path", "/nowhere/libdnnl.so.3"}});
  for (const Sizes& sizes : {kSizes[1], kSizes[2]}) {
    const Results got = compute(sizes, opened.runtime.device("cpu"));
    const Results expected =
        compute(sizes, cpu_runtime({{"cpu_convolutions", "own"}}).device("cpu"));
    EXPECT_EQ(got.forward, expected.forward);
    EXPECT_EQ(got.weight, expected.weight);
  }
  const std::vector<std::string> lines = lines_of(opened);
  ASSERT_EQ(lines.size(), 1u);
  for (const char* part :
       {"oneDNN can't be used (/nowhere/libdnnl.so.3: cannot open shared object file",
        "), so the plugin's own loops compute convolutions. Install libdnnl2, set onednn_path, or "
        "set cpu_convolutions to own."}) {
    EXPECT_HAS(lines[0], part);
  }
}

TEST(CpuConvolutions, AnotherLibraryIsRefused) {
  const Opened opened = open_with({{"cpu_convolutions", "onednn"}, {"onednn_path", "libm.so.6"}});
  const Results got = compute(kSizes[1], opened.runtime.device("cpu"));
  EXPECT_EQ(got.forward.size(), 4u * 32 * 9 * 11);
  const std::vector<std::string> lines = lines_of(opened);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_HAS(lines[0], "oneDNN can't be used (libm.so.6: no symbol dnnl_version");
}

TEST(CpuConvolutions, OwnLoopsOpenNothing) {
  std::vector<std::map<std::string, std::string>> choices = {{{"cpu_convolutions", "own"}}};
#if defined(__x86_64__)
  choices.push_back({{"cpu_simd", "sse4.2"}});  // oneDNN would use more
#endif
  for (std::map<std::string, std::string>& settings : choices) {
    settings["onednn_path"] = "/nowhere/libdnnl.so.3";
    const Opened opened = open_with(settings);
    (void)compute(kSizes[1], opened.runtime.device("cpu"));
    EXPECT_EQ(lines_of(opened), std::vector<std::string>());
  }
}

TEST(CpuConvolutions, AnUnknownChoiceIsRefused) {
  RuntimeOptions options;
  options.plugins = {"cpu-openblas"};
  options.settings = {{"cpu_convolutions", "fast"}};
  options.read_environment = false;
  EXPECT_ERROR(Runtime(options).device("cpu"), ErrorCode::kUnknownDevice,
               "is failed: setting cpu_convolutions (PATCHBAY_CPU_CONVOLUTIONS): expected auto, "
               "own, onednn or winograd, got 'fast'");
}

}  // namespace
}  // namespace patchbay::test
