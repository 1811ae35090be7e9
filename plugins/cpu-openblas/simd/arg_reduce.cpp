// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where the extreme is: the lowest index of equals, the first NaN if there is one.
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

/// The extreme of at least kLanes elements, without its place: the part that vectorises.
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

/// The first place of a value that is there.
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

template <class Order, class T>
void arg_columns(std::int64_t num_rows, std::int64_t width, const void* const* rows,
                 std::int64_t first, void* values, std::int64_t* indices) {
  T* best = static_cast<T*>(values);
  for (std::int64_t r = 0; r < num_rows; ++r) {
    const T* x = static_cast<const T*>(rows[r]);
    const std::int64_t here = first + r;
    PATCHBAY_VECTORISE
    for (std::int64_t i = 0; i < width; ++i) {
      const bool better = (indices[i] < 0) | Order::better(x[i], best[i]);
      best[i] = better ? x[i] : best[i];
      indices[i] = better ? here : indices[i];
    }
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
  table.arg_reduce[kArgMin][DtypeOf<T>::value] = make<Least, T>();
  table.arg_reduce[kArgMax][DtypeOf<T>::value] = make<Greatest, T>();
}

}  // namespace

void fill_arg_reduce(SimdTable& table) {
  fill_type<float>(table);
  fill_type<double>(table);
  fill_type<std::int32_t>(table);
  fill_type<std::int64_t>(table);
  fill_type<std::uint8_t>(table);
  for (int op = 0; op < kNumArgOps; ++op) {
    table.arg_reduce[op][PATCHBAY_BOOL] = table.arg_reduce[op][PATCHBAY_U8];
  }
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
