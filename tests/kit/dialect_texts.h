// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Texts of users' kernels, for the compilers that must take them.
#ifndef PATCHBAY_TESTS_KIT_DIALECT_TEXTS_H_
#define PATCHBAY_TESTS_KIT_DIALECT_TEXTS_H_

#include "patchbay/plugin/types.h"

#include "support/kernels.h"
#include "support/paths.h"

namespace patchbay::test {

inline constexpr const char* kExamples[] = {"saxpy", "block_sum", "tiled_gemm"};

/// Uses every macro of the dialect.
inline constexpr const char* kEverything = R"(
PATCHBAY_TABLE(f32, weights, 2) = {0.5f, 2.0f};
PATCHBAY_FUNCTION f32 first(PATCHBAY_GLOBAL const f32* PATCHBAY_RESTRICT x) { return x[0]; }
PATCHBAY_FUNCTION f32 second(PATCHBAY_LOCAL f32* x) { return x[1]; }
PATCHBAY_FUNCTION f32 third(PATCHBAY_CONSTANT f32* x) { return x[1]; }
PATCHBAY_KERNEL(everything)(PATCHBAY_INPUT(f32, a), PATCHBAY_OUTPUT(f32, b), PATCHBAY_INOUT(i32, c),
                            PATCHBAY_INPUT(bool, d), PATCHBAY_OUTPUT(u8, e), PATCHBAY_INOUT(i64, f),
                            PATCHBAY_VALUE(f32, g), PATCHBAY_VALUE(i32, h), PATCHBAY_VALUE(i64, i),
                            PATCHBAY_VALUE(u8, j)) {
  PATCHBAY_BIND_INPUT(f32, a);
  PATCHBAY_BIND(f32, b);
  PATCHBAY_BIND(i32, c);
  PATCHBAY_BIND_INPUT(bool, d);
  PATCHBAY_BIND(u8, e);
  PATCHBAY_BIND(i64, f);
  PATCHBAY_SHARED(f32, row, 64);
  PATCHBAY_SHARED_2D(i32, tile, 4, 4);
  const i32 me = PATCHBAY_LOCAL_ID(0) + PATCHBAY_GROUP_ID(1) + PATCHBAY_GROUP_SIZE(2) +
                 PATCHBAY_NUM_GROUPS(0) + PATCHBAY_GLOBAL_ID(1) + PATCHBAY_SUB_GROUP_WIDTH;
  const i64 at = PATCHBAY_GLOBAL_ID64(0) + PATCHBAY_GLOBAL_ID64(1) + PATCHBAY_GLOBAL_ID64(2);
  row[me & 63] = g;
  tile[me & 3][h & 3] = me;
  PATCHBAY_BARRIER();
  const u32 bits = PATCHBAY_BITS(a[at]);
  const u64 wide = (u64)bits * (u64)bits + PATCHBAY_MUL_HIGH_U32(bits, bits);
  b[at] = PATCHBAY_FROM_BITS(bits) + first(a) + second(row) + third(weights) + PATCHBAY_INFINITY +
          PATCHBAY_NAN + (f32)wide;
  e[at] = d[at] ? j : (u8)0;
  f[at] += i + tile[0][0];
  PATCHBAY_ATOMIC_ADD_I32(&c[0], 1);
  PATCHBAY_ATOMIC_MIN_I32(&c[1], me);
  PATCHBAY_ATOMIC_MAX_I32(&c[2], me);
  PATCHBAY_ATOMIC_CAS_I32(&c[3], 0, me);
  PATCHBAY_ATOMIC_ADD_F32(&b[0], 1.0f);
  PATCHBAY_ATOMIC_ADD_SHARED_F32(&row[0], 1.0f);
  const f32 x = a[0], y = a[1];
  b[1] = sqrt(x) + rsqrt(x) + exp(x) + exp2(x) + log(x) + log2(x) + log10(x) + expm1(x) + log1p(x) +
         sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + sinh(x) + cosh(x) + tanh(x) +
         erf(x) + erfc(x) + fabs(x) + floor(x) + ceil(x) + trunc(x) + rint(x) + pow(x, y) + fmin(x, y) +
         fmax(x, y) + fmod(x, y) + atan2(x, y) + copysign(x, y) + fma(x, y, x);
}
)";

/// The text above and those of the examples, by name.
inline std::vector<std::pair<std::string, std::string>> texts() {
  std::vector<std::pair<std::string, std::string>> result = {{"everything", kEverything}};
  for (const char* name : kExamples) result.emplace_back(name, read_text(example_path(name)));
  return result;
}

/// Enough for all forms of a text.
inline const Bytes kFewDtypes = {PATCHBAY_F32, PATCHBAY_F16, PATCHBAY_I64, PATCHBAY_BOOL};

inline std::string with_dialect(const std::string& text) {
  return read_text(source_path("include/patchbay/plugin/kernels/dialect.h")) +
         "#line 1 \"text\"\n" + text;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_KIT_DIALECT_TEXTS_H_
