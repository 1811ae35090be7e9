// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the library composes on devices without a kernel for it: layers and attention against loops.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <patchbay/attention.h>
#include <patchbay/ops.h>

#include "operators/cases.h"
#include "operators/float_case.h"
#include "operators/layouts.h"
#include "operators/sums.h"

namespace patchbay::test {
namespace {

template <class T>
Exact<T> at(const Values<T>& values, std::int64_t i) {
  return static_cast<Exact<T>>(values[static_cast<std::size_t>(i)]);
}

// ---------------------------------------------------------------------------------- linear ---

struct Layer {
  std::int64_t rows, in, out;
};
struct Extents {
  std::int64_t m, n;
};

template <class T>
void check_linear(const Device& device, const OperatorInfo& record) {
  for (const auto [m, k, n] :
       {Layer{1, 1, 1}, Layer{3, 5, 7}, Layer{16, 16, 16}, Layer{33, 9, 64}, Layer{64, 130, 10},
        Layer{1, 300, 2}, Layer{0, 3, 2}, Layer{3, 0, 2}, Layer{2, 3, 0}}) {
    const Values<T> x = tame_values<T>(count_of({m, k}), 1);
    const Values<T> weight = tame_values<T>(count_of({n, k}), 2);
    const Values<T> bias = tame_values<T>(count_of({n}), 3);
    Sums<T> expected(count_of({m, n}));
    for (std::int64_t i = 0; i < m * n; ++i) {
      Sum<T>& element = expected[static_cast<std::size_t>(i)];
      element.add(at<T>(bias, i % n));
      for (std::int64_t l = 0; l < k; ++l) {
        element.add(at<T>(x, i / n * k + l) * at<T>(weight, i % n * k + l));
      }
    }
    for (const Layout left : kLayouts) {
      for (const Layout right : kLayouts) {
        const std::string what = "linear " + std::to_string(m) + 'x' + std::to_string(k) + 'x' +
                                 std::to_string(n) + ' ' + testing::PrintToString(left) + ", " +
                                 testing::PrintToString(right);
        const Tensor y =
            linear(arrange<T>(x, {m, k}, left, device), arrange<T>(weight, {n, k}, right, device),
                   arrange<T>(bias, {n}, right, device));
        expect_sums<T>(download<T>(y), expected, record, what);
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
    Sums<T> expected(x.size() / 6 * 5);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i / 5), column = static_cast<std::int64_t>(i % 5);
      expected[i].add(at<T>(bias, column));
      for (std::int64_t l = 0; l < 6; ++l) {
        expected[i].add(at<T>(x, row * 6 + l) * at<T>(weight, column * 6 + l));
      }
    }
    const Tensor y = linear(upload<T>(x, shape, device), upload<T>(weight, {5, 6}, device),
                            upload<T>(bias, {5}, device));
    expect_sums<T>(download<T>(y), expected, record, "linear of " + to_string(shape));
  }
}

// ------------------------------------------------------------------------------- attention ---

struct Heads {
  Shape batch;  // leading dimensions
  std::int64_t queries, keys, features, values;
};

/// softmax(scale q k^T) v of one head. The terms are probabilities times values, and what a
/// rounding of the scores does to a probability.
template <class T>
void attend(const Heads& by, const Values<T>& q, const Values<T>& k, const Values<T>& v,
            std::int64_t head, double scale, Sums<T>& out) {
  for (std::int64_t i = 0; i < by.queries; ++i) {
    std::vector<Exact<T>> scores(static_cast<std::size_t>(by.keys));
    Exact<T> most = -INFINITY, total = 0, roughness = 1;
    for (std::int64_t j = 0; j < by.keys; ++j) {
      Sum<T> score;
      for (std::int64_t l = 0; l < by.features; ++l) {
        score.add(static_cast<Exact<T>>(scale) *
                  at<T>(q, (head * by.queries + i) * by.features + l) *
                  at<T>(k, (head * by.keys + j) * by.features + l));
      }
      scores[static_cast<std::size_t>(j)] = score.value;
      most = std::max(most, score.value);
      roughness = std::max(roughness, score.scale);
    }
    for (Exact<T>& score : scores) total += score = std::exp(score - most);
    for (std::int64_t n = 0; n < by.values; ++n) {
      Sum<T>& element = out[static_cast<std::size_t>((head * by.queries + i) * by.values + n)];
      for (std::int64_t j = 0; j < by.keys; ++j) {
        element.add(scores[static_cast<std::size_t>(j)] / total *
                    at<T>(v, (head * by.keys + j) * by.values + n));
      }
      element.scale *= roughness;
    }
  }
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
    Sums<T> expected(count_of(with_matrix(by.batch, by.queries, by.values)));
    const double scale = 1 / std::sqrt(static_cast<double>(by.features));
    for (std::int64_t head = 0; head < heads; ++head) {
      attend<T>(by, q, k, v, head, scale, expected);
    }
    const std::string what = "attention of " + to_string(of_query) + ' ' + to_string(of_value);
    const Tensor query = upload<T>(q, of_query, device), key = upload<T>(k, of_key, device);
    const Tensor value = upload<T>(v, of_value, device);
    const Tensor y = scaled_dot_product_attention(query, key, value);
    ASSERT_EQ(y.shape(), with_matrix(by.batch, by.queries, by.values)) << what;
    expect_sums<T>(download<T>(y), expected, record, what);
    // As layers of several heads have them: the heads are neighbours within a row.
    if (by.batch.rank() != 2) continue;
    const auto split = [](const Tensor& a) {
      return a.transpose(1, 2).contiguous().transpose(1, 2);
    };
    expect_sums<T>(
        download<T>(scaled_dot_product_attention(split(query), split(key), split(value))), expected,
        record, what + ", heads within rows");
  }
}

/// A key that all queries share, and another scale.
template <class T>
void check_broadcast(const Device& device, const OperatorInfo& record) {
  const Heads by{{2, 3}, 4, 5, 8, 8};
  const Values<T> q = tame_values<T>(count_of({2, 3, 4, 8}), 10);
  const Values<T> k = tame_values<T>(count_of({5, 8}), 11);
  const Values<T> v = tame_values<T>(count_of({5, 8}), 12);
  Values<T> all_k, all_v;
  for (int head = 0; head < 6; ++head) {
    all_k.insert(all_k.end(), k.begin(), k.end());
    all_v.insert(all_v.end(), v.begin(), v.end());
  }
  Sums<T> expected(q.size());
  for (std::int64_t head = 0; head < 6; ++head) {
    attend<T>(by, q, all_k, all_v, head, -0.75, expected);
  }
  AttentionOptions options;
  options.scale = -0.75;
  const Tensor y =
      scaled_dot_product_attention(upload<T>(q, {2, 3, 4, 8}, device), upload<T>(k, {5, 8}, device),
                                   upload<T>(v, {5, 8}, device), options);
  expect_sums<T>(download<T>(y), expected, record, "attention to shared keys");
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
        Sums<T> means(count_of({axis == 0 ? n : m}));
        std::vector<double> squares(means.size());
        for (std::int64_t i = 0; i < m * n; ++i) {
          const auto to = static_cast<std::size_t>(axis == 0 ? i % n : i / n);
          const Exact<T> x = at<T>(values, i);
          means[to].add(x / static_cast<Exact<T>>(reduced));
          squares[to] += static_cast<double>(x * x);
        }
        const std::string what = "moment along " + std::to_string(axis);
        expect_sums<T>(download<T>(mean(a, axis)), means, record, what);
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
  return {for_floats("moment", [](const Device& device, const OperatorInfo& record,
                                  auto zero) { check_moment<decltype(zero)>(device, record); }),
          for_floats("linear",
                     [](const Device& device, const OperatorInfo& record, auto zero) {
                       check_linear<decltype(zero)>(device, record);
                       check_ranks<decltype(zero)>(device, record);
                     }),
          for_floats("attention", [](const Device& device, const OperatorInfo& record, auto zero) {
            check_attention<decltype(zero)>(device, record);
            check_broadcast<decltype(zero)>(device, record);
          })};
}

}  // namespace patchbay::test
