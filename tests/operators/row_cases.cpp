// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax, normalization and their adjoints against loops over every row.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <patchbay/autograd.h>
#include <patchbay/functional.h>
#include <patchbay/normalization.h>

#include "conformance/reference/rows.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

using conformance::elements_of;
using conformance::Slices;

// ------------------------------------------------------------------------------- softmax ---

Shape shape_of(const Slices& one) { return {one.outer, one.n, one.inner}; }

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
  Values<T> values = tame_values<T>(one.size(), seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<Stored<T>>(T(values[i] * 4));
    if (i % 97 == 5 && one.n > 2) values[i] = -std::numeric_limits<Stored<T>>::infinity();
  }
  return values;
}

std::string named(const Slices& one, bool logarithm) {
  return (logarithm ? "log_softmax of " : "softmax of ") + to_string(shape_of(one));
}

Tensor run_softmax(const Tensor& a, bool logarithm) {
  return logarithm ? log_softmax(a, 1) : softmax(a, 1);
}

/// A row with NaN, one with infinity, one of -infinity alone, and one that has -infinity too.
template <class T>
void check_special_rows(const Device& device, std::int64_t n) {
  const Slices one{4, n, 1};
  const auto infinity = std::numeric_limits<Stored<T>>::infinity();
  Values<T> values = tame_values<T>(one.size(), 54);
  const auto length = static_cast<std::size_t>(n);
  values[length / 2] = std::numeric_limits<Stored<T>>::quiet_NaN();
  values[length * 2 - 1] = infinity;
  std::fill_n(values.begin() + 2 * n, n, -infinity);
  values[length * 3] = -infinity;
  const Tensor a = upload<T>(values, shape_of(one), device);
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
      const Terms<T> expected =
          conformance::softmax_terms<Exact<T>>(one, logarithm, elements_of(values));
      for (const Layout layout : {Layout::kContiguous, Layout::kTransposed}) {
        const Tensor a = arrange<T>(values, shape_of(one), layout, device);
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
    const Values<T> grads = tame_values<T>(one.size(), 52);
    for (const bool logarithm : {false, true}) {
      Tensor a = upload<T>(logits<T>(one, 53), shape_of(one), device);
      a.requires_grad_();
      const Tensor result = run_softmax(a, logarithm);
      const Values<T> y = download<T>(result.detach());
      const Terms<T> expected = conformance::softmax_input_terms<Exact<T>>(
          one, logarithm, elements_of(grads), elements_of(y));
      const Tensor grad = upload<T>(grads, shape_of(one), device);
      expect_terms<T>(download<T>(gradients({result}, {a}, {grad})[0]), expected, record,
                      named(one, logarithm));
    }
  }
}

// ------------------------------------------------------------------------- normalization ---

enum class Kind { kLayer, kRms, kGroup, kBatch };

struct Normalization {
  Kind kind;
  std::int64_t s, g, e, o;
  bool has_weight = true;

  Shape shape() const {
    if (kind == Kind::kLayer || kind == Kind::kRms) return {s, e};
    return {s, g * e, o};
  }
  conformance::NormalizationShape geometry() const {
    return {s, g, e, o, kind == Kind::kBatch, kind != Kind::kRms};
  }
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
using Operands = conformance::Normalized<Exact<T>, Stored<T>>;

template <class T>
Operands<T> operands_of(const Normalization& one) {
  const conformance::NormalizationShape shape = one.geometry();
  Values<T> a = tame_values<T>(shape.size(), 61);
  for (auto& value : a) value = static_cast<Stored<T>>(T(value + 3));  // a mean that matters
  Values<T> weight = tame_values<T>(shape.num_weights(), 63);
  Values<T> bias = tame_values<T>(shape.num_weights(), 64);
  if (one.kind == Kind::kRms || !one.has_weight) bias.assign(bias.size(), 0);
  if (!one.has_weight) weight.assign(weight.size(), 1);
  const conformance::Statistics<Exact<T>> statistics(shape, elements_of(a));
  return {shape, statistics, kEpsilon, a, tame_values<T>(a.size(), 62), weight, bias};
}

template <class T>
struct Leaves {
  Leaves(const Normalization& one, const Operands<T>& in, const Device& device)
      : x(upload<T>(in.a, one.shape(), device)) {
    x.requires_grad_();
    if (!one.has_weight) return;
    const Shape shape{one.g * one.e};
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
  for (const Normalization& one : normalizations()) {
    const Operands<T> in = operands_of<T>(one);
    const Leaves<T> leaves(one, in, device);
    expect_terms<T>(download<T>(leaves.run(one).detach()), in.terms(), record, one.name());
  }
}

template <class T>
void check_normalize_input(const Device& device, const OperatorInfo& record) {
  for (const Normalization& one : normalizations()) {
    const Operands<T> in = operands_of<T>(one);
    const Leaves<T> leaves(one, in, device);
    const Tensor grad = upload<T>(in.grad, one.shape(), device);
    expect_terms<T>(download<T>(gradients({leaves.run(one)}, {leaves.x}, {grad})[0]),
                    in.input_terms(), record, one.name());
  }
}

template <class T>
void check_normalize_weight(const Device& device, const OperatorInfo& record) {
  for (const Normalization& one : normalizations()) {
    if (!one.has_weight) continue;
    const Operands<T> in = operands_of<T>(one);
    const Leaves<T> leaves(one, in, device);
    const Tensor grad = upload<T>(in.grad, one.shape(), device);
    std::vector<Tensor> wanted{leaves.weight};
    if (leaves.bias.defined()) wanted.push_back(leaves.bias);
    const std::vector<Tensor> got = gradients({leaves.run(one)}, wanted, {grad});
    expect_terms<T>(download<T>(got[0]), in.weight_terms(), record, one.name() + ", weight");
    if (got.size() > 1)
      expect_terms<T>(download<T>(got[1]), in.bias_terms(), record, one.name() + ", bias");
  }
}

}  // namespace

OperatorCases row_cases() {
  return {
      case_of<Types::kFloats>("softmax", PATCHBAY_OF_TYPES(check_softmax)),
      case_of<Types::kFloats>("softmax_input", PATCHBAY_OF_TYPES(check_softmax_input)),
      case_of<Types::kFloats>("normalize", PATCHBAY_OF_TYPES(check_normalize)),
      case_of<Types::kFloats>("normalize_input", PATCHBAY_OF_TYPES(check_normalize_input)),
      case_of<Types::kFloats>("normalize_weight", PATCHBAY_OF_TYPES(check_normalize_weight)),
  };
}

}  // namespace patchbay::test
