// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The accumulators of a row, and rows of 16-bit floats as rows of f32.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_LOOPS_LANES_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_LOOPS_LANES_HPP_

#include "cpu-openblas/simd/half_rows.hpp"
#include "cpu-openblas/simd/rows.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

constexpr int kLanes = 32;

#if defined(__AVX512F__)
// Elements beyond the mask are neither read nor written.
PATCHBAY_INLINE void load_masked(unsigned mask, const float* from, float fill, float* to) {
  _mm512_store_ps(to,
                  _mm512_mask_loadu_ps(_mm512_set1_ps(fill), static_cast<__mmask16>(mask), from));
}
PATCHBAY_INLINE void load_masked(unsigned mask, const double* from, double fill, double* to) {
  _mm512_store_pd(to,
                  _mm512_mask_loadu_pd(_mm512_set1_pd(fill), static_cast<__mmask8>(mask), from));
}
PATCHBAY_INLINE void store_masked(unsigned mask, const float* from, float* to) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), _mm512_load_ps(from));
}
PATCHBAY_INLINE void store_masked(unsigned mask, const double* from, double* to) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), _mm512_load_pd(from));
}
#endif

/// The elements, or accumulators, that are computed together.
template <class T>
class Lanes {
 public:
  explicit Lanes(T value) {
    for (T& each : values_) each = value;
  }
  /// The first n elements, 1 to kLanes; the others are `fill`.
  Lanes(std::int64_t n, const T* x, T fill) {
#if defined(__AVX512F__)
    for (int i = 0; i < kLanes; i += kWidth) load_masked(mask_of(n - i), x + i, fill, values_ + i);
#else
    for (int i = 0; i < kLanes; ++i) values_[i] = fill;
    for (std::int64_t i = 0; i < n; ++i) values_[i] = x[i];
#endif
  }
  /// Writes the first n, 1 to kLanes.
  void store(std::int64_t n, T* to) const {
#if defined(__AVX512F__)
    for (int i = 0; i < kLanes; i += kWidth) store_masked(mask_of(n - i), values_ + i, to + i);
#else
    for (std::int64_t i = 0; i < n; ++i) to[i] = values_[i];
#endif
  }
  PATCHBAY_INLINE T& operator[](int i) { return values_[i]; }
  PATCHBAY_INLINE T operator[](int i) const { return values_[i]; }

  /// One value, joined in halves.
  template <class Join>
  PATCHBAY_INLINE T joined(Join join) {
#pragma GCC unroll 8
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) values_[i] = join(values_[i], values_[i + half]);
    }
    return values_[0];
  }

 private:
#if defined(__AVX512F__)
  static constexpr int kWidth = kVectorBytes / static_cast<int>(sizeof(T));
  static unsigned mask_of(std::int64_t n) {
    return n >= kWidth ? (1u << kWidth) - 1 : n > 0 ? (1u << n) - 1 : 0;
  }
#endif
  alignas(kLineBytes) T values_[kLanes];
};

/// The type in which elements are computed.
template <class E>
struct ValueOfElement {
  using type = E;
};
template <>
struct ValueOfElement<F16> {
  using type = float;
};
template <>
struct ValueOfElement<Bf16> {
  using type = float;
};
template <class E>
using ValueOf = typename ValueOfElement<E>::type;

/// The elements themselves, or 16-bit floats converted into `room`.
template <class E>
inline const ValueOf<E>* values_of(std::int64_t n, const E* in, ValueOf<E>* room) {
  if constexpr (kIsHalf<E>) {
    widen(n, in, room);
    return room;
  } else {
    return in;
  }
}

/// Where results are computed: in place, or in `room` for 16-bit floats.
template <class E>
inline ValueOf<E>* results_of(E* out, ValueOf<E>* room) {
  if constexpr (kIsHalf<E>) {
    return room;
  } else {
    return out;
  }
}

/// out[i] = Op(x[i], scalars...).
template <class Op, class E, class... Scalars>
inline void write_row(bool stream, std::int64_t n, E* out, const ValueOf<E>* x,
                      Scalars... scalars) {
  using T = ValueOf<E>;
  if constexpr (kIsHalf<E>) {
    alignas(kLineBytes) T tile[kHalfTile];
    for (std::int64_t i = 0; i < n; i += kHalfTile) {
      const std::int64_t count = n - i < kHalfTile ? n - i : kHalfTile;
      plain_loop<Op>(count, tile, Contiguous<T>{x + i}, Repeated<T>{scalars}...);
      narrow(count, tile, out + i);
    }
  } else {
    loop<Op>(stream, n, out, Contiguous<T>{x}, Repeated<T>{scalars}...);
  }
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_LOOPS_LANES_HPP_
