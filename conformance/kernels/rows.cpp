// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax and normalization, and their adjoints. Results are compared relative to the magnitudes of
// their terms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

/// A result, and the magnitude of its terms, which its error is relative to.
struct Term {
  double value = 0, scale = 0;

  void add(double term) {
    value += term;
    scale += std::fabs(term);
  }
};
using Terms = std::vector<Term>;

/// Each element must be within so many units of its scale, and the memory beside them unchanged.
template <class T>
void expect_near(const Array<T>& got, const Terms& terms, double ulps, const std::string& what) {
  Array<T> expected(got.layout());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto [value, scale] = terms[i];
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

struct Slices {
  std::int64_t outer, n, inner;

  Layout layout() const { return contiguous({outer, n, inner}, 3); }
  std::string name() const { return fmt::format("[{}, {}, {}]", outer, n, inner); }
  /// Calls body(places of a slice).
  template <class Body>
  void for_slices(const Body& body) const {
    std::vector<std::size_t> places(static_cast<std::size_t>(n));
    for (std::int64_t at = 0; at < outer * inner; ++at) {
      for (std::int64_t k = 0; k < n; ++k) {
        places[static_cast<std::size_t>(k)] =
            static_cast<std::size_t>((at / inner * n + k) * inner + at % inner);
      }
      body(places);
    }
  }
};

std::vector<Slices> slices() {
  return {{3, 7, 1}, {2, 1000, 1}, {1, 9001, 1}, {90, 10, 1}, {1, 1, 1},
          {2, 5, 7}, {1, 40, 70},  {0, 4, 2},    {2, 3, 0}};
}

/// With -infinity among the elements, and a slice of nothing else.
template <class T>
Array<T> logits(const Slices& one) {
  const T below = -std::numeric_limits<T>::infinity();
  Array<T> a = integers<T>(one.layout(), 0);
  for (std::size_t i = 2; i + 1 < a.size(); i += 11) a.at(i) = below;
  if (one.inner == 1 && one.outer > 2) {
    for (std::int64_t k = 0; k < one.n; ++k) a.at(static_cast<std::size_t>(one.n + k)) = below;
  }
  return a;
}

Term softmax_term(double difference, double most, double sum, bool logarithm) {
  if (logarithm) {
    return {difference - std::log(sum),
            std::fabs(difference) + 2 * std::fabs(most) + std::fabs(std::log(sum))};
  }
  const double value = std::exp(difference) / sum;
  return {value, value == 0 ? 0 : value * (1 + std::fabs(difference))};
}

template <class T>
void check_softmax(const Device& device) {
  for (const Slices& one : slices()) {
    for (const bool logarithm : {false, true}) {
      const Array<T> a = logits<T>(one);
      Array<T> out(one.layout());
      Terms expected(out.size());
      one.for_slices([&](const std::vector<std::size_t>& places) {
        double most = -std::numeric_limits<double>::infinity();
        long double sum = 0;
        for (const std::size_t i : places) most = std::max(most, static_cast<double>(a.at(i)));
        for (const std::size_t i : places) {
          sum += static_cast<long double>(std::exp(static_cast<double>(a.at(i)) - most));
        }
        for (const std::size_t i : places) {
          const double difference = static_cast<double>(a.at(i)) - most;
          expected[i] = softmax_term(difference, most, static_cast<double>(sum), logarithm);
        }
      });
      const Argument target = out.to_device(device, Access::kWrite);
      run_kernel(device, "softmax.1", {target, a.to_device(device, Access::kRead)},
                 {{"logarithm", logarithm ? 1 : 0}});
      out.from_device(target);
      expect_near(out, expected, 16,
                  fmt::format("softmax.1 of {}, {}, logarithm {}", to_string(dtype_of_element<T>()),
                              one.name(), logarithm));
    }
  }
}

/// y has few bits, so that sums of it are exact; it need not be a result of softmax.
template <class T>
void check_softmax_input(const Device& device) {
  for (const Slices& one : slices()) {
    for (const bool logarithm : {false, true}) {
      const Array<T> grad = integers<T>(one.layout(), 0);
      const Array<T> y(one.layout(), [=](std::size_t i) {
        return static_cast<T>(static_cast<double>(mix(i) % 8) / (logarithm ? -2 : 64));
      });
      Array<T> out(one.layout());
      Terms expected(out.size());
      one.for_slices([&](const std::vector<std::size_t>& places) {
        Term sum;
        for (const std::size_t i : places) {
          const double factor = logarithm ? 1 : static_cast<double>(y.at(i));
          sum.add(static_cast<double>(grad.at(i)) * factor);
        }
        for (const std::size_t i : places) {
          const double g = static_cast<double>(grad.at(i)), p = static_cast<double>(y.at(i));
          const double share = logarithm ? std::exp(p) : p;
          const double own = logarithm ? g : g * p;
          expected[i] = {own - share * sum.value, std::fabs(own) + share * sum.scale};
        }
      });
      const Argument target = out.to_device(device, Access::kWrite);
      run_kernel(
          device, "softmax_input.1",
          {target, grad.to_device(device, Access::kRead), y.to_device(device, Access::kRead)},
          {{"logarithm", logarithm ? 1 : 0}});
      out.from_device(target);
      expect_near(out, expected, 64,
                  fmt::format("softmax_input.1 of {}, {}, logarithm {}",
                              to_string(dtype_of_element<T>()), one.name(), logarithm));
    }
  }
}

// ------------------------------------------------------------------------- normalization ---

struct Normalization {
  std::string name;
  std::int64_t s, g, e, o;
  bool batch = false, centered = true, has_weight = true;

  Layout whole() const { return contiguous({s, g, e, o}, 3); }
  Layout statistics() const { return contiguous({batch ? 1 : s, g}, 3); }
  Layout weights() const { return contiguous({g, e}, 3); }
  std::size_t statistic(std::size_t place) const {
    const std::size_t row = place / static_cast<std::size_t>(e * o);
    return batch ? row % static_cast<std::size_t>(g) : row;
  }
  std::size_t weight(std::size_t place) const {
    return place / static_cast<std::size_t>(o) % static_cast<std::size_t>(g * e);
  }
  double count() const { return static_cast<double>(batch ? s * e * o : e * o); }
};

std::vector<Normalization> rows() {
  return {
      {"rows", 5, 1, 7, 1},
      {"rows without weights", 3, 1, 9, 1, false, true, false},
      {"long rows", 2, 1, 3001, 1},
      {"many rows", 300, 1, 40, 1},
      {"thousands of rows", 20000, 1, 3, 1},
      {"rows that are not centered", 4, 1, 33, 1, false, false},
      {"groups", 2, 3, 2, 10},
      {"groups of rows", 3, 2, 5, 1},
      {"nothing", 0, 2, 3, 1},
  };
}

std::vector<Normalization> rows_and_batches() {
  std::vector<Normalization> all = rows();
  all.push_back({"a batch", 4, 3, 1, 20, true});
  all.push_back({"a batch of long runs", 2, 2, 1, 2500, true, true, false});
  all.push_back({"a batch of single elements", 6, 4, 1, 1, true});
  return all;
}

constexpr double kEpsilon = 0.125;

/// Operands with few bits and a mean that matters.
template <class T>
struct Operands {
  explicit Operands(const Normalization& one)
      : a(one.whole(), [](std::size_t i) { return static_cast<T>(small_integer<T>(i) + T(3)); }),
        grad(integers<T>(one.whole(), 500)),
        weight(
            one.weights(),
            [&](std::size_t i) { return one.has_weight ? static_cast<T>(mix(i) % 4 + 1) : T(1); }),
        bias(one.weights(),
             [&](std::size_t i) { return one.has_weight ? small_integer<T>(i + 900) : T(0); }),
        mean(one.statistics()),
        variance(one.statistics()) {
    std::vector<double> sums(mean.size()), squares(mean.size());
    for (std::size_t i = 0; i < a.size(); ++i) sums[one.statistic(i)] += value(a, i);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean.at(i) = static_cast<T>(one.centered ? sums[i] / one.count() : 0);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double deviation = value(a, i) - value(mean, one.statistic(i));
      squares[one.statistic(i)] += deviation * deviation;
    }
    for (std::size_t i = 0; i < variance.size(); ++i) {
      variance.at(i) = static_cast<T>(squares[i] / one.count());
    }
  }
  static double value(const Array<T>& array, std::size_t i) {
    return static_cast<double>(array.at(i));
  }
  double factor(std::size_t statistic) const {
    return 1 / std::sqrt(value(variance, statistic) + kEpsilon);
  }
  /// (a - mean) f
  Term x(const Normalization& one, std::size_t i) const {
    const std::size_t row = one.statistic(i);
    const double element = value(a, i), middle = value(mean, row);
    return {(element - middle) * factor(row),
            (std::fabs(element) + std::fabs(middle)) * factor(row)};
  }
  /// A tensor, or the number that all its elements are.
  Argument weight_of(const Normalization& one, const Array<T>& from, const Device& device) const {
    if (one.has_weight) return from.to_device(device, Access::kRead);
    return Argument::scalar(from.at(0));
  }

  Array<T> a, grad, weight, bias, mean, variance;
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
    Terms of_out(out.size()), of_mean(mean.size()), of_variance(mean.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Term x = in.x(one, i);
      const double w = in.value(in.weight, one.weight(i)), b = in.value(in.bias, one.weight(i));
      of_out[i] = {x.value * w + b, x.scale * std::fabs(w) + std::fabs(b)};
    }
    for (std::size_t i = 0; i < mean.size(); ++i) {
      of_mean[i] = {in.value(in.mean, i), 8};
      of_variance[i] = {in.value(in.variance, i), in.value(in.variance, i)};
    }
    const Argument targets[] = {out.to_device(device, Access::kWrite),
                                mean.to_device(device, Access::kWrite),
                                variance.to_device(device, Access::kWrite)};
    run_kernel(device, "normalize.1",
               {targets[0], targets[1], targets[2], in.a.to_device(device, Access::kRead),
                in.weight_of(one, in.weight, device), in.weight_of(one, in.bias, device),
                Argument::scalar(static_cast<T>(kEpsilon))},
               {{"centered", one.centered ? 1 : 0}, {"batch", one.batch ? 1 : 0}});
    if (out.size() == 0) continue;
    out.from_device(targets[0]);
    mean.from_device(targets[1]);
    variance.from_device(targets[2]);
    expect_near(out, of_out, 64, shown<T>("normalize.1", one));
    expect_near(mean, of_mean, 64, shown<T>("the mean of normalize.1", one));
    expect_near(variance, of_variance, 64, shown<T>("the variance of normalize.1", one));
  }
}

