// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fourier transforms: the text that other devices compile at run time.
#pragma GCC diagnostic push
// The text is C.
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-variable"
#define PATCHBAY_ENTRY(name)
#include "patchbay/plugin/kernels/dialect.h"

#include "cpu-openblas/simd/target.hpp"

#define PATCHBAY_INDEPENDENT PATCHBAY_VECTORISE
#define PAIRS 1
#define TABLES 1
#define LANES 8
#define EPSILON 1  // these are not used
#define LEAST 1

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

/// One work-item has a strip.
template <class Real>
struct Fft {
  using T = Real;
  using W = f64;

  static constexpr i32 patchbay_local_id[3] = {0, 0, 0}, patchbay_group_size[3] = {1, 1, 1};
  i32 patchbay_group_id[3] = {0, 0, 0};

  static void patchbay_barrier() {}
  static f32 sqrt(f32 x) { return __builtin_sqrtf(x); }
  static f64 sqrt(f64 x) { return __builtin_sqrt(x); }
  static f32 fabs(f32 x) { return __builtin_fabsf(x); }
  static f64 fabs(f64 x) { return __builtin_fabs(x); }

  // clang-format off
#include "kit/portable/texts/factors/numbers.pbk"
#include "kit/portable/texts/transforms/fft.pbk"
  // clang-format on

  static const Lines& lines_of(const FftSizes& sizes) {
    static_assert(sizeof(Lines) == sizeof(FftSizes));
    return reinterpret_cast<const Lines&>(sizes);
  }
  static void fill_tables(void* turns, void* turned, void* work, const FftSizes& sizes) {
    Fft().patchbay_kernel_fft_turns(static_cast<Z*>(turns), static_cast<Turn*>(turned),
                                    static_cast<T*>(work), lines_of(sizes));
  }
  static void transform(void* const* operands, const void* scale, const FftSizes& sizes,
                        std::int64_t strip) {
    Fft item;
    item.patchbay_group_id[0] = static_cast<i32>(strip);
    item.patchbay_kernel_fft(static_cast<Z*>(operands[0]), static_cast<Z*>(operands[1]),
                             static_cast<Z*>(operands[2]), static_cast<Turn*>(operands[3]),
                             static_cast<T*>(operands[4]), *static_cast<const T*>(scale),
                             lines_of(sizes));
  }
};

}  // namespace

void fill_fft(SimdTable& table) {
  table.fft[PATCHBAY_F32] = {Fft<f32>::fill_tables, Fft<f32>::transform};
  table.fft[PATCHBAY_F64] = {Fft<f64>::fill_tables, Fft<f64>::transform};
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD

#pragma GCC diagnostic pop
