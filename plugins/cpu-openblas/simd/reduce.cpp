// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Sums, products and extremes. Element i of a block belongs to lane i % kLanes; lanes are combined
// in halves. Rows and columns use the same order, so a transposed view gives the same bits, as does
// any vector width.
#include "patchbay/plugin/kernels/operators.h"

#include "functions.hpp"
#include "half_rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

constexpr std::int64_t kLanes = 32;

/// The initial values of extremes.
template <class T>
constexpr T lowest() {
  if constexpr (kIsFloat<T>)
    return static_cast<T>(-__builtin_inff());
  else
    return Limits<T>::kLowest;
}
template <class T>
constexpr T highest() {
  if constexpr (kIsFloat<T>)
    return static_cast<T>(__builtin_inff());
  else
    return Limits<T>::kHighest;
}

/// The type in which integers are summed and multiplied; floats use their own type.
template <class T>
struct SumOf {
  using type = std::uint64_t;
};
template <>
struct SumOf<float> {
  using type = float;
};
template <>
struct SumOf<double> {
  using type = double;
};
template <class T>
using Sum = typename SumOf<T>::type;

/// Sign extension first, then arithmetic that wraps.
template <class T>
inline Sum<T> widen(T x) {
  if constexpr (kIsFloat<T>) return x;
  return static_cast<Sum<T>>(static_cast<std::int64_t>(x));
}

inline float magnitude(float x) { return __builtin_fabsf(x); }
inline double magnitude(double x) { return __builtin_fabs(x); }

// An operation: its accumulator's type and initial value, and how to add and combine.
template <class T>
struct SumStep {
  using Accumulator = Sum<T>;
  static constexpr Accumulator kStart = 0;
  static Accumulator enter(T x) { return widen(x); }
  static Accumulator join(Accumulator a, Accumulator b) { return a + b; }
};

struct BoolSumStep : SumStep<std::uint8_t> {
  static Accumulator enter(std::uint8_t x) { return x != 0 ? 1 : 0; }
};

template <class T>
struct ProductStep {
  using Accumulator = Sum<T>;
  static constexpr Accumulator kStart = 1;
  static Accumulator enter(T x) { return widen(x); }
  static Accumulator join(Accumulator a, Accumulator b) { return a * b; }
};

// Once a NaN, always a NaN.
template <class T>
struct MaxStep {
  using Accumulator = T;
  static constexpr T kStart = lowest<T>();
  static T enter(T x) { return x; }
  static T join(T a, T b) {
    if constexpr (kIsFloat<T>) return ((a > b) | (a != a)) ? a : b;
    return a > b ? a : b;
  }
  /// join() for operands that are not NaN.
  static T join_numbers(T a, T b) { return a > b ? a : b; }
};

template <class T>
struct MinStep {
  using Accumulator = T;
  static constexpr T kStart = highest<T>();
  static T enter(T x) { return x; }
  static T join(T a, T b) {
    if constexpr (kIsFloat<T>) return ((a < b) | (a != a)) ? a : b;
    return a < b ? a : b;
  }
  /// join() for operands that are not NaN.
  static T join_numbers(T a, T b) { return a < b ? a : b; }
};

/// Of an operator; those that give an index are in arg_reduce.cpp.
template <ReduceOp op, class T>
struct Step {};
template <class T>
struct Step<ReduceOp::sum, T> : SumStep<T> {};
template <class T>
struct Step<ReduceOp::sum_squares, T> : SumStep<T> {
  static Sum<T> enter(T x) { return widen(x) * widen(x); }
};
template <class T>
struct Step<ReduceOp::sum_abs, T> : SumStep<T> {
  static Sum<T> enter(T x) { return magnitude(x); }
};
template <class T>
struct Step<ReduceOp::prod, T> : ProductStep<T> {};
template <class T>
struct Step<ReduceOp::max_abs, T> : MaxStep<Sum<T>> {
  static constexpr Sum<T> kStart = 0;
  static Sum<T> enter(T x) { return magnitude(x); }
};
template <class T>
struct Step<ReduceOp::min, T> : MinStep<T> {};
template <class T>
struct Step<ReduceOp::max, T> : MaxStep<T> {};

