// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Means, norms, deviations and normalization of elements whose sums or squares leave the range of
// their dtype, against loops in a wider one.
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

class RangeTest : public DeviceTest {
 protected:
  /// A matrix of numbers that are near `size`, as f32.
  Tensor near(double size, const Shape& shape, int seed = 0) const {
    Doubles values = some_values(static_cast<std::size_t>(num_elements(shape)), seed);
    for (double& value : values) value *= size;
    return tensor_of(values, shape, DType::f32, device_);
  }
  /// The sizes that are tried, from those whose squares are 0 to the largest.
  static constexpr double kSizes[] = {1e-40, 1e-30, 1e-21, 1e-19, 1, 1e18, 1e25, 1e30, 1.5e38};
};
PATCHBAY_ON_EACH_DEVICE(RangeTest);

/// Near relative to the larger of the expected magnitude and `scale`.
void expect_within(double got, double expected, double scale, const std::string& what) {
  const auto single = static_cast<double>(static_cast<float>(expected));
  if (std::isinf(single)) {
    EXPECT_EQ(got, single) << what;
  } else {
    // The terms of the bounds add up to a few times the largest.
    EXPECT_NEAR(got, expected, 1e-5 * scale + 1e-44) << what;
  }
}

double mean_of(const Doubles& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double variance_of(const Doubles& x, int correction = 0) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / (static_cast<double>(x.size()) - correction);
}
double norm_of(const Doubles& x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

TEST_P(RangeTest, ReductionsAreThoseOfWiderSums) {
  for (const double size : kSizes) {
    for (const std::int64_t count : {3, 700, 70001}) {
      const std::string what = std::to_string(size) + " of " + std::to_string(count);
      const Tensor row = near(size, {count}), column = row.reshape({count, 1}).expand({count, 5});
      const Doubles x = values_of(row);
      for (const Tensor& a : {row, column.contiguous()}) {
        const auto first = [&](const Tensor& of) { return values_of(of)[0]; };
        expect_within(first(norm(a, 2, 0)), norm_of(x), norm_of(x), "norm " + what);
        expect_within(first(mean(a, 0)), mean_of(x), size, "mean " + what);
        const double deviation = std::sqrt(variance_of(x, 1));
        expect_within(first(stddev(a, 0)), deviation, deviation, "stddev " + what);
        expect_within(first(var(a, 0)), variance_of(x, 1), variance_of(x, 1), "var " + what);
      }
    }
  }
}

/// The partial sums leave the range; the mean does not.
TEST_P(RangeTest, MeansOfTheLargestNumbers) {
  const Tensor ones = full({1000}, 3e38, {DType::f32, device_});
  EXPECT_FLOAT_EQ(mean(ones).item<float>(), 3e38F);
  EXPECT_FLOAT_EQ(mean(-ones).item<float>(), -3e38F);
  EXPECT_EQ(mean(full({8}, INFINITY, {DType::f32, device_})).item<float>(), INFINITY);
  EXPECT_TRUE(std::isnan(mean(full({8}, NAN, {DType::f32, device_})).item<float>()));
  EXPECT_EQ(norm(full({8}, -INFINITY, {DType::f32, device_})).item<float>(), INFINITY);
  EXPECT_EQ(norm(zeros({70000}, {DType::f32, device_})).item<float>(), 0);
}

TEST_P(RangeTest, F64OnCpuDevices) {
  if (!device_.properties().f64 || device_.name().find("cpu") != 0) GTEST_SKIP();
  for (const double size : {1e-320, 1e-200, 1e200, 1e307}) {
    const Tensor a = full({100}, size, {DType::f64, device_});
    EXPECT_NEAR(norm(a).item<double>() / size, 10, 1e-6 + (size < 1e-300 ? 0.01 : 0)) << size;
    EXPECT_NEAR(mean(a).item<double>() / size, 1, 1e-6 + (size < 1e-300 ? 0.01 : 0)) << size;
  }
  const Tensor x = from_host(Doubles{1e200, -1e200, 3e200, 0}, {1, 4}, device_);
  const Doubles y = values_of(layer_norm(x, {4}));
  EXPECT_NEAR(y[2], 2.25 / std::sqrt(2.1875), 1e-12);
}

TEST_P(RangeTest, GradientsOfNormAndDeviation) {
  for (const double size : {1e-30, 1e30}) {
    const Tensor a = near(size, {300}).requires_grad_();
    const Doubles x = values_of(a.detach()), of_norm = values_of(gradients({norm(a)}, {a})[0]);
    const Doubles of_deviation = values_of(gradients({stddev(a)}, {a})[0]);
    const double deviation = std::sqrt(variance_of(x, 1));
    for (std::size_t i = 0; i < x.size(); ++i) {
      expect_within(of_norm[i], x[i] / norm_of(x), 1, "norm");
      expect_within(of_deviation[i], (x[i] - mean_of(x)) / (299 * deviation), 1, "stddev");
    }
  }
}

TEST_P(RangeTest, ClipByNorm) {
  const Tensor a = near(1e30, {300}), b = near(1e29, {20});
  Doubles all = values_of(a);
  for (const double value : values_of(b)) all.push_back(value);
  const Tensor whole = clip_by_norm({a, b}, 1);
  expect_within(whole.item<float>(), norm_of(all), norm_of(all), "norm");
  Doubles clipped = values_of(a);
  for (const double value : values_of(b)) clipped.push_back(value);
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect_within(clipped[i], all[i] / norm_of(all), 1, "clipped");
  }
}

// -------------------------------------------------------------------------- normalization ---

struct Layer {
  const char* name;
  Shape shape;
  std::function<Tensor(const Tensor&, double epsilon)> of;
  std::function<std::size_t(std::size_t element)> group;
  bool is_centered = true;
};

