// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the library composes on devices without a kernel for it: layers and attention against loops.
#include <cmath>
#include <string>
#include <vector>

#include <patchbay/attention.h>
#include <patchbay/ops.h>

#include "conformance/reference/rows.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

using conformance::elements_of;

template <class T>
Exact<T> at(const Values<T>& values, std::int64_t i) {
  return static_cast<Exact<T>>(values[static_cast<std::size_t>(i)]);
}

// ---------------------------------------------------------------------------------- linear ---

/// [m, k] and [n, k]
struct Layer {
  std::int64_t m, k, n;
};
struct Extents {
  std::int64_t m, n;
};

template <class T>
Terms<T> linear_of(const Layer& by, const Values<T>& x, const Values<T>& weight,
                   const Values<T>& bias) {
  Terms<T> terms(count_of({by.m, by.n}));
  for (std::int64_t i = 0; i < by.m * by.n; ++i) {
    conformance::Term<Exact<T>>& element = terms[static_cast<std::size_t>(i)];
    element.add(at<T>(bias, i % by.n));
    for (std::int64_t l = 0; l < by.k; ++l) {
      element.add(at<T>(x, i / by.n * by.k + l) * at<T>(weight, i % by.n * by.k + l));
    }
  }
  return terms;
}

template <class T>
void check_linear(const Device& device, const OperatorInfo& record) {
  for (const auto [m, k, n] :
       {Layer{1, 1, 1}, Layer{3, 5, 7}, Layer{16, 16, 16}, Layer{33, 9, 64}, Layer{64, 130, 10},
        Layer{1, 300, 2}, Layer{0, 3, 2}, Layer{3, 0, 2}, Layer{2, 3, 0}}) {
    const Values<T> x = tame_values<T>(count_of({m, k}), 1);
    const Values<T> weight = tame_values<T>(count_of({n, k}), 2);
    const Values<T> bias = tame_values<T>(count_of({n}), 3);
    const Terms<T> expected = linear_of<T>({m, k, n}, x, weight, bias);
    for (const Layout left : kLayouts) {
      for (const Layout right : kLayouts) {
        const std::string what = "linear " + std::to_string(m) + 'x' + std::to_string(k) + 'x' +
                                 std::to_string(n) + ' ' + testing::PrintToString(left) + ", " +
                                 testing::PrintToString(right);
        const Tensor y =
            linear(arrange<T>(x, {m, k}, left, device), arrange<T>(weight, {n, k}, right, device),
                   arrange<T>(bias, {n}, right, device));
        expect_terms<T>(download<T>(y), expected, record, what);
      }
    }
  }
}

/// A vector, and batches.
template <class T>
void check_ranks(const Device& device, const OperatorInfo& record) {
  for (const Shape& shape : {Shape{6}, Shape{2, 3, 6}, Shape{2, 1, 4, 6}}) {
    const Values<T> x = tame_values<T>(count_of(shape), 4);
    const Values<T> weight = tame_values<T>(count_of({5, 6}), 5);
    const Values<T> bias = tame_values<T>(count_of({5}), 6);
    const auto rows = static_cast<std::int64_t>(x.size() / 6);
    const Terms<T> expected = linear_of<T>({rows, 6, 5}, x, weight, bias);
    const Tensor y = linear(upload<T>(x, shape, device), upload<T>(weight, {5, 6}, device),
                            upload<T>(bias, {5}, device));
    expect_terms<T>(download<T>(y), expected, record, "linear of " + to_string(shape));
  }
}

template <class T>
void check_linears(const Device& device, const OperatorInfo& record) {
  check_linear<T>(device, record);
  check_ranks<T>(device, record);
}

// ------------------------------------------------------------------------------- attention ---

struct Heads {
  Shape batch;  // leading dimensions
  std::int64_t queries, keys, features, values;
};

template <class T>
Terms<T> attention_of(const conformance::AttentionShape& by, const Values<T>& q, const Values<T>& k,
                      const Values<T>& v) {
  Terms<T> terms;
  conformance::attend<Exact<T>>(
      by, elements_of(q), elements_of(k), elements_of(v), conformance::kUnmasked,
      [&](std::int64_t, std::int64_t, const auto& sum, Exact<T> roughness) {
        terms.push_back({sum.value, sum.scale * roughness});
      });
  return terms;
}

