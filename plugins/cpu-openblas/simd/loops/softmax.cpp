// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Softmax and its adjoint. Element i of a block belongs to lane i % kLanes, as in reduce.cpp.
#include "cpu-openblas/simd/functions.hpp"
#include "cpu-openblas/simd/half_rows.hpp"
#include "cpu-openblas/simd/loops/lanes.hpp"
#include "cpu-openblas/simd/rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

/// Rows above this length are summed into f64 when columns are reduced.
constexpr std::int64_t kRowsTogether = 128;

/// exp(x) for x <= 0, or NaN.
PATCHBAY_INLINE float exp_of_difference(float x) {
  return scaled_exp_of_sum(-104.0f > x ? -104.0f : x, kNoRest) * 0x1p-64f;
}
PATCHBAY_INLINE double exp_of_difference(double x) {
  return exp_of_sum(-746.0 > x ? -746.0 : x, 0.0);
}

/// NaN is ignored, because the sum of the exponentials will be NaN.
template <class T>
inline T most_of(std::int64_t n, const T* x) {
  constexpr T kLeast = static_cast<T>(-__builtin_inff());
  Lanes<T> lanes(kLeast);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
  }
  if (i < n) {
    const Lanes<T> rest(n - i, x + i, kLeast);
    for (int k = 0; k < kLanes; ++k) lanes[k] = rest[k] > lanes[k] ? rest[k] : lanes[k];
  }
  return lanes.joined([](T a, T b) { return a > b ? a : b; });
}

/// The sum of exp(x - most) of at most kBlock elements. Keeps the exponentials, which may replace
/// x.
template <bool kKeeps, class T>
inline T sum_of_block(std::int64_t n, const T* x, T most, T* exps) {
  Lanes<T> lanes(T(0));
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    PATCHBAY_VECTORISE
    for (int k = 0; k < kLanes; ++k) {
      const T e = exp_of_difference(x[i + k] - most);
      if constexpr (kKeeps) exps[i + k] = e;
      lanes[k] += e;
    }
  }
  if (i < n) {
    Lanes<T> rest(n - i, x + i, static_cast<T>(-__builtin_inff()));
    for (int k = 0; k < kLanes; ++k) {
      rest[k] = exp_of_difference(rest[k] - most);
      lanes[k] += rest[k];
    }
    if constexpr (kKeeps) rest.store(n - i, exps + i);
  }
  return lanes.joined([](T a, T b) { return a + b; });
}

template <bool kKeeps, class T>
inline double sum_of_row(std::int64_t n, const T* x, T most, T* exps) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; i += kBlock) {
    const std::int64_t count = n - i < kBlock ? n - i : kBlock;
    sum += static_cast<double>(sum_of_block<kKeeps>(count, x + i, most, kKeeps ? exps + i : exps));
  }
  return sum;
}

struct Scale {
  template <class T>
  static T apply(T e, T factor) {
    return e * factor;
  }
};
struct Probability {
  template <class T>
  static T apply(T x, T most, T factor) {
    return exp_of_difference(x - most) * factor;
  }
};
struct Logarithm {
  template <class T>
  static T apply(T x, T most, T logarithm) {
    return (x - most) - logarithm;
  }
};

template <class T>
inline T factor_of(bool logarithm, double sum) {
  return static_cast<T>(logarithm ? log(sum) : 1 / sum);
}

template <class E>
double softmax_sum(std::int64_t n, const void* a, double most) {
  using T = ValueOf<E>;
  alignas(kLineBytes) T room[kIsHalf<E> ? kBlock : 1];
  const T* const x = values_of(n, static_cast<const E*>(a), room);
  return static_cast<double>(sum_of_block<false>(n, x, static_cast<T>(most), room));
}

template <class E>
void softmax_write(std::int64_t n, void* out, const void* a, bool logarithm, double most,
                   double sum, bool stream) {
  using T = ValueOf<E>;
  alignas(kLineBytes) T room[kIsHalf<E> ? kBlock : 1];
  const T* const x = values_of(n, static_cast<const E*>(a), room);
  const T factor = factor_of<T>(logarithm, sum);
  E* const to = static_cast<E*>(out);
  if (logarithm) {
    write_row<Logarithm>(stream, n, to, x, static_cast<T>(most), factor);
  } else {
    write_row<Probability>(stream, n, to, x, static_cast<T>(most), factor);
  }
}

