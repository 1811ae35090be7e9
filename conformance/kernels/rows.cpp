// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax and normalization, and their adjoints. Results are compared relative to the magnitudes of
// their terms.
#include "conformance/reference/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

/// Each element must be within so many units of its scale, and the memory beside them unchanged.
template <class T>
void expect_near(const Array<T>& got, const Terms<Exact<T>>& terms, double ulps,
                 const std::string& what) {
  Array<T> expected(got.layout());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto value = static_cast<double>(terms[i].value);
    const auto scale = static_cast<double>(terms[i].scale);
    const double room = room_for<T>(value, scale, ulps);
    const double distance = std::fabs(static_cast<double>(got.at(i)) - value);
    const bool both_nan = std::isnan(value) && got.at(i) != got.at(i);
    const bool is_same = static_cast<double>(got.at(i)) == value;
    if (both_nan || is_same || distance <= room)
      expected.at(i) = got.at(i);
    else
      expected.at(i) = static_cast<T>(value);
  }
  got.expect_close_to(expected, 0, what);
}

template <class T>
Array<T> integers(const Layout& layout, std::uint64_t seed) {
  return Array<T>(layout, [=](std::size_t i) { return small_integer<T>(i + seed); });
}

// ------------------------------------------------------------------------------- softmax ---

Layout layout_of(const Slices& one) { return contiguous({one.outer, one.n, one.inner}, 3); }
std::string name_of(const Slices& one) {
  return fmt::format("[{}, {}, {}]", one.outer, one.n, one.inner);
}

std::vector<Slices> slices() {
  return {{3, 7, 1}, {2, 1000, 1}, {1, 9001, 1}, {90, 10, 1}, {1, 1, 1},
          {2, 5, 7}, {1, 40, 70},  {0, 4, 2},    {2, 3, 0}};
}

/// With -infinity among the elements, and a slice of nothing else.
template <class T>
Array<T> logits(const Slices& one) {
  const T below = -std::numeric_limits<T>::infinity();
  Array<T> a = integers<T>(layout_of(one), 0);
  for (std::size_t i = 2; i + 1 < a.size(); i += 11) a.at(i) = below;
  if (one.inner == 1 && one.outer > 2) {
    for (std::int64_t k = 0; k < one.n; ++k) a.at(static_cast<std::size_t>(one.n + k)) = below;
  }
  return a;
}

template <class T>
void check_softmax(const Device& device) {
  for (const Slices& one : slices()) {
    for (const bool logarithm : {false, true}) {
      const Array<T> a = logits<T>(one);
      Array<T> out(layout_of(one));
      const auto expected = softmax_terms<Exact<T>>(one, logarithm, elements_of(a));
      const Argument target = out.to_device(device, Access::kWrite);
      run_kernel(device, "softmax.1", {target, a.to_device(device, Access::kRead)},
                 {{"logarithm", logarithm ? 1 : 0}});
      out.from_device(target);
      expect_near(out, expected, 16,
                  fmt::format("softmax.1 of {}, {}, logarithm {}", to_string(dtype_of_element<T>()),
                              name_of(one), logarithm));
    }
  }
}

/// y has few bits, so that sums of it are exact; it need not be a result of softmax.
template <class T>
void check_softmax_input(const Device& device) {
  for (const Slices& one : slices()) {
    for (const bool logarithm : {false, true}) {
      const Array<T> grad = integers<T>(layout_of(one), 0);
      const Array<T> y(layout_of(one), [=](std::size_t i) {
        return static_cast<T>(static_cast<double>(mix(i) % 8) / (logarithm ? -2 : 64));
      });
      Array<T> out(layout_of(one));
      const auto expected =
          softmax_input_terms<Exact<T>>(one, logarithm, elements_of(grad), elements_of(y));
      const Argument target = out.to_device(device, Access::kWrite);
      run_kernel(
          device, "softmax_input.1",
          {target, grad.to_device(device, Access::kRead), y.to_device(device, Access::kRead)},
          {{"logarithm", logarithm ? 1 : 0}});
      out.from_device(target);
      expect_near(out, expected, 64,
                  fmt::format("softmax_input.1 of {}, {}, logarithm {}",
                              to_string(dtype_of_element<T>()), name_of(one), logarithm));
    }
  }
}

// ------------------------------------------------------------------------- normalization ---

struct Normalization : NormalizationShape {
  std::string name;
  bool has_weight = true;

  Layout whole() const { return contiguous({s, g, e, o}, 3); }
  Layout statistics() const { return contiguous({is_batch ? 1 : s, g}, 3); }
  Layout weights() const { return contiguous({g, e}, 3); }
};

std::vector<Normalization> rows() {
  return {
      {{5, 1, 7, 1}, "rows"},
      {{3, 1, 9, 1}, "rows without weights", false},
      {{2, 1, 3001, 1}, "long rows"},
      {{300, 1, 40, 1}, "many rows"},
      {{20000, 1, 3, 1}, "thousands of rows"},
      {{4, 1, 33, 1, false, false}, "rows that are not centered"},
      {{2, 3, 2, 10}, "groups"},
      {{3, 2, 5, 1}, "groups of rows"},
      {{0, 2, 3, 1}, "nothing"},
  };
}

std::vector<Normalization> rows_and_batches() {
  std::vector<Normalization> all = rows();
  all.push_back({{4, 3, 1, 20, true}, "a batch"});
  all.push_back({{2, 2, 1, 2500, true}, "a batch of long runs", false});
  all.push_back({{6, 4, 1, 1, true}, "a batch of single elements"});
  return all;
}

constexpr double kEpsilon = 0.125;