Shape with_matrix(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

template <class T>
void check_attention(const Device& device, const OperatorInfo& record) {
  for (const Heads& by :
       {Heads{{}, 3, 5, 4, 6}, Heads{{2}, 1, 7, 8, 8}, Heads{{2, 3}, 17, 16, 8, 8},
        Heads{{1, 2}, 65, 70, 16, 16}, Heads{{2, 1, 2}, 4, 3, 8, 16}, Heads{{2, 2}, 5, 1, 1, 1}}) {
    const Shape of_query = with_matrix(by.batch, by.queries, by.features);
    const Shape of_key = with_matrix(by.batch, by.keys, by.features);
    const Shape of_value = with_matrix(by.batch, by.keys, by.values);
    const Values<T> q = tame_values<T>(count_of(of_query), 7);
    const Values<T> k = tame_values<T>(count_of(of_key), 8);
    const Values<T> v = tame_values<T>(count_of(of_value), 9);
    const auto heads = static_cast<std::int64_t>(count_of(by.batch));
    const double scale = 1 / std::sqrt(static_cast<double>(by.features));
    const Terms<T> expected =
        attention_of<T>({heads, by.queries, by.keys, by.features, by.values, scale}, q, k, v);
    const std::string what = "attention of " + to_string(of_query) + ' ' + to_string(of_value);
    const Tensor query = upload<T>(q, of_query, device), key = upload<T>(k, of_key, device);
    const Tensor value = upload<T>(v, of_value, device);
    const Tensor y = scaled_dot_product_attention(query, key, value);
    ASSERT_EQ(y.shape(), with_matrix(by.batch, by.queries, by.values)) << what;
    expect_terms<T>(download<T>(y), expected, record, what);
    // As layers of several heads have them: the heads are neighbours within a row.
    if (by.batch.rank() != 2) continue;
    const auto split = [](const Tensor& a) {
      return a.transpose(1, 2).contiguous().transpose(1, 2);
    };
    expect_terms<T>(
        download<T>(scaled_dot_product_attention(split(query), split(key), split(value))), expected,
        record, what + ", heads within rows");
  }
}

/// A key that all queries share, and another scale.
template <class T>
void check_broadcast(const Device& device, const OperatorInfo& record) {
  const Values<T> q = tame_values<T>(count_of({2, 3, 4, 8}), 10);
  const Values<T> k = tame_values<T>(count_of({5, 8}), 11);
  const Values<T> v = tame_values<T>(count_of({5, 8}), 12);
  Values<T> all_k, all_v;
  for (int head = 0; head < 6; ++head) {
    all_k.insert(all_k.end(), k.begin(), k.end());
    all_v.insert(all_v.end(), v.begin(), v.end());
  }
  const Terms<T> expected = attention_of<T>({6, 4, 5, 8, 8, -0.75}, q, all_k, all_v);
  AttentionOptions options;
  options.scale = -0.75;
  const Tensor y =
      scaled_dot_product_attention(upload<T>(q, {2, 3, 4, 8}, device), upload<T>(k, {5, 8}, device),
                                   upload<T>(v, {5, 8}, device), options);
  expect_terms<T>(download<T>(y), expected, record, "attention to shared keys");
}

template <class T>
void check_attentions(const Device& device, const OperatorInfo& record) {
  check_attention<T>(device, record);
  check_broadcast<T>(device, record);
}

/// Means and norms along each dimension.
template <class T>
void check_moment(const Device& device, const OperatorInfo& record) {
  for (const auto [m, n] : {Extents{1, 1}, {3, 5}, {40, 70}, {2, 3000}}) {
    const Values<T> values = tame_values<T>(count_of({m, n}), 20);
    for (const Layout layout : kLayouts) {
      const Tensor a = arrange<T>(values, {m, n}, layout, device);
      for (const int axis : {0, 1}) {
        const std::int64_t reduced = axis == 0 ? m : n;
        Terms<T> means(count_of({axis == 0 ? n : m}));
        std::vector<double> squares(means.size());
        for (std::int64_t i = 0; i < m * n; ++i) {
          const auto to = static_cast<std::size_t>(axis == 0 ? i % n : i / n);
          const Exact<T> x = at<T>(values, i);
          means[to].add(x / static_cast<Exact<T>>(reduced));
          squares[to] += static_cast<double>(x * x);
        }
        const std::string what = "moment along " + std::to_string(axis);
        expect_terms<T>(download<T>(mean(a, axis)), means, record, what);
        const Values<T> norms = download<T>(norm(a, 2, axis));
        for (std::size_t i = 0; i < norms.size(); ++i) {
          const double expected = std::sqrt(squares[i]);
          EXPECT_NEAR(static_cast<double>(norms[i]), expected,
                      expected * (sizeof(T) == 8 ? 1e-14 : 1e-6))
              << what << ", norm at " << i;
        }
      }
    }
  }
}

}  // namespace

OperatorCases composite_cases() {
  return {case_of<Types::kFloats>("moment", PATCHBAY_OF_TYPES(check_moment)),
          case_of<Types::kFloats>("linear", PATCHBAY_OF_TYPES(check_linears)),
          case_of<Types::kFloats>("attention", PATCHBAY_OF_TYPES(check_attentions))};
}

}  // namespace patchbay::test
