// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Factorizations: the texts that other devices compile at run time.
#pragma GCC diagnostic push
// Texts are C, and declare what only some of them need.
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#define PATCHBAY_ENTRY(name)
#include "patchbay/plugin/kernels/dialect.h"

#include "cpu-openblas/simd/functions.hpp"
#include "cpu-openblas/simd/target.hpp"

#define PATCHBAY_INDEPENDENT PATCHBAY_VECTORISE

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

PATCHBAY_INLINE float square_root(float x) { return __builtin_sqrtf(x); }
PATCHBAY_INLINE double square_root(double x) { return __builtin_sqrt(x); }
PATCHBAY_INLINE float absolute(float x) { return __builtin_fabsf(x); }
PATCHBAY_INLINE double absolute(double x) { return __builtin_fabs(x); }

#define PAIRS 0
#define PATCHBAY_REAL float
#define EPSILON 1.1920929e-07f
#define LEAST 1.17549435e-38f
#define PATCHBAY_ITEM OfFloats
#include "cpu-openblas/simd/loops/factors_of.hpp"
#undef PAIRS
#undef PATCHBAY_ITEM
#define PAIRS 1
#define PATCHBAY_ITEM OfPairsOfFloats
#include "cpu-openblas/simd/loops/factors_of.hpp"
#undef PATCHBAY_ITEM
#undef PATCHBAY_REAL
#undef EPSILON
#undef LEAST
#define PATCHBAY_REAL double
#define EPSILON 2.220446049250313e-16
#define LEAST 2.2250738585072014e-308
#define PATCHBAY_ITEM OfPairsOfDoubles
#include "cpu-openblas/simd/loops/factors_of.hpp"
#undef PAIRS
#undef PATCHBAY_ITEM
#define PAIRS 0
#define PATCHBAY_ITEM OfDoubles
#include "cpu-openblas/simd/loops/factors_of.hpp"

}  // namespace

void fill_factors(SimdTable& table) {
  OfFloats::fill(table.factors[PATCHBAY_F32][0]);
  OfPairsOfFloats::fill(table.factors[PATCHBAY_F32][1]);
  OfDoubles::fill(table.factors[PATCHBAY_F64][0]);
  OfPairsOfDoubles::fill(table.factors[PATCHBAY_F64][1]);
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

#pragma GCC diagnostic pop
