// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A product and the sum or difference that uses it as one loop, for fused expressions. Both are
// rounded, as by two loops.
#include "cpu-openblas/simd/rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

struct ProductPlus {
  template <class T>
  static T apply(T a, T b, T c) {
    return a * b + c;
  }
};
struct PlusProduct {
  template <class T>
  static T apply(T a, T b, T c) {
    return c + a * b;
  }
};
struct ProductMinus {
  template <class T>
  static T apply(T a, T b, T c) {
    return a * b - c;
  }
};
struct MinusProduct {
  template <class T>
  static T apply(T a, T b, T c) {
    return c - a * b;
  }
};

/// Operands go on by one element or repeat one.
template <class Op, class T>
void product_row(std::int64_t n, void* out, const void* a, const void* b, const void* c,
                 const Steps& steps) {
  with_operand<T>(a, steps.a, [&](auto x) {
    with_operand<T>(b, steps.b, [&](auto y) {
      with_operand<T>(c, steps.c,
                      [&](auto z) { loop<Op>(steps.stream, n, static_cast<T*>(out), x, y, z); });
    });
  });
}

template <class Op>
void fill_rows(Row3* rows) {
  rows[PATCHBAY_F32] = product_row<Op, float>;
  rows[PATCHBAY_F64] = product_row<Op, double>;
}

}  // namespace

void fill_product_sum(SimdTable& table) {
  fill_rows<ProductPlus>(table.product_sum[number_of(ProductSum::kProductPlus)]);
  fill_rows<PlusProduct>(table.product_sum[number_of(ProductSum::kPlusProduct)]);
  fill_rows<ProductMinus>(table.product_sum[number_of(ProductSum::kProductMinus)]);
  fill_rows<MinusProduct>(table.product_sum[number_of(ProductSum::kMinusProduct)]);
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
