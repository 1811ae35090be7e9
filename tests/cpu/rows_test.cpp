// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax and normalization of rows of every length, by the loops of every instruction set.
#include "conformance/reference/rows.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/cpu_runtime.h"
#include "support/patterns.h"

namespace patchbay::test {
namespace {

using namespace conformance;  // the references

using Doubles = std::vector<double>;

/// Of all elements, in f64.
struct Expected {
  Doubles result, gradient;
};
struct RowOperator {
  const char* name;
  std::function<Tensor(const Tensor&)> compute;
  std::function<Expected(const Slices& rows, const Doubles& x, const Doubles& slope)> expect;
};

template <bool kLogarithm>
Expected of_softmax(const Slices& rows, const Doubles& x, const Doubles& slope) {
  const Doubles y = values_of(softmax_terms<double>(rows, kLogarithm, elements_of(x)));
  return {y, values_of(softmax_input_terms<double>(rows, kLogarithm, elements_of(slope),
                                                   elements_of(y)))};
}

Expected of_layer_norm(const Slices& rows, const Doubles& x, const Doubles& slope) {
  const NormalizationShape shape{rows.outer, 1, rows.n, 1};
  const Normalized<double, double> all{shape,
                                       Statistics<double>(shape, elements_of(x)),
                                       1e-5,
                                       x,
                                       slope,
                                       Doubles(shape.num_weights(), 1),
                                       Doubles(shape.num_weights(), 0)};
  return {values_of(all.terms()), values_of(all.input_terms())};
}

const RowOperator kOperators[] = {
    {"softmax", [](const Tensor& x) { return softmax(x, -1); }, of_softmax<false>},
    {"log_softmax", [](const Tensor& x) { return log_softmax(x, -1); }, of_softmax<true>},
    {"layer_norm", [](const Tensor& x) { return layer_norm(x, {x.shape()[1]}); }, of_layer_norm},
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
          const Expected expected = one.expect({rows, n, 1}, xs, slopes);
          ASSERT_EQ(got.size(), expected.result.size());
          for (std::size_t i = 0; i < got.size(); ++i) {
            const std::string what = std::string(one.name) + ' ' + std::string(to_string(dtype)) +
                                     " [" + std::to_string(rows) + ", " + std::to_string(n) +
                                     "] at " + std::to_string(i);
            const double result = expected.result[i], slope_of = expected.gradient[i];
            ASSERT_NEAR(got[i], result, bound * (1 + std::fabs(result))) << what;
            // The slopes reach 4, and the sums over a row are multiplied with them.
            ASSERT_NEAR(gradient[i], slope_of,
                        bound * (16 + std::fabs(slope_of) *
                                          static_cast<double>(dtype == DType::f16 ? n : 1)))
                << "gradient of " << what;
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
