// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax, normalization, their adjoints, and attention. Operands are functions of a row-major
// number; results are terms of type E.
#ifndef PATCHBAY_CONFORMANCE_REFERENCE_ROWS_H_
#define PATCHBAY_CONFORMANCE_REFERENCE_ROWS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "conformance/reference/number.h"

namespace patchbay::conformance {

template <class E>
using Terms = std::vector<Term<E>>;

template <class E>
std::vector<E> values_of(const Terms<E>& terms) {
  std::vector<E> values;
  for (const Term<E>& term : terms) values.push_back(term.value);
  return values;
}

/// The elements as a function of their row-major number.
template <class Elements>
auto elements_of(const Elements& elements) {
  return [&elements](std::size_t i) { return elements.at(i); };
}

// ------------------------------------------------------------------------------- softmax ---

/// Along the middle of [outer, n, inner].
struct Slices {
  std::int64_t outer, n, inner;

  std::size_t size() const { return static_cast<std::size_t>(outer * n * inner); }
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

template <class E, class At>
Terms<E> softmax_terms(const Slices& slices, bool logarithm, const At& a) {
  Terms<E> terms(slices.size());
  slices.for_slices([&](const std::vector<std::size_t>& places) {
    E most = -std::numeric_limits<E>::infinity(), sum = 0;
    for (const std::size_t i : places) most = std::max(most, E(a(i)));
    for (const std::size_t i : places) sum += std::exp(E(a(i)) - most);
    for (const std::size_t i : places) {
      const E x = a(i), difference = x - most, value = std::exp(difference) / sum;
      if (logarithm)
        terms[i] = {difference - std::log(sum), std::fabs(x) + std::fabs(most) + std::log(sum)};
      else
        terms[i] = {value, value == 0 ? 0 : value * (1 + std::fabs(difference))};
    }
  });
  return terms;
}

/// The gradient of the operand, from the gradient and the value of the result.
template <class E, class Grad, class Result>
Terms<E> softmax_input_terms(const Slices& slices, bool logarithm, const Grad& grad,
                             const Result& y) {
  Terms<E> terms(slices.size());
  slices.for_slices([&](const std::vector<std::size_t>& places) {
    Term<E> sum;
    for (const std::size_t i : places) sum.add(E(grad(i)) * (logarithm ? 1 : E(y(i))));
    for (const std::size_t i : places) {
      const E g = grad(i), p = y(i), share = std::exp(p);
      if (logarithm)
        terms[i] = {g - share * sum.value, std::fabs(g) + share * sum.scale};
      else
        terms[i] = {p * (g - sum.value), p * (std::fabs(g) + sum.scale)};
    }
  });
  return terms;
}

// ------------------------------------------------------------------------- normalization ---

/// Statistics of [s, g, e, o] for each [s, g], in a batch for each g; weights for each [g, e].
struct NormalizationShape {
  std::int64_t s, g, e, o;
  bool is_batch = false, is_centered = true;

  std::size_t size() const { return static_cast<std::size_t>(s * g * e * o); }
  std::size_t num_statistics() const { return static_cast<std::size_t>(is_batch ? g : s * g); }
  std::size_t num_weights() const { return static_cast<std::size_t>(g * e); }
  std::size_t statistic(std::size_t place) const {
    const std::size_t row = place / static_cast<std::size_t>(e * o);
    return is_batch ? row % static_cast<std::size_t>(g) : row;
  }
  std::size_t weight(std::size_t place) const {
    return place / static_cast<std::size_t>(o) % num_weights();
  }
  std::int64_t count() const { return is_batch ? s * e * o : e * o; }
};

/// Means, which are 0 if it is not centered, and variances.
template <class E>
struct Statistics {
  template <class At>
  Statistics(const NormalizationShape& shape, const At& a)
      : means(shape.num_statistics()), variances(means.size()) {
    const E count = static_cast<E>(shape.count());
    if (shape.is_centered) {
      for (std::size_t i = 0; i < shape.size(); ++i) means[shape.statistic(i)] += E(a(i));
    }
    for (E& mean : means) mean /= count;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const E deviation = E(a(i)) - means[shape.statistic(i)];
      variances[shape.statistic(i)] += deviation * deviation;
    }
    for (E& variance : variances) variance /= count;
  }

