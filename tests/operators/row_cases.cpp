// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax, normalization and their adjoints against loops over every row.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <patchbay/autograd.h>
#include <patchbay/functional.h>
#include <patchbay/normalization.h>

#include "operators/cases.h"
#include "operators/float_case.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

/// A result, and what its error bound is relative to.
template <class T>
struct Term {
  Exact<T> value{}, scale{};
};
template <class T>
using Terms = std::vector<Term<T>>;

template <class T>
void expect_terms(const Values<T>& got, const Terms<T>& expected, const OperatorInfo& record,
                  const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto [value, scale] = expected[i];
    const bool fits = is_within<T>(got[i], value, record.bound.of(dtype_of<T>()), scale);
    ASSERT_TRUE(fits) << what << " at " << i << ": expected " << value << ", got " << got[i];
  }
}

std::size_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return static_cast<std::size_t>(count);
}

// ------------------------------------------------------------------------------- softmax ---

/// Along the middle of [outer, n, inner].
struct Slices {
  std::int64_t outer, n, inner;

  Shape shape() const { return {outer, n, inner}; }
  /// Calls body(first) with the places of the first elements of all slices.
  template <class Body>
  void for_slices(const Body& body) const {
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t i = 0; i < inner; ++i) body(static_cast<std::size_t>(o * n * inner + i));
    }
  }
  std::size_t place(std::size_t first, std::int64_t k) const {
    return first + static_cast<std::size_t>(k * inner);
  }
};

/// Short rows, rows of several blocks, few rows that are divided, rows whose exponentials are not
/// kept, and columns.
std::vector<Slices> slices() {
  return {{3, 7, 1},      {40, 10, 1},  {5, 300, 1},   {1, 1, 1},    {4, 1, 5},
          {2, 33, 1},     {2, 64, 1},   {1, 20001, 1}, {3, 9000, 1}, {17, 2100, 1},
          {17, 16400, 1}, {2, 5, 70},   {3, 150, 3},   {1, 300, 65}, {3, 4096, 1},
          {3, 4099, 1},   {2, 2048, 1}, {5, 509, 1},   {2, 8192, 1}, {515, 300, 1}};
}

template <class T>
Values<T> logits(const Slices& one, unsigned seed) {
  Values<T> values = tame_values<T>(count_of(one.shape()), seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<Stored<T>>(T(values[i] * 4));
    if (i % 97 == 5 && one.n > 2) values[i] = -std::numeric_limits<Stored<T>>::infinity();
  }
  return values;
}

template <class T>
Terms<T> softmax_of(const Slices& one, const Values<T>& a, bool logarithm) {
  Terms<T> terms(a.size());
  one.for_slices([&](std::size_t first) {
    Exact<T> most = -std::numeric_limits<Exact<T>>::infinity(), sum = 0;
    for (std::int64_t k = 0; k < one.n; ++k) {
      most = std::max(most, Exact<T>(a[one.place(first, k)]));
    }
    for (std::int64_t k = 0; k < one.n; ++k) {
      sum += std::exp(Exact<T>(a[one.place(first, k)]) - most);
    }
    for (std::int64_t k = 0; k < one.n; ++k) {
      const Exact<T> x = a[one.place(first, k)], difference = x - most;
      Term<T>& term = terms[one.place(first, k)];
      if (logarithm) {
        term = {difference - std::log(sum), std::fabs(x) + std::fabs(most) + std::log(sum)};
      } else {
        const Exact<T> value = std::exp(difference) / sum;
        term = {value, value == 0 ? 0 : value * (1 + std::fabs(difference))};
      }
    }
  });
  return terms;
}

std::string named(const Slices& one, bool logarithm) {
  return (logarithm ? "log_softmax of " : "softmax of ") + to_string(one.shape());
}

Tensor run_softmax(const Tensor& a, bool logarithm) {
  return logarithm ? log_softmax(a, 1) : softmax(a, 1);
}

