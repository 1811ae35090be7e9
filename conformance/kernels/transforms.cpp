// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// fft: beside the sums of its definition. The bound is in units of epsilon times the root mean
// square of a column's sum, with which errors of factors and of butterflies grow.
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

constexpr double kUnits = 16;

/// Matrices of pairs, [b, n, m], and how they lie.
struct Problem {
  std::int64_t count, n, m;
  bool by_columns = false;  // the elements of a column are neighbours
  std::int64_t gap = 0, offset = 0;

  Layout layout() const {
    Layout layout{{count, n, m, 2}, {}, offset * 2};
    const std::int64_t inner = by_columns ? n : m, row = 2 * (inner + gap);
    const std::int64_t all = row * (by_columns ? m : n) + 2 * gap;
    layout.strides = by_columns ? Shape{all, 2, row, 1} : Shape{all, row, 2, 1};
    return layout;
  }
};

template <class T>
using Numbers = std::vector<std::complex<T>>;

/// exp(-2 pi i k / n) and its powers, exactly by the remainder.
std::complex<double> turn_of(std::int64_t k, std::int64_t n, double sign) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  return {std::cos(angle), sign * std::sin(angle)};
}

template <class T>
void check_problem(const Device& device, const Problem& problem, bool inverse, int turned,
                   double scale) {
  const auto& [count, n, m, by_columns, gap, offset] = problem;
  const Array<T> a(problem.layout(),
                   [](std::size_t i) { return static_cast<T>(ordinary_value<T>(i)); });
  Array<T> out(problem.layout());
  std::vector<Attribute> attributes;
  if (inverse) attributes.push_back({"inverse", 1});
  if (turned != 0) attributes.push_back({"turned", turned});
  const Argument target = out.to_device(device, Access::kWrite);
  run_kernel(device, "fft.1",
             {target, a.to_device(device, Access::kRead), literal_of(static_cast<T>(scale))},
             attributes);
  out.from_device(target);
  const std::string what =
      fmt::format("fft.1 of {}, {} x [{}, {}]{}{}, turned {}, gap {}, offset {}",
                  to_string(dtype_of_element<T>()), count, n, m, by_columns ? " by columns" : "",
                  inverse ? ", inverse" : "", turned, gap, offset);
  const double sign = inverse ? 1 : -1;
  for (std::int64_t b = 0; b < count; ++b) {
    for (std::int64_t j = 0; j < m; ++j) {
      const auto at = [&](const Array<T>& array, std::int64_t i) {
        const auto place = static_cast<std::size_t>(((b * n + i) * m + j) * 2);
        return std::complex<double>(static_cast<double>(array.at(place)),
                                    static_cast<double>(array.at(place + 1)));
      };
      double squares = 0;
      for (std::int64_t i = 0; i < n; ++i) squares += std::norm(at(a, i));
      const double room = kUnits * std::numeric_limits<T>::epsilon() * std::sqrt(squares) *
                          std::fabs(scale) * (1 + std::log2(static_cast<double>(n)));
      const std::int64_t step = n > 100 ? 37 : 1;  // of long ones not every result
      for (std::int64_t k = 0; k < n; k += step) {
        std::complex<double> sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += at(a, i) * turn_of(i * k, n, sign);
        if (turned == 1) sum *= turn_of(k * j, n * m, sign);
        if (turned == 2) sum *= turn_of(k * b, n * count, sign);
        expect(std::abs(at(out, k) - sum * scale) <= room,
               "{}: row {} of column {} of matrix {} differs by {}, expected at most {}", what, k,
               j, b, std::abs(at(out, k) - sum * scale), room);
      }
    }
  }
  Array<T> same(out.layout());
  for (std::size_t i = 0; i < out.size(); ++i) same.at(i) = out.at(i);
  out.expect_close_to(same, 0, what);  // the memory beside it
}

template <class T>
void check_fft(const Device& device) {
  for (const std::int64_t n :
       {1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17, 30, 34, 49, 77, 97, 169, 210, 1024}) {
    for (const bool inverse : {false, true}) {
      check_problem<T>(device, {1, n, 1}, inverse, 0, 1);
      check_problem<T>(device, {2, n, 3, inverse, 5, 3}, inverse, 0, 0.5);
    }
  }
  for (const bool by_columns : {false, true}) {
    check_problem<T>(device, {1, 12, 40, by_columns}, false, 0, 1);
    check_problem<T>(device, {3, 5, 33, by_columns, 1, 1}, true, 0, -2);
    check_problem<T>(device, {1, 4096, 2, by_columns}, false, 0, 1);
    check_problem<T>(device, {1, 2039, 2, by_columns}, true, 0, 1);
  }
}

template <class T>
void check_turned(const Device& device) {
  for (const int turned : {1, 2}) {
    for (const bool inverse : {false, true}) {
      check_problem<T>(device, {1, 8, 8}, inverse, turned, 1);
      check_problem<T>(device, {5, 12, 3, true}, inverse, turned, 2);
      check_problem<T>(device, {70, 6, 2, false, 3, 1}, inverse, turned, 1);
      check_problem<T>(device, {2, 33, 70}, inverse, turned, 1);
      check_problem<T>(device, {3, 19, 40}, inverse, turned, 1);
    }
  }
}

}  // namespace

std::vector<Check> transform_checks() {
  std::vector<Check> checks;
  add_wide(checks, "fft", PATCHBAY_OF_TYPES(check_fft));
  add_wide(checks, "fft_turned", PATCHBAY_OF_TYPES(check_turned));
  return checks;
}

}  // namespace patchbay::conformance