/// Converts halves to floats first; n is at most kMaxWidth.
template <class Step, class T, class A>
inline void add_row(std::int64_t n, A* lanes, const T* in) {
  if constexpr (kIsHalf<T>) {
    alignas(kLineBytes) float floats[kMaxWidth];
    widen(n, in, floats);
    return add_row<Step>(n, lanes, static_cast<const float*>(floats));
  } else {
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < n; ++i) lanes[i] = Step::join(lanes[i], Step::enter(in[i]));
  }
}

template <class Step, class T, class A>
inline void start_row(std::int64_t n, A* lanes, const T* in) {
  if constexpr (kIsHalf<T>) {
    alignas(kLineBytes) float floats[kMaxWidth];
    widen(n, in, floats);
    return start_row<Step>(n, lanes, static_cast<const float*>(floats));
  } else {
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < n; ++i) lanes[i] = Step::join(Step::kStart, Step::enter(in[i]));
  }
}

/// Whether add_numbers() takes rows of T.
template <class Step, class T>
constexpr bool kHasFastNumbers = kIsFloat<T>&& requires(T x) {
  Step::join_numbers(x, x);
};

/// Adds rows of kWidth elements, an even number, faster than add_row. Returns false if one is
/// NaN; then the lanes have no meaning.
template <class Step, int kWidth, class T>
inline bool add_numbers(std::int64_t num_rows, const T* in, T* lanes) {
  using Word = decltype(bits_of(T{}));
  Word unordered[kWidth];
  for (int i = 0; i < kWidth; ++i) unordered[i] = lanes[i] != lanes[i];
  for (const T* const end = in + num_rows * kWidth; in < end; in += 2 * kWidth) {
    PATCHBAY_VECTORISE
    for (int i = 0; i < kWidth; ++i) {
      const T a = Step::enter(in[i]), b = Step::enter(in[i + kWidth]);
      unordered[i] |= __builtin_isunordered(a, b) ? ~Word{0} : Word{0};
      lanes[i] = Step::join_numbers(Step::join_numbers(lanes[i], a), b);
    }
  }
  Word any = 0;
  for (const Word each : unordered) any |= each;
  return any == 0;
}

template <class Step, int kHalf, class A>
inline void join_halves(A* lanes) {
  PATCHBAY_VECTORISE
  for (int i = 0; i < kHalf; ++i) lanes[i] = Step::join(lanes[i], lanes[i + kHalf]);
  if constexpr (kHalf > 1) join_halves<Step, kHalf / 2>(lanes);
}

template <class Step, class T>
void reduce_block(std::int64_t n, const void* in, void* accumulator) {
  using A = typename Step::Accumulator;
  const T* x = static_cast<const T*>(in);
  const std::int64_t used = n < kLanes ? n : kLanes;
  A lanes[kLanes];
  lanes[0] = Step::kStart;
  start_row<Step>(used, lanes, x);
  std::int64_t i = kLanes;
  if constexpr (kHasFastNumbers<Step, T>) {
    const std::int64_t rows = (n - kLanes) / (2 * kLanes) * 2;
    if (rows > 0) {
      if (add_numbers<Step, kLanes>(rows, x + kLanes, lanes)) {
        i += rows * kLanes;
      } else {
        start_row<Step>(kLanes, lanes, x);
      }
    }
  }
  for (; i + kLanes <= n; i += kLanes) add_row<Step>(kLanes, lanes, x + i);
  if (i < n) add_row<Step>(n - i, lanes, x + i);
  if (used == kLanes) {
    join_halves<Step, kLanes / 2>(lanes);
  } else {
    // Empty lanes are skipped, which equals combining their initial value.
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
      const std::int64_t joined = used - half < half ? used - half : half;
      for (std::int64_t lane = 0; lane < joined; ++lane) {
        lanes[lane] = Step::join(lanes[lane], lanes[lane + half]);
      }
    }
  }
  *static_cast<A*>(accumulator) = lanes[0];
}

