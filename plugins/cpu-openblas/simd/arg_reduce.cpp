// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Indices of extremes: the lowest of equal elements, or the first NaN if there is one.
#include "target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

template <class T>
inline bool is_nan(T x) {
  if constexpr (kIsFloat<T>) return x != x;
  return false;
}

struct Least {
  template <class T>
  static bool better(T x, T best) {
    return (x < best) | (is_nan(x) & !is_nan(best));
  }
};
struct Greatest {
  template <class T>
  static bool better(T x, T best) {
    return (x > best) | (is_nan(x) & !is_nan(best));
  }
};

constexpr std::int64_t kLanes = 64;

/// The extreme of at least kLanes elements, without its index; this part can be vectorised.
template <class Order, class T>
inline T extreme_of(std::int64_t n, const T* x) {
  T lanes[kLanes];
  for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] = x[i];
  std::int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    PATCHBAY_VECTORISE
    for (std::int64_t j = 0; j < kLanes; ++j) {
      lanes[j] = Order::better(x[i + j], lanes[j]) ? x[i + j] : lanes[j];
    }
  }
  T best = lanes[0];
  for (std::int64_t j = 1; j < kLanes; ++j) best = Order::better(lanes[j], best) ? lanes[j] : best;
  for (; i < n; ++i) best = Order::better(x[i], best) ? x[i] : best;
  return best;
}

template <class T>
inline bool same(T x, T y) {
  return (x == y) | (is_nan(x) & is_nan(y));
}

/// The first index of a value, which must exist.
template <class T>
inline std::int64_t find(std::int64_t n, const T* x, T value) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    int found = 0;
    for (std::int64_t j = 0; j < kLanes; ++j) found |= same(x[i + j], value) ? 1 : 0;
    if (found != 0) break;
  }
  while (i < n - 1 && !same(x[i], value)) ++i;
  return i;
}

template <class Order, class T>
void arg_block(std::int64_t n, const void* in, std::int64_t first, void* value,
               std::int64_t* index) {
  const T* x = static_cast<const T*>(in);
  T& best = *static_cast<T*>(value);
  if (n >= 2 * kLanes) {
    const T extreme = extreme_of<Order>(n, x);
    if (*index >= 0 && !Order::better(extreme, best)) return;
    best = extreme;
    *index = first + find(n, x, extreme);
    return;
  }
  std::int64_t i = 0;
  if (*index < 0) {
    best = x[0];
    *index = first;
    i = 1;
  }
  for (; i < n; ++i) {
    if (!Order::better(x[i], best)) continue;
    best = x[i];
    *index = first + i;
  }
}

/// Row numbers within a block, in integers as wide as the elements so that vectors match.
template <int kBytes>
struct PlaceOf {
  using type = std::int16_t;
};
template <>
struct PlaceOf<4> {
  using type = std::int32_t;
};
template <>
struct PlaceOf<8> {
  using type = std::int64_t;
};

/// `kColumns`: a constant number of columns that fit in registers, or 0 for up to `width` columns.
template <class Order, class T, std::int64_t kColumns>
inline void arg_strip(std::int64_t num_rows, const void* const* rows, std::int64_t column,
                      std::int64_t width, std::int64_t first, void* values, std::int64_t* indices) {
  using Place = typename PlaceOf<sizeof(T)>::type;
  constexpr std::int64_t kWidth = kColumns > 0 ? kColumns : tile_width(sizeof(T));
  const std::int64_t n = kColumns > 0 ? kColumns : width;
  alignas(kLineBytes) T best[kWidth];
  alignas(kLineBytes) Place places[kWidth];
  for (std::int64_t i = 0; i < n; ++i) {
    best[i] = static_cast<const T*>(rows[0])[column + i];
    places[i] = 0;
  }
  for (std::int64_t r = 1; r < num_rows; ++r) {
    if (r + kRowsAhead < num_rows) {
      prefetch(static_cast<const T*>(rows[r + kRowsAhead]) + column, n * std::int64_t{sizeof(T)});
    }
    const T* x = static_cast<const T*>(rows[r]) + column;
    const Place here = static_cast<Place>(r);
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < n; ++i) {
      const bool better = Order::better(x[i], best[i]);
      best[i] = better ? x[i] : best[i];
      places[i] = better ? here : places[i];
    }
  }
  T* known = static_cast<T*>(values) + column;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t& index = indices[column + i];
    if (index >= 0 && !Order::better(best[i], known[i])) continue;
    known[i] = best[i];
    index = first + places[i];
  }
}

template <class Order, class T>
void arg_columns(std::int64_t num_rows, std::int64_t width, const void* const* rows,
                 std::int64_t first, void* values, std::int64_t* indices) {
  constexpr std::int64_t kStrip = 4 * kVectorBytes / std::int64_t{sizeof(T)};
  std::int64_t column = 0;
  for (; column + kStrip <= width; column += kStrip) {
    arg_strip<Order, T, kStrip>(num_rows, rows, column, kStrip, first, values, indices);
  }
  if (column < width) {
    arg_strip<Order, T, 0>(num_rows, rows, column, width - column, first, values, indices);
  }
}

template <class Order, class T>
void arg_combine(std::int64_t n, void* values, std::int64_t* indices, const void* later_values,
                 const std::int64_t* later_indices) {
  T* best = static_cast<T*>(values);
  const T* later = static_cast<const T*>(later_values);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!Order::better(later[i], best[i])) continue;
    best[i] = later[i];
    indices[i] = later_indices[i];
  }
}

template <class Order, class T>
constexpr ArgReduction make() {
  return {arg_block<Order, T>, arg_columns<Order, T>, arg_combine<Order, T>};
}

template <class T>
void fill_type(SimdTable& table) {
  table.arg_reduce[number_of(ReduceOp::argmin)][DtypeOf<T>::value] = make<Least, T>();
  table.arg_reduce[number_of(ReduceOp::argmax)][DtypeOf<T>::value] = make<Greatest, T>();
}

}  // namespace

void fill_arg_reduce(SimdTable& table) {
  for_plain([&](auto x) { fill_type<decltype(x)>(table); });
  for (auto& dtypes : table.arg_reduce) dtypes[PATCHBAY_BOOL] = dtypes[PATCHBAY_U8];
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
