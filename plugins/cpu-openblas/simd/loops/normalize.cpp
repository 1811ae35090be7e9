// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Normalization: statistics of blocks, the result, and the sums and results of its adjoints.
#include "cpu-openblas/simd/loops/lanes.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

/// Two sums over the elements of a block.
template <class T>
struct Pair {
  T first, second;
};

/// Elements side by side. Behind the last one `fill` stands for those that a vector has too many.
template <class T>
struct Filled {
  PATCHBAY_INLINE T operator[](std::int64_t i) const { return x[i]; }
  const T* x;
  T fill;
};

template <class T>
struct Rest {
  PATCHBAY_INLINE T operator[](std::int64_t i) const { return lanes[static_cast<int>(i)]; }
  Lanes<T> lanes;
};

template <class T>
PATCHBAY_INLINE Rest<T> rest_of(const Filled<T>& of, std::int64_t at, std::int64_t n) {
  return {Lanes<T>(n, of.x + at, of.fill)};
}
template <class T>
PATCHBAY_INLINE Repeated<T> rest_of(const Repeated<T>& of, std::int64_t, std::int64_t) {
  return of;
}

template <class T, class Term, class... Operands>
PATCHBAY_INLINE void add_lanes(Lanes<T>& first, Lanes<T>& second, std::int64_t at, Term term,
                               const Operands&... operands) {
  for (int k = 0; k < kLanes; ++k) {
    const Pair<T> one = term(operands[at + k]...);
    first[k] += one.first;
    second[k] += one.second;
  }
}

/// Calls term(operands...) for n elements and sums its pairs, which are 0 for the fills.
template <class T, class Term, class... Operands>
PATCHBAY_INLINE Pair<T> sums_of(std::int64_t n, Term term, const Operands&... operands) {
  Lanes<T> first(T(0)), second(T(0));
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) add_lanes(first, second, i, term, operands...);
  if (i < n) add_lanes(first, second, 0, term, rest_of(operands, i, n - i)...);
  const auto add = [](T a, T b) { return a + b; };
  return {first.joined(add), second.joined(add)};
}

template <class T>
PATCHBAY_INLINE T sum_of(std::int64_t n, const T* x) {
  Lanes<T> sums(T(0));
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) sums[k] += x[i + k];
  }
  if (i < n) {
    const Lanes<T> rest(n - i, x + i, T(0));
    for (int k = 0; k < kLanes; ++k) sums[k] += rest[k];
  }
  return sums.joined([](T a, T b) { return a + b; });
}

/// The mean is corrected by the mean of the deviations from it, which removes its rounding error:
/// Chan, Golub and LeVeque, Algorithms for Computing the Sample Variance, 1983.
template <class T>
void moments(std::int64_t n, const void* a, bool centered, double* mean, double* squares) {
  const T* const x = static_cast<const T*>(a);
  const auto count = static_cast<double>(n);
  T middle = 0;
  if (centered) {
    middle = static_cast<T>(static_cast<double>(sum_of(n, x)) / count);
  }
  const auto term = [=](T value) {
    const T deviation = value - middle;
    return Pair<T>{deviation, deviation * deviation};
  };
  const Pair<T> sums = sums_of<T>(n, term, Filled<T>{x, middle});
  const auto rest = static_cast<double>(sums.first);
  *mean = centered ? static_cast<double>(middle) + rest / count : 0;
  *squares = static_cast<double>(sums.second);
  const double excess = centered ? rest * rest / count : 0;
  if (excess < *squares) *squares -= excess;  // not of infinity
}

struct Apply {
  template <class T>
  static T apply(T a, T mean, T factor, T weight, T bias) {
    return (a - mean) * factor * weight + bias;
  }
};
struct Adjoint {
  template <class T>
  static T apply(T grad, T a, T weight, T mean, T factor, T along, T across) {
    return factor * (grad * weight - along - (a - mean) * factor * across);
  }
};

template <class T>
struct Scalars {
  explicit Scalars(const NormalizedRow& row)
      : a{static_cast<const T*>(row.a)},
        mean{static_cast<T>(row.mean)},
        factor{static_cast<T>(row.factor)} {}
  Contiguous<T> a;
  Repeated<T> mean, factor;
};

template <class T>
void apply(const NormalizedRow& row, void* out, const void* bias, std::int64_t bias_step,
           bool stream) {
  const Scalars<T> x(row);
  with_operand<T>(row.weight, row.weight_step, [&](auto weight) {
    with_operand<T>(bias, bias_step, [&](auto offset) {
      loop<Apply>(stream, row.n, static_cast<T*>(out), x.a, x.mean, x.factor, weight, offset);
    });
  });
}

template <class T>
void sums(const NormalizedRow& row, const void* grad, double* along, double* across) {
  const Scalars<T> x(row);
  const auto term = [=](T grad_value, T a, T weight) {
    const T d = grad_value * weight;
    return Pair<T>{d, d * ((a - x.mean.value) * x.factor.value)};
  };
  const Filled<T> g{static_cast<const T*>(grad), 0}, a{static_cast<const T*>(row.a), 0};
  const T* const weight = static_cast<const T*>(row.weight);
  const Pair<T> both = row.weight_step == 0 ? sums_of<T>(row.n, term, g, a, Repeated<T>{*weight})
                                            : sums_of<T>(row.n, term, g, a, Filled<T>{weight, 0});
  *along = static_cast<double>(both.first);
  *across = static_cast<double>(both.second);
}

template <class T>
void adjoint(const NormalizedRow& row, void* out, const void* grad, double along, double across,
             bool stream) {
  const Scalars<T> x(row);
  const Repeated<T> shift{static_cast<T>(along)}, slope{static_cast<T>(across)};
  with_operand<T>(row.weight, row.weight_step, [&](auto weight) {
    loop<Adjoint>(stream, row.n, static_cast<T*>(out), Contiguous<T>{static_cast<const T*>(grad)},
                  x.a, weight, x.mean, x.factor, shift, slope);
  });
}

template <class T>
void add(const NormalizedRow& row, const void* grad, void* of_weight, void* of_bias) {
  const Scalars<T> x(row);
  const T* const g = static_cast<const T*>(grad);
  T* const weights = static_cast<T*>(of_weight);
  T* const biases = static_cast<T*>(of_bias);
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < row.n; ++i) {
    weights[i] += g[i] * ((x.a[i] - x.mean.value) * x.factor.value);
    biases[i] += g[i];
  }
}

template <class T>
constexpr NormalizeLoops loops_of() {
  return {moments<T>, apply<T>, sums<T>, adjoint<T>, add<T>};
}

}  // namespace

void fill_normalize(SimdTable& table) {
  table.normalize[PATCHBAY_F32] = loops_of<float>();
  table.normalize[PATCHBAY_F64] = loops_of<double>();
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