/// A row whose exponentials are kept: in `room`, or where the result will be if they do not fit.
template <class E>
inline void softmax_row(std::int64_t n, E* out, const E* a, bool logarithm, bool stream,
                        ValueOf<E>* room) {
  using T = ValueOf<E>;
  const T* const x = values_of(n, a, room);
  const T most = most_of(n, x);
  if (logarithm) {
    const T factor = factor_of<T>(true, sum_of_row<false>(n, x, most, room));
    return write_row<Logarithm>(stream, n, out, x, most, factor);
  }
  T* exps = room;
  if constexpr (!kIsHalf<E>) exps = n <= kMostKept ? room : out;
  const T factor = factor_of<T>(false, sum_of_row<true>(n, x, most, exps));
  write_row<Scale>(stream && exps == room, n, out, static_cast<const T*>(exps), factor);
}

/// A row of 16-bit floats that is converted block by block, each time that it is needed.
template <class E>
inline void softmax_long_row(std::int64_t n, E* out, const E* a, bool logarithm, float* room) {
  const auto count_at = [=](std::int64_t i) { return n - i < kBlock ? n - i : kBlock; };
  float most = -__builtin_inff();
  for (std::int64_t i = 0; i < n; i += kBlock) {
    const float here = most_of(count_at(i), values_of(count_at(i), a + i, room));
    most = here > most ? here : most;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < n; i += kBlock) {
    sum += softmax_sum<E>(count_at(i), a + i, static_cast<double>(most));
  }
  for (std::int64_t i = 0; i < n; i += kBlock) {
    softmax_write<E>(count_at(i), out + i, a + i, logarithm, static_cast<double>(most), sum, false);
  }
}

/// Rows of so few elements that each step is done for several: their chains of dependent
/// instructions then overlap.
constexpr std::int64_t kShortRow = 512;
constexpr std::int64_t kTogether = 32;

/// out[i] = Op(x[i], scalars...) in whole vectors, the last of them masked.
template <class Op, class T, class... Scalars>
inline void write_short(std::int64_t n, T* out, const T* x, Scalars... scalars) {
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const std::int64_t count = n - i < kLanes ? n - i : kLanes;
    Lanes<T> lanes(count, x + i, T(0));
    for (int k = 0; k < kLanes; ++k) lanes[k] = Op::apply(lanes[k], scalars...);
    lanes.store(count, out + i);
  }
}

template <class E>
inline void softmax_short_rows(std::int64_t num_rows, std::int64_t n, E* out, const E* a,
                               bool logarithm, ValueOf<E>* room) {
  using T = ValueOf<E>;
  T most[kTogether], factor[kTogether];
  double sum[kTogether];
  for (std::int64_t first = 0; first < num_rows; first += kTogether) {
    const std::int64_t count = num_rows - first < kTogether ? num_rows - first : kTogether;
    const T* const x = values_of(count * n, a + first * n, room);
    for (std::int64_t r = 0; r < count; ++r) most[r] = most_of(n, x + r * n);
    for (std::int64_t r = 0; r < count; ++r) {
      const T* const row = x + r * n;
      sum[r] = logarithm ? static_cast<double>(sum_of_block<false>(n, row, most[r], room))
                         : static_cast<double>(sum_of_block<true>(n, row, most[r], room + r * n));
    }
    for (std::int64_t r = count; r < kTogether; ++r) sum[r] = 1;
    if (logarithm) {
      for (std::int64_t r = 0; r < kTogether; ++r) factor[r] = factor_of<T>(true, sum[r]);
    } else {
      for (std::int64_t r = 0; r < kTogether; ++r) factor[r] = factor_of<T>(false, sum[r]);
    }
    T* const results = results_of(out + first * n, room);
    for (std::int64_t r = 0; r < count; ++r) {
      if (logarithm) {
        write_short<Logarithm>(n, results + r * n, x + r * n, most[r], factor[r]);
      } else {
        write_short<Scale>(n, results + r * n, static_cast<const T*>(room) + r * n, factor[r]);
      }
    }
    if constexpr (kIsHalf<E>) narrow(count * n, results, out + first * n);
  }
}

template <class E>
void softmax_rows(std::int64_t num_rows, std::int64_t n, void* out, const void* a, bool logarithm,
                  bool stream) {
  alignas(kLineBytes) ValueOf<E> room[kMostKept];
  if (n <= kShortRow) {
    return softmax_short_rows(num_rows, n, static_cast<E*>(out), static_cast<const E*>(a),
                              logarithm, room);
  }
  for (std::int64_t row = 0; row < num_rows; ++row) {
    E* const to = static_cast<E*>(out) + row * n;
    const E* const from = static_cast<const E*>(a) + row * n;
    if constexpr (kIsHalf<E>) {
      if (n > kMostKept) {
        softmax_long_row(n, to, from, logarithm, room);
        continue;
      }
    }
    softmax_row(n, to, from, logarithm, stream, room);
  }
}