/// Operands with few bits and a mean that matters, and statistics that are rounded.
template <class T>
struct Operands {
  explicit Operands(const Normalization& shape)
      : one(shape),
        a(one.whole(), [](std::size_t i) { return static_cast<T>(small_integer<T>(i) + T(3)); }),
        grad(integers<T>(one.whole(), 500)),
        weight(
            one.weights(),
            [&](std::size_t i) { return one.has_weight ? static_cast<T>(mix(i) % 4 + 1) : T(1); }),
        bias(one.weights(),
             [&](std::size_t i) { return one.has_weight ? small_integer<T>(i + 900) : T(0); }),
        statistics(one, elements_of(a)),
        mean(one.statistics(), [&](std::size_t i) { return rounded(statistics.means[i]); }),
        variance(one.statistics(),
                 [&](std::size_t i) { return rounded(statistics.variances[i]); }) {}

  static T rounded(Exact<T>& value) {
    const T result = static_cast<T>(value);
    value = result;
    return result;
  }
  static std::vector<T> all(const Array<T>& array) {
    std::vector<T> values;
    for (std::size_t i = 0; i < array.size(); ++i) values.push_back(array.at(i));
    return values;
  }
  Normalized<Exact<T>, T> normalized() const {
    return {one, statistics, kEpsilon, all(a), all(grad), all(weight), all(bias)};
  }
  /// A tensor, or the number that all its elements are.
  Argument weight_of(const Array<T>& from, const Device& device) const {
    if (one.has_weight) return from.to_device(device, Access::kRead);
    return Argument::scalar(from.at(0));
  }

  Normalization one;
  Array<T> a, grad, weight, bias;
  Statistics<Exact<T>> statistics;
  Array<T> mean, variance;
};

template <class T>
std::string shown(const char* op, const Normalization& one) {
  return fmt::format("{} of {}, {}", op, to_string(dtype_of_element<T>()), one.name);
}

template <class T>
void check_normalize(const Device& device) {
  for (const Normalization& one : rows_and_batches()) {
    const Operands<T> in(one);
    Array<T> out(one.whole()), mean(one.statistics()), variance(one.statistics());
    Terms<Exact<T>> of_mean, of_variance;
    for (const Exact<T> value : in.statistics.means) of_mean.push_back({value, 8});
    for (const Exact<T> value : in.statistics.variances) of_variance.push_back({value, value});
    const Argument targets[] = {out.to_device(device, Access::kWrite),
                                mean.to_device(device, Access::kWrite),
                                variance.to_device(device, Access::kWrite)};
    run_kernel(device, "normalize.1",
               {targets[0], targets[1], targets[2], in.a.to_device(device, Access::kRead),
                in.weight_of(in.weight, device), in.weight_of(in.bias, device),
                Argument::scalar(static_cast<T>(kEpsilon))},
               {{"centered", one.is_centered ? 1 : 0}, {"batch", one.is_batch ? 1 : 0}});
    if (out.size() == 0) continue;
    out.from_device(targets[0]);
    mean.from_device(targets[1]);
    variance.from_device(targets[2]);
    expect_near(out, in.normalized().terms(), 64, shown<T>("normalize.1", one));
    expect_near(mean, of_mean, 64, shown<T>("the mean of normalize.1", one));
    expect_near(variance, of_variance, 64, shown<T>("the variance of normalize.1", one));
  }
}

template <class T>
void check_normalize_input(const Device& device) {
  for (const Normalization& one : rows()) {
    const Operands<T> in(one);
    Array<T> out(one.whole());
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(
        device, "normalize_input.1",
        {target, in.grad.to_device(device, Access::kRead), in.a.to_device(device, Access::kRead),
         in.mean.to_device(device, Access::kRead), in.variance.to_device(device, Access::kRead),
         in.weight_of(in.weight, device), Argument::scalar(static_cast<T>(kEpsilon))},
        {{"centered", one.is_centered ? 1 : 0}});
    out.from_device(target);
    expect_near(out, in.normalized().input_terms(), 64, shown<T>("normalize_input.1", one));
  }
}

template <class T>
void check_normalize_weight(const Device& device) {
  for (const Normalization& one : rows_and_batches()) {
    const Operands<T> in(one);
    Array<T> out(one.weights()), bias(one.weights());
    const Argument targets[] = {out.to_device(device, Access::kWrite),
                                bias.to_device(device, Access::kWrite)};
    run_kernel(
        device, "normalize_weight.1",
        {targets[0], targets[1], in.grad.to_device(device, Access::kRead),
         in.a.to_device(device, Access::kRead), in.mean.to_device(device, Access::kRead),
         in.variance.to_device(device, Access::kRead), Argument::scalar(static_cast<T>(kEpsilon))},
        {{"batch", one.is_batch ? 1 : 0}});
    out.from_device(targets[0]);
    bias.from_device(targets[1]);
    expect_near(out, in.normalized().weight_terms(), 64, shown<T>("normalize_weight.1", one));
    expect_near(bias, in.normalized().bias_terms(), 64,
                shown<T>("the bias of normalize_weight.1", one));
  }
}

}  // namespace

std::vector<Check> row_checks() {
  std::vector<Check> checks;
  add_floats(checks, "softmax", PATCHBAY_OF_TYPES(check_softmax));
  add_floats(checks, "softmax_input", PATCHBAY_OF_TYPES(check_softmax_input));
  add_wide(checks, "normalize", PATCHBAY_OF_TYPES(check_normalize));
  add_wide(checks, "normalize_input", PATCHBAY_OF_TYPES(check_normalize_input));
  add_wide(checks, "normalize_weight", PATCHBAY_OF_TYPES(check_normalize_weight));
  return checks;
}

}  // namespace patchbay::conformance