template <class T>
void check_normalize_input(const Device& device) {
  for (const Normalization& one : rows()) {
    const Operands<T> in(one);
    Terms expected(in.a.size()), along(in.mean.size()), across(in.mean.size());
    const auto slope = [&](std::size_t i) {
      return in.value(in.grad, i) * in.value(in.weight, one.weight(i));
    };
    for (std::size_t i = 0; i < in.a.size(); ++i) {
      const Term x = in.x(one, i);
      if (one.centered) along[one.statistic(i)].add(slope(i) / one.count());
      across[one.statistic(i)].value += slope(i) * x.value / one.count();
      across[one.statistic(i)].scale += std::fabs(slope(i)) * x.scale / one.count();
    }
    for (std::size_t i = 0; i < in.a.size(); ++i) {
      const std::size_t row = one.statistic(i);
      const Term x = in.x(one, i);
      expected[i] = {
          in.factor(row) * (slope(i) - along[row].value - x.value * across[row].value),
          in.factor(row) * (std::fabs(slope(i)) + along[row].scale + x.scale * across[row].scale)};
    }
    Array<T> out(one.whole());
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(
        device, "normalize_input.1",
        {target, in.grad.to_device(device, Access::kRead), in.a.to_device(device, Access::kRead),
         in.mean.to_device(device, Access::kRead), in.variance.to_device(device, Access::kRead),
         in.weight_of(one, in.weight, device), Argument::scalar(static_cast<T>(kEpsilon))},
        {{"centered", one.centered ? 1 : 0}});
    out.from_device(target);
    expect_near(out, expected, 64, shown<T>("normalize_input.1", one));
  }
}