/// Sums of columns: in T for a few rows, then in f64.
template <class T>
class ColumnSums {
 public:
  explicit ColumnSums(std::int64_t width) : width_(width) {
    for (std::int64_t i = 0; i < kMaxWidth; ++i) {
      part_[i] = 0;
      sum_[i] = 0;
    }
  }
  T* part() { return part_; }
  /// Call it after each row.
  void next() {
    if (++rows_ % kRowsTogether == 0) join();
  }
  const double* finish() {
    join();
    return sum_;
  }

 private:
  void join() {
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < width_; ++i) {
      sum_[i] += static_cast<double>(part_[i]);
      part_[i] = 0;
    }
  }

  const std::int64_t width_;
  std::int64_t rows_ = 0;
  alignas(kLineBytes) T part_[kMaxWidth];
  alignas(kLineBytes) double sum_[kMaxWidth];
};

template <class E>
void softmax_columns(std::int64_t n, std::int64_t width, std::int64_t step, void* out,
                     const void* a, bool logarithm) {
  using T = ValueOf<E>;
  const E* const in = static_cast<const E*>(a);
  E* const to = static_cast<E*>(out);
  alignas(kLineBytes) T most[kMaxWidth], factor[kMaxWidth], room[kMaxWidth], results[kMaxWidth];
  for (std::int64_t i = 0; i < width; ++i) most[i] = static_cast<T>(-__builtin_inff());
  for (std::int64_t r = 0; r < n; ++r) {
    const T* const x = values_of(width, in + r * step, room);
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < width; ++i) most[i] = x[i] > most[i] ? x[i] : most[i];
  }
  ColumnSums<T> sums(width);
  for (std::int64_t r = 0; r < n; ++r, sums.next()) {
    const T* const x = values_of(width, in + r * step, room);
    T* const part = sums.part();
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < width; ++i) part[i] += exp_of_difference(x[i] - most[i]);
  }
  const double* const sum = sums.finish();
  for (std::int64_t i = 0; i < width; ++i) factor[i] = factor_of<T>(logarithm, sum[i]);
  for (std::int64_t r = 0; r < n; ++r) {
    const T* const x = values_of(width, in + r * step, room);
    T* const result = results_of(to + r * step, results);
    if (logarithm) {
      plain_loop<Logarithm>(width, result, Contiguous<T>{x}, Contiguous<T>{most},
                            Contiguous<T>{factor});
    } else {
      plain_loop<Probability>(width, result, Contiguous<T>{x}, Contiguous<T>{most},
                              Contiguous<T>{factor});
    }
    if constexpr (kIsHalf<E>) narrow(width, results, to + r * step);
  }
}

// ------------------------------------------------------------------------------- adjoint ---

struct AdjointOfProbability {
  template <class T>
  static T apply(T grad, T y, T sum) {
    return y * (grad - sum);
  }
  template <class T>
  static T term(T grad, T y) {
    return grad * y;
  }
};
struct AdjointOfLogarithm {
  template <class T>
  static T apply(T grad, T y, T sum) {
    return grad - exp_of_difference(y) * sum;
  }
  template <class T>
  static T term(T grad, T) {
    return grad;
  }
};

template <class Adjoint, class T>
inline T adjoint_sum_of_block(std::int64_t n, const T* grad, const T* y) {
  Lanes<T> lanes(T(0));
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lanes[k] += Adjoint::term(grad[i + k], y[i + k]);
  }
  if (i < n) {
    const Lanes<T> g(n - i, grad + i, T(0)), p(n - i, y + i, T(0));
    for (int k = 0; k < kLanes; ++k) lanes[k] += Adjoint::term(g[k], p[k]);
  }
  return lanes.joined([](T a, T b) { return a + b; });
}

template <class Adjoint, class E>
inline double adjoint_sum(std::int64_t n, const E* grad, const E* y) {
  using T = ValueOf<E>;
  alignas(kLineBytes) T grads[kIsHalf<E> ? kBlock : 1], results[kIsHalf<E> ? kBlock : 1];
  return static_cast<double>(
      adjoint_sum_of_block<Adjoint>(n, values_of(n, grad, grads), values_of(n, y, results)));
}

template <class Adjoint, class E>
inline void adjoint_write(std::int64_t n, E* out, const E* grad, const E* y, double sum,
                          bool stream) {
  using T = ValueOf<E>;
  alignas(kLineBytes) T grads[kIsHalf<E> ? kBlock : 1], results[kIsHalf<E> ? kBlock : 1];
  const T* const g = values_of(n, grad, grads);
  const Contiguous<T> p{values_of(n, y, results)};
  const Repeated<T> s{static_cast<T>(sum)};
  if constexpr (kIsHalf<E>) {
    plain_loop<Adjoint>(n, grads, Contiguous<T>{g}, p, s);
    narrow(n, grads, out);
  } else {
    loop<Adjoint>(stream, n, out, Contiguous<T>{g}, p, s);
  }
}