/// Reduces as many columns as have their accumulators in registers, lane by lane.
template <class Step, class T, std::int64_t kColumns, class A>
inline void reduce_strip(std::int64_t num_rows, const void* const* rows, std::int64_t column,
                         std::int64_t lane_size, A* lanes) {
  for (std::int64_t lane = 0; lane < kLanes && lane < num_rows; ++lane) {
    A sums[kColumns];
    start_row<Step>(kColumns, sums, static_cast<const T*>(rows[lane]) + column);
    for (std::int64_t r = lane + kLanes; r < num_rows; r += kLanes) {
      const std::int64_t ahead = r + kLanes * kRowsAhead;
      const std::int64_t soon = ahead < num_rows ? ahead : (ahead + 1) % kLanes;
      prefetch(static_cast<const T*>(rows[soon]) + column, kColumns * std::int64_t{sizeof(T)});
      add_row<Step>(kColumns, sums, static_cast<const T*>(rows[r]) + column);
    }
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < kColumns; ++i) lanes[lane * lane_size + column + i] = sums[i];
  }
}

template <class Step, class T, class A>
inline void reduce_narrow(std::int64_t num_rows, const void* const* rows, std::int64_t column,
                          std::int64_t width, std::int64_t lane_size, A* lanes) {
  for (std::int64_t r = 0; r < num_rows; ++r) {
    const T* row = static_cast<const T*>(rows[r]) + column;
    A* lane = lanes + r % kLanes * lane_size + column;
    if (r < kLanes) {
      start_row<Step>(width, lane, row);
    } else {
      add_row<Step>(width, lane, row);
    }
  }
}

template <class Step, class T>
void reduce_columns(std::int64_t num_rows, std::int64_t width, const void* const* rows,
                    void* accumulators) {
  using A = typename Step::Accumulator;
  constexpr std::int64_t kWidth = tile_width(sizeof(T));
  constexpr std::int64_t kStrip = 8 * kVectorBytes / std::int64_t{sizeof(A)};
  alignas(kLineBytes) A lanes[kLanes][kWidth];
  std::int64_t column = 0;
  for (; column + kStrip <= width; column += kStrip) {
    reduce_strip<Step, T, kStrip>(num_rows, rows, column, kWidth, lanes[0]);
  }
  if (column < width) {
    reduce_narrow<Step, T>(num_rows, rows, column, width - column, kWidth, lanes[0]);
  }
  const std::int64_t used = num_rows < kLanes ? num_rows : kLanes;
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::int64_t r = 0; r < half && r + half < used; ++r) {
      PATCHBAY_VECTORISE
      for (std::int64_t i = 0; i < width; ++i) {
        lanes[r][i] = Step::join(lanes[r][i], lanes[r + half][i]);
      }
    }
  }
  A* out = static_cast<A*>(accumulators);
  for (std::int64_t i = 0; i < width; ++i) out[i] = lanes[0][i];
}

template <class Step>
void combine(std::int64_t n, void* accumulators, const void* later) {
  using A = typename Step::Accumulator;
  A* a = static_cast<A*>(accumulators);
  const A* b = static_cast<const A*>(later);
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) a[i] = Step::join(a[i], b[i]);
}

template <class Step, class T>
constexpr Reduction make() {
  if constexpr (requires { typename Step::Accumulator; }) {
    return {reduce_block<Step, T>, reduce_columns<Step, T>, combine<Step>};
  } else {
    return {};
  }
}

/// Elements of T are accumulated as those of `Wide`.
template <class T, class Wide = T>
void fill_type(SimdTable& table) {
  constexpr int kDtype = DtypeOf<T>::value;
#define PATCHBAY_FILL(name, version, since, arguments, dtypes, ...)                          \
  if constexpr ((PATCHBAY_SET_##dtypes >> kDtype & 1) != 0) {                                \
    table.reduce[number_of(ReduceOp::name)][kDtype] = make<Step<ReduceOp::name, Wide>, T>(); \
  }
  PATCHBAY_OPERATORS_REDUCTION(PATCHBAY_FILL)
#undef PATCHBAY_FILL
}

}  // namespace

void fill_reduce(SimdTable& table) {
  for_plain([&](auto x) { fill_type<decltype(x)>(table); });
  fill_type<F16, float>(table);
  fill_type<Bf16, float>(table);
  table.reduce[number_of(ReduceOp::sum)][PATCHBAY_BOOL] = make<BoolSumStep, std::uint8_t>();
  constexpr ReduceOp kExtremes[] = {ReduceOp::min, ReduceOp::max};
  for (const ReduceOp op : kExtremes) {
    Reduction* const dtypes = table.reduce[number_of(op)];
    dtypes[PATCHBAY_BOOL] = dtypes[PATCHBAY_U8];
  }
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