template <class T>
void check_normalize_weight(const Device& device) {
  for (const Normalization& one : rows_and_batches()) {
    const Operands<T> in(one);
    Array<T> out(one.weights()), bias(one.weights());
    Terms of_out(out.size()), of_bias(out.size());
    for (std::size_t i = 0; i < in.a.size(); ++i) {
      const Term x = in.x(one, i);
      const double grad = in.value(in.grad, i);
      of_out[one.weight(i)].value += grad * x.value;
      of_out[one.weight(i)].scale += std::fabs(grad) * x.scale;
      of_bias[one.weight(i)].add(grad);
    }
    const Argument targets[] = {out.to_device(device, Access::kWrite),
                                bias.to_device(device, Access::kWrite)};
    run_kernel(
        device, "normalize_weight.1",
        {targets[0], targets[1], in.grad.to_device(device, Access::kRead),
         in.a.to_device(device, Access::kRead), in.mean.to_device(device, Access::kRead),
         in.variance.to_device(device, Access::kRead), Argument::scalar(static_cast<T>(kEpsilon))},
        {{"batch", one.batch ? 1 : 0}});
    out.from_device(targets[0]);
    bias.from_device(targets[1]);
    expect_near(out, of_out, 64, shown<T>("normalize_weight.1", one));
    expect_near(bias, of_bias, 64, shown<T>("the bias of normalize_weight.1", one));
  }
}

}  // namespace

std::vector<Check> row_checks() {
  std::vector<Check> checks;
  add_floats(checks, "softmax", [](const Device& device, const std::string&, auto zero) {
    check_softmax<decltype(zero)>(device);
  });
  add_floats(checks, "softmax_input", [](const Device& device, const std::string&, auto zero) {
    check_softmax_input<decltype(zero)>(device);
  });
  const auto add_wide = [&](const char* name, auto check) {
    add_pair(
        checks, name, [=](const Device& device, const std::string&) { check(device, float()); },
        [=](const Device& device, const std::string&) { check(device, double()); });
  };
  add_wide("normalize",
           [](const Device& device, auto zero) { check_normalize<decltype(zero)>(device); });
  add_wide("normalize_input",
           [](const Device& device, auto zero) { check_normalize_input<decltype(zero)>(device); });
  add_wide("normalize_weight",
           [](const Device& device, auto zero) { check_normalize_weight<decltype(zero)>(device); });
  return checks;
}

}  // namespace patchbay::conformance