/// A row with NaN, one with infinity, one of -infinity alone, and one that has -infinity too.
template <class T>
void check_special_rows(const Device& device, std::int64_t n) {
  const Slices one{4, n, 1};
  const auto infinity = std::numeric_limits<Stored<T>>::infinity();
  Values<T> values = tame_values<T>(count_of(one.shape()), 54);
  const auto length = static_cast<std::size_t>(n);
  values[length / 2] = std::numeric_limits<Stored<T>>::quiet_NaN();
  values[length * 2 - 1] = infinity;
  std::fill_n(values.begin() + 2 * n, n, -infinity);
  values[length * 3] = -infinity;
  const Tensor a = upload<T>(values, one.shape(), device);
  for (const bool logarithm : {false, true}) {
    const Values<T> got = download<T>(run_softmax(a, logarithm));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Exact<T> value = got[i];
      ASSERT_EQ(value != value, i < 3 * length) << named(one, logarithm) << " at " << i;
    }
  }
}

template <class T>
void check_softmax(const Device& device, const OperatorInfo& record) {
  for (const std::int64_t n : {5, 1030, 9000}) check_special_rows<T>(device, n);
  for (const Slices& one : slices()) {
    const Values<T> values = logits<T>(one, 51);
    for (const bool logarithm : {false, true}) {
      const Terms<T> expected = softmax_of<T>(one, values, logarithm);
      for (const Layout layout : {Layout::kContiguous, Layout::kTransposed}) {
        const Tensor a = arrange<T>(values, one.shape(), layout, device);
        expect_terms<T>(download<T>(run_softmax(a, logarithm)), expected, record,
                        named(one, logarithm));
      }
    }
  }
}

/// The gradient by the device's own result, which the adjoint reads.
template <class T>
void check_softmax_input(const Device& device, const OperatorInfo& record) {
  for (const Slices& one : slices()) {
    const Values<T> grads = tame_values<T>(count_of(one.shape()), 52);
    for (const bool logarithm : {false, true}) {
      Tensor a = upload<T>(logits<T>(one, 53), one.shape(), device);
      a.requires_grad_();
      const Tensor result = run_softmax(a, logarithm);
      const Values<T> y = download<T>(result.detach());
      Terms<T> expected(y.size());
      one.for_slices([&](std::size_t first) {
        Term<T> sum;
        for (std::int64_t k = 0; k < one.n; ++k) {
          const std::size_t at = one.place(first, k);
          const Exact<T> term = Exact<T>(grads[at]) * (logarithm ? 1 : Exact<T>(y[at]));
          sum.value += term;
          sum.scale += std::fabs(term);
        }
        for (std::int64_t k = 0; k < one.n; ++k) {
          const std::size_t at = one.place(first, k);
          const Exact<T> grad = grads[at], p = y[at];
          const Exact<T> share = logarithm ? std::exp(p) : p;
          expected[at] =
              logarithm ? Term<T>{grad - share * sum.value, std::fabs(grad) + share * sum.scale}
                        : Term<T>{p * (grad - sum.value), p * (std::fabs(grad) + sum.scale)};
        }
      });
      const Tensor grad = upload<T>(grads, one.shape(), device);
      expect_terms<T>(download<T>(gradients({result}, {a}, {grad})[0]), expected, record,
                      named(one, logarithm));
    }
  }
}

// ------------------------------------------------------------------------- normalization ---

enum class Kind { kLayer, kRms, kGroup, kBatch };

/// Statistics of [s, g, e, o] for each [s, g], in a batch for each g; weights for each [g, e].
struct Normalization {
  Kind kind;
  std::int64_t s, g, e, o;
  bool has_weight = true;

  bool is_batch() const { return kind == Kind::kBatch; }
  Shape shape() const {
    if (kind == Kind::kLayer || kind == Kind::kRms) return {s, e};
    return {s, g * e, o};
  }
  std::size_t statistic(std::size_t place) const {
    const std::size_t row = place / static_cast<std::size_t>(e * o);
    return is_batch() ? row % static_cast<std::size_t>(g) : row;
  }
  std::size_t num_statistics() const { return static_cast<std::size_t>(is_batch() ? g : s * g); }
  std::size_t weight(std::size_t place) const {
    return place / static_cast<std::size_t>(o) % num_weights();
  }
  std::size_t num_weights() const { return static_cast<std::size_t>(g * e); }
  std::string name() const {
    return "kind " + std::to_string(static_cast<int>(kind)) + " of " + to_string(shape());
  }
};

