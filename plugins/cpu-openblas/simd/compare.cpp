// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

using Bool = std::uint8_t;

#define PATCHBAY_COMPARE(Name, sign) \
  struct Name {                      \
    template <class T>               \
    static Bool apply(T a, T b) {    \
      return a sign b ? 1 : 0;       \
    }                                \
  }
PATCHBAY_COMPARE(Equal, ==);
PATCHBAY_COMPARE(NotEqual, !=);
PATCHBAY_COMPARE(Less, <);
PATCHBAY_COMPARE(LessEqual, <=);
PATCHBAY_COMPARE(Greater, >);
PATCHBAY_COMPARE(GreaterEqual, >=);
#undef PATCHBAY_COMPARE

// Memory of the application's may hold other bytes than 0 and 1 for a bool.
struct BoolEqual {
  static Bool apply(Bool a, Bool b) { return (a != 0) == (b != 0) ? 1 : 0; }
};
struct BoolNotEqual {
  static Bool apply(Bool a, Bool b) { return (a != 0) != (b != 0) ? 1 : 0; }
};
struct Not {
  static Bool apply(Bool a) { return a == 0 ? 1 : 0; }
};
struct And {
  static Bool apply(Bool a, Bool b) { return ((a != 0) & (b != 0)) ? 1 : 0; }
};
struct Or {
  static Bool apply(Bool a, Bool b) { return (a | b) != 0 ? 1 : 0; }
};

template <class T>
void fill_type(SimdTable& table) {
  constexpr int dtype = DtypeOf<T>::value;
  table.compare[kEqual][dtype] = binary_row<Equal, Bool, T, T>;
  table.compare[kNotEqual][dtype] = binary_row<NotEqual, Bool, T, T>;
  table.compare[kLess][dtype] = binary_row<Less, Bool, T, T>;
  table.compare[kLessEqual][dtype] = binary_row<LessEqual, Bool, T, T>;
  table.compare[kGreater][dtype] = binary_row<Greater, Bool, T, T>;
  table.compare[kGreaterEqual][dtype] = binary_row<GreaterEqual, Bool, T, T>;
}

}  // namespace

void fill_compare(SimdTable& table) {
  fill_type<float>(table);
  fill_type<double>(table);
  fill_type<std::int32_t>(table);
  fill_type<std::int64_t>(table);
  fill_type<std::uint8_t>(table);
  table.compare[kEqual][PATCHBAY_BOOL] = binary_row<BoolEqual, Bool, Bool, Bool>;
  table.compare[kNotEqual][PATCHBAY_BOOL] = binary_row<BoolNotEqual, Bool, Bool, Bool>;
  // One byte, 0 or 1: they order like numbers.
  for (int op = kLess; op <= kGreaterEqual; ++op) {
    table.compare[op][PATCHBAY_BOOL] = table.compare[op][PATCHBAY_U8];
  }
  table.logical[kLogicalNot] = unary_row<Not, Bool, Bool>;
  table.logical[kLogicalAnd] = binary_row<And, Bool, Bool, Bool>;
  table.logical[kLogicalOr] = binary_row<Or, Bool, Bool, Bool>;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
