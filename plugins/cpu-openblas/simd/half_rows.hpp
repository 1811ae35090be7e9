// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Rows of 16-bit floats: converts tiles to floats in the first-level cache, runs the row for
// floats, and rounds its results once.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_HALF_ROWS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_HALF_ROWS_HPP_

#include "cpu-openblas/operands/half.hpp"
#include "rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

template <>
struct DtypeOf<F16> {
  static constexpr int value = PATCHBAY_F16;
};
template <>
struct DtypeOf<Bf16> {
  static constexpr int value = PATCHBAY_BF16;
};
template <class T>
constexpr bool kIsHalf = kSame<T, F16> || kSame<T, Bf16>;

template <class H>
inline void widen_plainly(std::int64_t n, const H* in, float* out) {
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) out[i] = to_f32(in[i]);
}
template <class H>
inline void narrow_plainly(std::int64_t n, const float* in, H* out) {
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) narrow_one(in[i], out[i]);
}

inline void widen(std::int64_t n, const Bf16* in, float* out) { widen_plainly(n, in, out); }
inline void narrow(std::int64_t n, const float* in, Bf16* out) { narrow_plainly(n, in, out); }

#if defined(__F16C__)
#if defined(__AVX512F__)
constexpr std::int64_t kHalfLanes = 16;
constexpr __mmask16 kAllLanes = 0xffff;
inline void widen_lanes(const F16* in, float* out) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
  _mm512_storeu_ps(out, _mm512_maskz_cvtph_ps(kAllLanes, halves));
}
inline void narrow_lanes(const float* in, F16* out) {
  const __m256i halves =
      _mm512_maskz_cvtps_ph(kAllLanes, _mm512_loadu_ps(in), _MM_FROUND_TO_NEAREST_INT);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), halves);
}
#else
constexpr std::int64_t kHalfLanes = 8;
inline void widen_lanes(const F16* in, float* out) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
  _mm256_storeu_ps(out, _mm256_cvtph_ps(halves));
}
inline void narrow_lanes(const float* in, F16* out) {
  const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(in), _MM_FROUND_TO_NEAREST_INT);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), halves);
}
#endif
inline void widen(std::int64_t n, const F16* in, float* out) {
  std::int64_t i = 0;
  for (; i + kHalfLanes <= n; i += kHalfLanes) widen_lanes(in + i, out + i);
  widen_plainly(n - i, in + i, out + i);
}
inline void narrow(std::int64_t n, const float* in, F16* out) {
  std::int64_t i = 0;
  for (; i + kHalfLanes <= n; i += kHalfLanes) narrow_lanes(in + i, out + i);
  narrow_plainly(n - i, in + i, out + i);
}
#else
inline void widen(std::int64_t n, const F16* in, float* out) { widen_plainly(n, in, out); }
inline void narrow(std::int64_t n, const float* in, F16* out) { narrow_plainly(n, in, out); }
#endif

constexpr std::int64_t kHalfTile = 512;

/// Provides `n` elements from number `first` on as the input of a row of floats, and sets its step.
/// A repeated element is read with the first tile, because the output may overwrite it.
template <class In>
inline const void* row_input(std::int64_t n, const void* in, std::int64_t first, std::int64_t given,
                             float* buffer, std::int64_t& step) {
  const In* x = static_cast<const In*>(in) + first * given;
  step = given;
  if constexpr (!kIsHalf<In>) {
    return x;
  } else {
    if (given == 0) {
      if (first == 0) buffer[0] = to_f32(*x);
    } else if (given == 1) {
      widen(n, x, buffer);
    } else {
      for (std::int64_t i = 0; i < n; ++i) buffer[i] = to_f32(x[i * given]);
    }
    step = given == 0 ? 0 : 1;
    return buffer;
  }
}

/// The opposite, from a contiguous buffer.
template <class H>
inline void row_output(std::int64_t n, const float* buffer, H* out, std::int64_t step) {
  if (step == 1) return narrow(n, buffer, out);
  for (std::int64_t i = 0; i < n; ++i) narrow_one(buffer[i], out[i * step]);
}

/// Runs `row`, which takes floats where In or Out is a half, on inputs of type In.
template <class In, class Out, int kInputs>
[[gnu::noinline]] void run_tiles(Row row, std::int64_t n, void* out, const void* a, const void* b,
                                 const Steps& steps) {
  alignas(kLineBytes) float x[kHalfTile], y[kHalfTile], result[kHalfTile];
  for (std::int64_t first = 0; first < n; first += kHalfTile) {
    const std::int64_t count = n - first < kHalfTile ? n - first : kHalfTile;
    Steps inner;
    const void* left = row_input<In>(count, a, first, steps.a, x, inner.a);
    const void* right = nullptr;
    if constexpr (kInputs > 1) right = row_input<In>(count, b, first, steps.b, y, inner.b);
    Out* to = static_cast<Out*>(out) + first * steps.out;
    if constexpr (kIsHalf<Out>) {
      row(count, result, left, right, inner);
      row_output(count, result, to, steps.out);
    } else {
      inner.out = steps.out;
      row(count, to, left, right, inner);
    }
  }
}

/// `kRow`, which takes floats, as a row of halves (or from or to other types).
template <Row kRow, class In, class Out, int kInputs>
void tiled_row(std::int64_t n, void* out, const void* a, const void* b, const Steps& steps) {
  run_tiles<In, Out, kInputs>(kRow, n, out, a, b, steps);
}

template <class H>
[[gnu::noinline]] void run_tiles3(Row3 row, std::int64_t n, void* out, const void* a, const void* b,
                                  const void* c, const Steps& steps) {
  alignas(kLineBytes) float x[kHalfTile], y[kHalfTile], z[kHalfTile], result[kHalfTile];
  for (std::int64_t first = 0; first < n; first += kHalfTile) {
    const std::int64_t count = n - first < kHalfTile ? n - first : kHalfTile;
    Steps inner;
    const void* one = row_input<H>(count, a, first, steps.a, x, inner.a);
    const void* two = row_input<H>(count, b, first, steps.b, y, inner.b);
    const void* three = row_input<H>(count, c, first, steps.c, z, inner.c);
    row(count, result, one, two, three, inner);
    row_output(count, result, static_cast<H*>(out) + first * steps.out, steps.out);
  }
}
template <Row3 kRow, class H>
void tiled_row3(std::int64_t n, void* out, const void* a, const void* b, const void* c,
                const Steps& steps) {
  run_tiles3<H>(kRow, n, out, a, b, c, steps);
}

/// Sets the rows of both 16-bit types from that of f32.
template <Row kRow, int kInputs>
void set_half_rows(Row* rows) {
  rows[PATCHBAY_F16] = tiled_row<kRow, F16, F16, kInputs>;
  rows[PATCHBAY_BF16] = tiled_row<kRow, Bf16, Bf16, kInputs>;
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_HALF_ROWS_HPP_