template <class Adjoint, class E>
inline void adjoint_rows(std::int64_t num_rows, std::int64_t n, E* out, const E* grad, const E* y,
                         bool stream) {
  for (std::int64_t row = 0; row < num_rows; ++row) {
    const std::int64_t first = row * n;
    double sum = 0;
    for (std::int64_t i = 0; i < n; i += kBlock) {
      const std::int64_t count = n - i < kBlock ? n - i : kBlock;
      sum += adjoint_sum<Adjoint>(count, grad + first + i, y + first + i);
    }
    for (std::int64_t i = 0; i < n; i += kBlock) {
      const std::int64_t count = n - i < kBlock ? n - i : kBlock;
      adjoint_write<Adjoint>(count, out + first + i, grad + first + i, y + first + i, sum, stream);
    }
  }
}

template <class Adjoint, class E>
inline void adjoint_columns(std::int64_t n, std::int64_t width, std::int64_t step, E* out,
                            const E* grad, const E* y) {
  using T = ValueOf<E>;
  alignas(kLineBytes) T grads[kMaxWidth], results[kMaxWidth], total[kMaxWidth];
  ColumnSums<T> sums(width);
  for (std::int64_t r = 0; r < n; ++r, sums.next()) {
    const T* const g = values_of(width, grad + r * step, grads);
    const T* const p = values_of(width, y + r * step, results);
    T* const part = sums.part();
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < width; ++i) part[i] += Adjoint::term(g[i], p[i]);
  }
  const double* const sum = sums.finish();
  for (std::int64_t i = 0; i < width; ++i) total[i] = static_cast<T>(sum[i]);
  for (std::int64_t r = 0; r < n; ++r) {
    const Contiguous<T> g{values_of(width, grad + r * step, grads)};
    const Contiguous<T> p{values_of(width, y + r * step, results)};
    T* const to = results_of(out + r * step, grads);
    plain_loop<Adjoint>(width, to, g, p, Contiguous<T>{total});
    if constexpr (kIsHalf<E>) narrow(width, grads, out + r * step);
  }
}

// --------------------------------------------------------------------------------- table ---

/// Calls body(the adjoint's type).
template <class Body>
inline auto with_adjoint(bool logarithm, const Body& body) {
  return logarithm ? body(AdjointOfLogarithm()) : body(AdjointOfProbability());
}

template <class E>
SoftmaxLoops loops_of() {
  SoftmaxLoops loops;
  loops.rows = softmax_rows<E>;
  loops.sum = softmax_sum<E>;
  loops.write = softmax_write<E>;
  loops.columns = softmax_columns<E>;
  loops.adjoint_rows = [](std::int64_t num_rows, std::int64_t n, void* out, const void* grad,
                          const void* y, bool logarithm, bool stream) {
    with_adjoint(logarithm, [&](auto adjoint) {
      adjoint_rows<decltype(adjoint)>(num_rows, n, static_cast<E*>(out),
                                      static_cast<const E*>(grad), static_cast<const E*>(y),
                                      stream);
    });
  };
  loops.adjoint_sum = [](std::int64_t n, const void* grad, const void* y, bool logarithm) {
    return with_adjoint(logarithm, [&](auto adjoint) {
      return adjoint_sum<decltype(adjoint)>(n, static_cast<const E*>(grad),
                                            static_cast<const E*>(y));
    });
  };
  loops.adjoint_write = [](std::int64_t n, void* out, const void* grad, const void* y,
                           bool logarithm, double sum, bool stream) {
    with_adjoint(logarithm, [&](auto adjoint) {
      adjoint_write<decltype(adjoint)>(n, static_cast<E*>(out), static_cast<const E*>(grad),
                                       static_cast<const E*>(y), sum, stream);
    });
  };
  loops.adjoint_columns = [](std::int64_t n, std::int64_t width, std::int64_t step, void* out,
                             const void* grad, const void* y, bool logarithm) {
    with_adjoint(logarithm, [&](auto adjoint) {
      adjoint_columns<decltype(adjoint)>(n, width, step, static_cast<E*>(out),
                                         static_cast<const E*>(grad), static_cast<const E*>(y));
    });
  };
  return loops;
}

}  // namespace

void fill_softmax(SimdTable& table) {
  table.softmax[PATCHBAY_F32] = loops_of<float>();
  table.softmax[PATCHBAY_F64] = loops_of<double>();
  table.softmax[PATCHBAY_F16] = loops_of<F16>();
  table.softmax[PATCHBAY_BF16] = loops_of<Bf16>();
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