std::vector<Normalization> normalizations() {
  return {
      {Kind::kLayer, 5, 1, 7, 1},
      {Kind::kLayer, 3, 1, 1000, 1, false},
      {Kind::kLayer, 2, 1, 5000, 1},
      {Kind::kLayer, 300, 1, 40, 1},
      {Kind::kLayer, 2, 1, 1, 1},
      {Kind::kRms, 4, 1, 33, 1},
      {Kind::kRms, 2, 1, 3000, 1},
      {Kind::kGroup, 2, 3, 2, 10},
      {Kind::kGroup, 3, 2, 3, 1},
      {Kind::kGroup, 1, 2, 2, 2500, false},
      {Kind::kBatch, 4, 3, 1, 20},
      {Kind::kBatch, 2, 5, 1, 2100, false},
      {Kind::kBatch, 70, 2, 1, 16},
      {Kind::kBatch, 6, 4, 1, 3},
      // Rows that a group of an accelerator holds or not, and statistics that it divides.
      {Kind::kLayer, 2, 1, 1283, 1},
      {Kind::kLayer, 2, 1, 10244, 1},
      {Kind::kBatch, 9, 2, 1, 1500},
      {Kind::kBatch, 1, 1, 1, 20000},
      {Kind::kBatch, 2, 1, 1, 9001, false},
      {Kind::kLayer, 2, 1, 4096, 1},
      {Kind::kLayer, 2, 1, 8192, 1},
      {Kind::kLayer, 260, 1, 131, 1},
      {Kind::kLayer, 520, 1, 1283, 1},
      {Kind::kGroup, 1, 2, 3, 5467},
      {Kind::kGroup, 3, 2, 5, 31},
      {Kind::kRms, 1, 1, 20003, 1},
  };
}

constexpr double kEpsilon = 0.125;

template <class T>
struct Operands {
  explicit Operands(const Normalization& one)
      : a(tame_values<T>(count_of(one.shape()), 61)),
        grad(tame_values<T>(a.size(), 62)),
        weight(tame_values<T>(one.num_weights(), 63)),
        bias(tame_values<T>(one.num_weights(), 64)) {
    for (auto& value : a) value = static_cast<Stored<T>>(T(value + 3));  // a mean that matters
    if (one.kind == Kind::kRms || !one.has_weight) bias.assign(bias.size(), 0);
    if (!one.has_weight) weight.assign(weight.size(), 1);
  }
  Values<T> a, grad, weight, bias;
};

/// Of one statistic.
template <class T>
struct Statistic {
  Exact<T> count{}, mean{}, factor{};
  Exact<T> along{}, across{}, along_scale{}, across_scale{};  // means of d and d x
};

template <class T>
std::vector<Statistic<T>> statistics_of(const Normalization& one, const Operands<T>& in) {
  using E = Exact<T>;
  std::vector<Statistic<T>> all(one.num_statistics());
  const auto each = [&](const auto& body) {
    for (std::size_t i = 0; i < in.a.size(); ++i) body(all[one.statistic(i)], i, E(in.a[i]));
  };
  std::vector<E> squares(all.size());
  each([](Statistic<T>& to, std::size_t, E a) {
    to.count += 1;
    to.mean += a;
  });
  for (Statistic<T>& to : all) to.mean = one.kind == Kind::kRms ? 0 : to.mean / to.count;
  each([&](Statistic<T>& to, std::size_t i, E a) {
    squares[one.statistic(i)] += (a - to.mean) * (a - to.mean);
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].factor = 1 / std::sqrt(squares[i] / all[i].count + E(kEpsilon));
  }
  each([&](Statistic<T>& to, std::size_t i, E a) {
    const E d = E(in.grad[i]) * E(in.weight[one.weight(i)]), x = (a - to.mean) * to.factor;
    to.along += d / to.count;
    to.across += d * x / to.count;
    to.along_scale += std::fabs(d) / to.count;
    to.across_scale += std::fabs(d) * (std::fabs(a) + std::fabs(to.mean)) * to.factor / to.count;
  });
  if (one.kind == Kind::kRms) {
    for (Statistic<T>& to : all) to.along = to.along_scale = 0;
  }
  return all;
}