std::vector<Layer> layers() {
  const auto batch = [](const Tensor& x, double epsilon) {
    return batch_norm(x, {.training = true, .epsilon = epsilon});
  };
  return {{"layer_norm",
           {4, 70},
           [](const Tensor& x, double e) { return layer_norm(x, {70}, {}, {}, e); },
           [](std::size_t i) { return i / 70; }},
          {"long layer_norm",
           {2, 9000},
           [](const Tensor& x, double e) { return layer_norm(x, {9000}, {}, {}, e); },
           [](std::size_t i) { return i / 9000; }},
          {"rms_norm",
           {4, 70},
           [](const Tensor& x, double e) { return rms_norm(x, {70}, {}, e); },
           [](std::size_t i) { return i / 70; },
           false},
          {"group_norm",
           {2, 4, 35},
           [](const Tensor& x, double e) { return group_norm(x, 2, {}, {}, e); },
           [](std::size_t i) { return i / 70; }},
          {"batch_norm", {3, 4, 40}, batch, [](std::size_t i) { return i / 40 % 4; }},
          {"batch_norm of vectors", {30, 4}, batch, [](std::size_t i) { return i % 4; }}};
}

struct Normalized {
  Doubles y, gradient;
};

/// Also the gradient of sum w y.
Normalized reference(const Layer& layer, const Doubles& x, const Doubles& w, double epsilon) {
  Doubles counts, means, variances, along, across;
  const auto add = [&](Doubles& to, std::size_t i, double value) {
    if (to.size() <= layer.group(i)) to.resize(layer.group(i) + 1);
    to[layer.group(i)] += value;
  };
  for (std::size_t i = 0; i < x.size(); ++i) add(counts, i, 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    add(means, i, layer.is_centered ? x[i] / counts[layer.group(i)] : 0);
  }
  const auto deviation = [&](std::size_t i) { return x[i] - means[layer.group(i)]; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    add(variances, i, deviation(i) * deviation(i) / counts[layer.group(i)]);
  }
  const auto factor = [&](std::size_t i) {
    return 1 / std::sqrt(variances[layer.group(i)] + epsilon);
  };
  Normalized result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    result.y.push_back(deviation(i) * factor(i));
    add(along, i, layer.is_centered ? w[i] / counts[layer.group(i)] : 0);
    add(across, i, w[i] * result.y[i] / counts[layer.group(i)]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t group = layer.group(i);
    result.gradient.push_back(factor(i) * (w[i] - along[group] - result.y[i] * across[group]));
  }
  return result;
}

TEST_P(RangeTest, Normalization) {
  for (const Layer& layer : layers()) {
    for (const auto& [size, epsilon] : {std::pair(1e30, 1e-5),
                                        {1e19, 1e-5},
                                        {1.5e38, 0.0},
                                        {1.0, 1e-5},
                                        {1e-30, 1e-5},
                                        {1e-30, 0.0},
                                        {1e-21, 0.0},
                                        {1e-19, 0.0}}) {
      const std::string what =
          std::string(layer.name) + " of " + std::to_string(std::log10(size)) + ' ';
      const Tensor a = near(size, layer.shape).requires_grad_(), w = near(1, layer.shape, 5);
      const Normalized expected = reference(layer, values_of(a.detach()), values_of(w), epsilon);
      const Tensor y = layer.of(a, epsilon);
      const Doubles got = values_of(y.detach());
      const Doubles gradient = values_of(gradients({y}, {a}, {w}, {.retain_graph = true})[0]);
      const Doubles recorded =
          values_of(gradients({y}, {a}, {w}, {.create_graph = true})[0].detach());
      const double slope = 1 / std::hypot(size, std::sqrt(epsilon));
      for (std::size_t i = 0; i < got.size(); ++i) {
        expect_within(got[i], expected.y[i], size * slope, what + "at " + std::to_string(i));
        expect_within(gradient[i], expected.gradient[i], slope, what + "gradient");
        expect_within(recorded[i], expected.gradient[i], slope, what + "recorded gradient");
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// The gradients of weight and bias, by the normalized elements.
TEST_P(RangeTest, WeightsOfNormalization) {
  const Tensor x = near(1e30, {6, 50}), weight = ones({50}, {DType::f32, device_}).requires_grad_();
  const Tensor bias = zeros({50}, {DType::f32, device_}).requires_grad_();
  const Doubles got = values_of(gradients({layer_norm(x, {50}, weight, bias)}, {weight},
                                          {ones({6, 50}, {DType::f32, device_})})[0]);
  const Normalized expected = reference({"", {}, {}, [](std::size_t i) { return i / 50; }},
                                        values_of(x), Doubles(300, 1), 1e-5);
  for (std::size_t k = 0; k < 50; ++k) {
    double sum = 0;
    for (std::size_t row = 0; row < 6; ++row) sum += expected.y[row * 50 + k];
    expect_within(got[k], sum, 10, "weight");
  }
}

TEST_P(RangeTest, RunningVariances) {
  for (const Shape& shape : {Shape{30, 2}, Shape{3, 2, 40}}) {
    const Tensor mean = zeros({2}, {DType::f32, device_}), variance = ones_like(mean);
    const Tensor x = near(1e18, shape);
    static_cast<void>(
        batch_norm(x, {.running_mean = mean, .running_var = variance, .training = true}));
    EXPECT_GT(values_of(variance)[0], 1e35);
    EXPECT_LT(values_of(variance)[0], 1e36);
    static_cast<void>(batch_norm(
        near(1e30, shape), {.running_mean = mean, .running_var = variance, .training = true}));
    EXPECT_EQ(values_of(variance)[0], INFINITY);
  }
}

}  // namespace
}  // namespace patchbay::test
