// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrap<T>>(a) + static_cast<Wrap<T>>(b));
  }
};

struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrap<T>>(a) - static_cast<Wrap<T>>(b));
  }
};

struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(b));
  }
};

/// Integers: by zero gives zero, and the one quotient that does not fit wraps.
struct Div {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      return a / b;
    } else {
      if (b == 0) return 0;
      if (T(-1) < T(0) && b == T(-1)) return static_cast<T>(Wrap<T>{0} - static_cast<Wrap<T>>(a));
      return static_cast<T>(a / b);
    }
  }
};

// A comparison with NaN is false: what remains is the NaN.
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) return ((a > b) | (a != a)) ? a : b;
    return a > b ? a : b;
  }
};

struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) return ((a < b) | (a != a)) ? a : b;
    return a < b ? a : b;
  }
};

template <class T>
void fill_type(SimdTable& table) {
  constexpr int dtype = DtypeOf<T>::value;
  table.binary[kAdd][dtype] = binary_row<Add, T, T, T>;
  table.binary[kSub][dtype] = binary_row<Sub, T, T, T>;
  table.binary[kMul][dtype] = binary_row<Mul, T, T, T>;
  table.binary[kDiv][dtype] = binary_row<Div, T, T, T>;
  table.binary[kMaximum][dtype] = binary_row<Maximum, T, T, T>;
  table.binary[kMinimum][dtype] = binary_row<Minimum, T, T, T>;
}

}  // namespace

void fill_arithmetic(SimdTable& table) {
  fill_type<float>(table);
  fill_type<double>(table);
  fill_type<std::int32_t>(table);
  fill_type<std::int64_t>(table);
  fill_type<std::uint8_t>(table);
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
