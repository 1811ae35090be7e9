// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The kernels of kit/portable/texts/factors as functions of C++: one work-item has all of a matrix.
// Included once for each type of element. Define before: PATCHBAY_ITEM (the struct's name), PAIRS,
// PATCHBAY_REAL, EPSILON and LEAST.

struct PATCHBAY_ITEM {
  using T = PATCHBAY_REAL;

  static constexpr i32 patchbay_local_id[3] = {0, 0, 0}, patchbay_group_size[3] = {1, 1, 1};
  i32 patchbay_group_id[3] = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  alignas(16) char shared[4096];

  static void patchbay_barrier() {}
  char* patchbay_share(i64 bytes) {
    char* const at = shared + shared_bytes;
    shared_bytes += bytes;
    return at;
  }
  static T sqrt(T x) { return square_root(x); }
  static T fabs(T x) { return absolute(x); }

  // Each follows those before.
  // clang-format off
#include "kit/portable/texts/factors/numbers.pbk"
#include "kit/portable/texts/factors/reflector.pbk"
#include "kit/portable/texts/factors/lu.pbk"
#include "kit/portable/texts/factors/cholesky.pbk"
#include "kit/portable/texts/factors/triangular.pbk"
#include "kit/portable/texts/factors/qr.pbk"
#include "kit/portable/texts/factors/eigh.pbk"
#include "kit/portable/texts/factors/svd.pbk"
#include "kit/portable/texts/factors/eig.pbk"
  // clang-format on

  static const Sizes& sizes_of(const FactorSizes& sizes) {
    static_assert(sizeof(Sizes) == sizeof(FactorSizes));
    return reinterpret_cast<const Sizes&>(sizes);
  }
  static Z* numbers(void* operand) { return static_cast<Z*>(operand); }
  static T* reals(void* operand) { return static_cast<T*>(operand); }
  static i64* integers(void* operand) { return static_cast<i64*>(operand); }

  static void run_lu(void* const* operands, const FactorSizes& sizes, std::int64_t group) {
    at(group).patchbay_kernel_lu(numbers(operands[0]), integers(operands[1]), integers(operands[2]),
                                 integers(operands[3]), sizes_of(sizes));
  }
  static void run_cholesky(void* const* operands, const FactorSizes& sizes, std::int64_t group) {
    at(group).patchbay_kernel_cholesky(numbers(operands[0]), integers(operands[1]),
                                       sizes_of(sizes));
  }
  static void run_triangular(void* const* operands, const FactorSizes& sizes, std::int64_t group) {
    at(group).patchbay_kernel_triangular(numbers(operands[0]), numbers(operands[1]),
                                         sizes_of(sizes));
  }
  static void run_qr(void* const* operands, const FactorSizes& sizes, std::int64_t group) {
    at(group).patchbay_kernel_qr(numbers(operands[0]), numbers(operands[1]), numbers(operands[2]),
                                 sizes_of(sizes));
  }
  static void run_eigh(void* const* operands, const FactorSizes& sizes, std::int64_t group) {
    at(group).patchbay_kernel_eigh(numbers(operands[0]), reals(operands[1]), numbers(operands[2]),
                                   numbers(operands[3]), reals(operands[4]), integers(operands[5]),
                                   sizes_of(sizes));
  }
  static void run_svd(void* const* operands, const FactorSizes& sizes, std::int64_t group) {
    at(group).patchbay_kernel_svd(numbers(operands[0]), reals(operands[1]), numbers(operands[2]),
                                  integers(operands[3]), sizes_of(sizes));
  }
  static void run_eig(void* const* operands, const FactorSizes& sizes, std::int64_t group) {
    at(group).patchbay_kernel_eig(numbers(operands[0]), static_cast<C*>(operands[1]),
                                  static_cast<C*>(operands[2]), numbers(operands[3]),
                                  integers(operands[4]), sizes_of(sizes));
  }

  static void fill(FactorLoop (&loops)[kNumFactors]) {
#define PATCHBAY_ENTERED(name, ...) loops[static_cast<std::size_t>(Factor::name)] = run_##name;
    PATCHBAY_OPERATORS_FACTOR(PATCHBAY_ENTERED)
#undef PATCHBAY_ENTERED
  }

 private:
  static PATCHBAY_ITEM at(std::int64_t group) {
    PATCHBAY_ITEM item;
    item.patchbay_group_id[0] = static_cast<i32>(group);
    return item;
  }
};
