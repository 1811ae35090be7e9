// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax and normalization of rows of every length, by the loops of every instruction set.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/cpu_runtime.h"
#include "support/patterns.h"

namespace patchbay::test {
namespace {

using Doubles = std::vector<double>;

/// What computes the result, and its gradient for the slope, of one row in f64.
struct RowOperator {
  const char* name;
  std::function<Tensor(const Tensor&)> compute;
  std::function<void(const Doubles& x, const Doubles& slope, Doubles& result, Doubles& gradient)>
      expect;
};

void expect_softmax(const Doubles& x, const Doubles& slope, Doubles& result, Doubles& gradient) {
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0, weighted = 0;
  for (const double one : x) sum += std::exp(one - most);
  for (std::size_t i = 0; i < x.size(); ++i) {
    result[i] = std::exp(x[i] - most) / sum;
    weighted += slope[i] * result[i];
  }
  for (std::size_t i = 0; i < x.size(); ++i) gradient[i] = result[i] * (slope[i] - weighted);
}

void expect_log_softmax(const Doubles& x, const Doubles& slope, Doubles& result,
                        Doubles& gradient) {
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0, slopes = 0;
  for (const double one : x) sum += std::exp(one - most);
  for (const double one : slope) slopes += one;
  for (std::size_t i = 0; i < x.size(); ++i) {
    result[i] = x[i] - most - std::log(sum);
    gradient[i] = slope[i] - std::exp(result[i]) * slopes;
  }
}

void expect_layer_norm(const Doubles& x, const Doubles& slope, Doubles& result, Doubles& gradient) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, variance = 0, slopes = 0, weighted = 0;
  for (const double one : x) mean += one / n;
  for (const double one : x) variance += (one - mean) * (one - mean) / n;
  const double factor = 1 / std::sqrt(variance + 1e-5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    result[i] = (x[i] - mean) * factor;
    slopes += slope[i] / n;
    weighted += slope[i] * result[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    gradient[i] = factor * (slope[i] - slopes - result[i] * weighted);
  }
}

const RowOperator kOperators[] = {
    {"softmax", [](const Tensor& x) { return softmax(x, -1); }, expect_softmax},
    {"log_softmax", [](const Tensor& x) { return log_softmax(x, -1); }, expect_log_softmax},
    {"layer_norm", [](const Tensor& x) { return layer_norm(x, {x.shape()[1]}); },
     expect_layer_norm},
};

class CpuRows : public testing::TestWithParam<const char*> {};

TEST_P(CpuRows, AgreeWithF64) {
  std::map<std::string, std::string> settings = {{"cpu_threads", "2"}};
  if (std::string(GetParam()) != "native") settings["cpu_simd"] = GetParam();
  const Device cpu = cpu_runtime(settings).device("cpu");
  for (const DType dtype : {DType::f32, DType::f64, DType::f16}) {
    const double bound = dtype == DType::f64 ? 1e-13 : dtype == DType::f32 ? 1e-5 : 2e-2;
    for (const std::int64_t n : {1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 130, 511, 512, 513, 2100}) {
      for (const std::int64_t rows : {1, 3, 40}) {
        const auto count = static_cast<std::size_t>(n * rows);
        const auto given = [&](unsigned seed) {
          return (from_host(rough_values(count, seed), {rows, n}, cpu) * 4).cast(dtype);
        };
        const Tensor x = given(1).requires_grad_(), slope = given(2);
        const Doubles xs = doubles_of(x), slopes = doubles_of(slope);
        for (const RowOperator& one : kOperators) {
          // The deviations of very few numbers may be as small as their roundings.
          if (std::string(one.name) == "layer_norm" && n < 7) continue;
          const Tensor y = one.compute(x);
          const Doubles got = doubles_of(y), gradient = doubles_of(gradients({y}, {x}, {slope})[0]);
          const auto length = static_cast<std::ptrdiff_t>(n);
          for (std::ptrdiff_t row = 0; row < rows; ++row) {
            const auto part = [&](const Doubles& of) {
              return Doubles(of.begin() + row * length, of.begin() + (row + 1) * length);
            };
            Doubles expected(static_cast<std::size_t>(n)), expected_gradient(expected);
            one.expect(part(xs), part(slopes), expected, expected_gradient);
            const Doubles ours = part(got), our_gradient = part(gradient);
            for (std::size_t i = 0; i < expected.size(); ++i) {
              const std::string what = std::string(one.name) + ' ' + std::string(to_string(dtype)) +
                                       " [" + std::to_string(rows) + ", " + std::to_string(n) +
                                       "] row " + std::to_string(row) + " at " + std::to_string(i);
              ASSERT_NEAR(ours[i], expected[i], bound * (1 + std::fabs(expected[i]))) << what;
              // The slopes reach 4, and the sums over a row are multiplied with them.
              ASSERT_NEAR(our_gradient[i], expected_gradient[i],
                          bound * (16 + std::fabs(expected_gradient[i]) *
                                            static_cast<double>(dtype == DType::f16 ? n : 1)))
                  << "gradient of " << what;
            }
          }
        }
      }
    }
  }
}
#if defined(__x86_64__)
constexpr const char* kInstructionSets[] = {"sse4.2", "avx2", "native"};
#else
constexpr const char* kInstructionSets[] = {"native"};
#endif
INSTANTIATE_TEST_SUITE_P(, CpuRows, testing::ValuesIn(kInstructionSets), [](const auto& test) {
  std::string name = test.param;
  std::erase(name, '.');
  return name;
});

}  // namespace
}  // namespace patchbay::test