template <class T>
struct Leaves {
  Leaves(const Normalization& one, const Operands<T>& in, const Device& device)
      : x(upload<T>(in.a, one.shape(), device)) {
    x.requires_grad_();
    if (!one.has_weight) return;
    const Shape shape{static_cast<std::int64_t>(one.num_weights())};
    weight = upload<T>(in.weight, shape, device).requires_grad_();
    if (one.kind != Kind::kRms) bias = upload<T>(in.bias, shape, device).requires_grad_();
  }

  Tensor run(const Normalization& one) const {
    switch (one.kind) {
      case Kind::kLayer: return layer_norm(x, {one.e}, weight, bias, kEpsilon);
      case Kind::kRms: return rms_norm(x, {one.e}, weight, kEpsilon);
      case Kind::kGroup: return group_norm(x, one.g, weight, bias, kEpsilon);
      case Kind::kBatch: break;
    }
    return batch_norm(x, {.weight = weight, .bias = bias, .training = true, .epsilon = kEpsilon});
  }

  Tensor x, weight, bias;
};

/// Of 1 but for one element. If that is so large that the variance is infinite, the results are
/// those of wider sums; of f64 on devices without a wider type, 0. If it is infinite, so is the
/// mean, and all become NaN; without a mean only that element does, and the others are 0.
template <class T>
void check_extreme_row(const Device& device, std::int64_t n, std::int64_t at, bool is_finite) {
  using S = Stored<T>;
  Values<T> values(static_cast<std::size_t>(n), 1);
  values[static_cast<std::size_t>(at)] =
      is_finite ? std::numeric_limits<S>::max() / 64 : std::numeric_limits<S>::infinity();
  const Tensor a = upload<T>(values, {1, n}, device);
  const bool is_wide = std::is_same_v<T, float> || device.name().starts_with("cpu");
  const auto count = static_cast<double>(n);
  for (const bool is_centered : {false, true}) {
    const Values<T> got = download<T>(is_centered ? layer_norm(a, {n}) : rms_norm(a, {n}));
    for (std::int64_t i = 0; i < n; ++i) {
      const S result = got[static_cast<std::size_t>(i)];
      const bool is_nan = !is_finite && (is_centered || i == at);
      if (is_nan || !is_finite || !is_wide) {
        ASSERT_TRUE(is_nan ? result != result : result == 0)
            << result << " at " << i << " of " << n << ", extreme at " << at;
        continue;
      }
      // Beside the extreme, 1 is nothing.
      const double mean = is_centered ? 1 / count : 0;
      const double deviation = std::sqrt(1 / count - mean * mean);
      const double expected = ((i == at ? 1 : 0) - mean) / deviation;
      ASSERT_NEAR(static_cast<double>(result), expected, 1e-5)
          << i << " of " << n << ", extreme at " << at;
    }
  }
}

template <class T>
void check_extreme_rows(const Device& device) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    for (const std::int64_t n : {40, 1283, 9000}) {
      for (const std::int64_t at : {std::int64_t{0}, std::int64_t{5}, n - 1}) {
        check_extreme_row<T>(device, n, at, true);
        check_extreme_row<T>(device, n, at, false);
      }
    }
  }
}