  std::vector<E> means, variances;
};

/// Operands of type T, the statistics that a kernel has, and what it makes of them.
template <class E, class T>
struct Normalized {
  NormalizationShape shape;
  Statistics<E> statistics;
  double epsilon;
  std::vector<T> a, grad, weight, bias;

  E factor(std::size_t i) const {
    return 1 / std::sqrt(statistics.variances[shape.statistic(i)] + E(epsilon));
  }
  /// (a - mean) / deviation
  Term<E> x(std::size_t i) const {
    const E mean = statistics.means[shape.statistic(i)], f = factor(i);
    return {(E(a[i]) - mean) * f, (std::fabs(E(a[i])) + std::fabs(mean)) * f};
  }
  E slope(std::size_t i) const { return E(grad[i]) * E(weight[shape.weight(i)]); }

  Terms<E> terms() const {
    Terms<E> all(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Term<E> element = x(i);
      const E w = weight[shape.weight(i)], b = bias[shape.weight(i)];
      all[i] = {element.value * w + b, element.scale * std::fabs(w) + std::fabs(b)};
    }
    return all;
  }
  Terms<E> input_terms() const {
    const E count = static_cast<E>(shape.count());
    Terms<E> all(a.size()), along(shape.num_statistics()), across(along.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t row = shape.statistic(i);
      const Term<E> element = x(i);
      const E d = slope(i);
      if (shape.is_centered) along[row].add(d / count);
      across[row].add(d * element.value / count, std::fabs(d) * element.scale / count);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Term<E>&mean = along[shape.statistic(i)], &share = across[shape.statistic(i)];
      const Term<E> element = x(i);
      const E f = factor(i), d = slope(i);
      all[i] = {f * (d - mean.value - element.value * share.value),
                f * (std::fabs(d) + mean.scale + element.scale * share.scale)};
    }
    return all;
  }
  Terms<E> weight_terms() const {
    Terms<E> all(shape.num_weights());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Term<E> element = x(i);
      all[shape.weight(i)].add(E(grad[i]) * element.value, std::fabs(E(grad[i])) * element.scale);
    }
    return all;
  }
  Terms<E> bias_terms() const {
    Terms<E> all(shape.num_weights());
    for (std::size_t i = 0; i < a.size(); ++i) all[shape.weight(i)].add(E(grad[i]));
    return all;
  }
};

// ----------------------------------------------------------------------------- attention ---

struct AttentionShape {
  std::int64_t heads, queries, keys, features, values;
  double scale;
};

/// Nothing is added to a score.
inline constexpr auto kUnmasked = [](std::int64_t, std::int64_t, std::int64_t) { return 0; };

/// softmax(scale q k^T + added(head, query, key)) v of each head; 0 where all scores are -infinity.
/// Calls body(number of the query, number of the value, term, roughness): what a rounding of the
/// scores does to a probability.
template <class E, class Query, class Key, class Value, class Added, class Body>
void attend(const AttentionShape& by, const Query& q, const Key& k, const Value& v,
            const Added& added, const Body& body) {
  const auto at = [](const auto& operand, std::int64_t i) {
    return static_cast<E>(operand(static_cast<std::size_t>(i)));
  };
  for (std::int64_t query = 0; query < by.heads * by.queries; ++query) {
    const std::int64_t first_key = query / by.queries * by.keys;
    std::vector<E> weights;
    E most = -std::numeric_limits<E>::infinity(), total = 0, roughness = 1;
    for (std::int64_t j = 0; j < by.keys; ++j) {
      Term<E> score;
      for (std::int64_t l = 0; l < by.features; ++l) {
        score.add(E(by.scale) * at(q, query * by.features + l) *
                  at(k, (first_key + j) * by.features + l));
      }
      weights.push_back(score.value + E(added(query / by.queries, query % by.queries, j)));
      most = std::max(most, weights.back());
      roughness = std::max(roughness, score.scale);
    }
    for (E& weight : weights) {
      weight = std::isinf(most) ? 0 : std::exp(weight - most);
      total += weight;
    }
    for (std::int64_t n = 0; n < by.values; ++n) {
      Term<E> sum;
      for (std::int64_t j = 0; j < by.keys; ++j) {
        const E weight = weights[static_cast<std::size_t>(j)];
        if (weight != 0) sum.add(weight / total * at(v, (first_key + j) * by.values + n));
      }
      body(query, n, sum, roughness);
    }
  }
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_REFERENCE_ROWS_H_