template <class T>
void check_normalize(const Device& device, const OperatorInfo& record) {
  check_extreme_rows<T>(device);
  using E = Exact<T>;
  for (const Normalization& one : normalizations()) {
    const Operands<T> in(one);
    const auto statistics = statistics_of<T>(one, in);
    Terms<T> expected(in.a.size());
    for (std::size_t i = 0; i < in.a.size(); ++i) {
      const Statistic<T>& of = statistics[one.statistic(i)];
      const E a = in.a[i], w = in.weight[one.weight(i)], b = in.bias[one.weight(i)];
      expected[i] = {(a - of.mean) * of.factor * w + b,
                     (std::fabs(a) + std::fabs(of.mean)) * of.factor * std::fabs(w) + std::fabs(b)};
    }
    const Leaves<T> leaves(one, in, device);
    expect_terms<T>(download<T>(leaves.run(one).detach()), expected, record, one.name());
  }
}

template <class T>
void check_normalize_input(const Device& device, const OperatorInfo& record) {
  using E = Exact<T>;
  for (const Normalization& one : normalizations()) {
    const Operands<T> in(one);
    const auto statistics = statistics_of<T>(one, in);
    Terms<T> expected(in.a.size());
    for (std::size_t i = 0; i < in.a.size(); ++i) {
      const Statistic<T>& of = statistics[one.statistic(i)];
      const E a = in.a[i], d = E(in.grad[i]) * E(in.weight[one.weight(i)]);
      const E x = (a - of.mean) * of.factor;
      const E x_scale = (std::fabs(a) + std::fabs(of.mean)) * of.factor;
      expected[i] = {of.factor * (d - of.along - x * of.across),
                     of.factor * (std::fabs(d) + of.along_scale + x_scale * of.across_scale)};
    }
    const Leaves<T> leaves(one, in, device);
    const Tensor grad = upload<T>(in.grad, one.shape(), device);
    expect_terms<T>(download<T>(gradients({leaves.run(one)}, {leaves.x}, {grad})[0]), expected,
                    record, one.name());
  }
}

template <class T>
void check_normalize_weight(const Device& device, const OperatorInfo& record) {
  using E = Exact<T>;
  for (const Normalization& one : normalizations()) {
    if (!one.has_weight) continue;
    const Operands<T> in(one);
    const auto statistics = statistics_of<T>(one, in);
    Terms<T> of_weight(one.num_weights()), of_bias(one.num_weights());
    for (std::size_t i = 0; i < in.a.size(); ++i) {
      const Statistic<T>& of = statistics[one.statistic(i)];
      const E a = in.a[i], grad = in.grad[i];
      Term<T>&weight = of_weight[one.weight(i)], &bias = of_bias[one.weight(i)];
      weight.value += grad * (a - of.mean) * of.factor;
      weight.scale += std::fabs(grad) * (std::fabs(a) + std::fabs(of.mean)) * of.factor;
      bias.value += grad;
      bias.scale += std::fabs(grad);
    }
    const Leaves<T> leaves(one, in, device);
    const Tensor grad = upload<T>(in.grad, one.shape(), device);
    std::vector<Tensor> wanted{leaves.weight};
    if (leaves.bias.defined()) wanted.push_back(leaves.bias);
    const std::vector<Tensor> got = gradients({leaves.run(one)}, wanted, {grad});
    expect_terms<T>(download<T>(got[0]), of_weight, record, one.name() + ", weight");
    if (got.size() > 1)
      expect_terms<T>(download<T>(got[1]), of_bias, record, one.name() + ", bias");
  }
}

}  // namespace

OperatorCases row_cases() {
  return {
      for_floats("softmax", [](const Device& device, const OperatorInfo& record,
                               auto zero) { check_softmax<decltype(zero)>(device, record); }),
      for_floats("softmax_input",
                 [](const Device& device, const OperatorInfo& record, auto zero) {
                   check_softmax_input<decltype(zero)>(device, record);
                 }),
      for_floats("normalize", [](const Device& device, const OperatorInfo& record,
                                 auto zero) { check_normalize<decltype(zero)>(device, record); }),
      for_floats("normalize_input",
                 [](const Device& device, const OperatorInfo& record, auto zero) {
                   check_normalize_input<decltype(zero)>(device, record);
                 }),
      for_floats("normalize_weight",
                 [](const Device& device, const OperatorInfo& record, auto zero) {
                   check_normalize_weight<decltype(zero)>(device, record);
                 }),
  };
}

}  // namespace patchbay::test
