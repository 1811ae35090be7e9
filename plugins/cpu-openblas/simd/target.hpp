// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The differences between instruction sets. Files that include this are compiled several times.
// They use no inline function of the standard library, which the linker might share with code for
// older processors, and keep everything except fill_* in unnamed namespaces.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TARGET_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TARGET_HPP_

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "patchbay/plugin/types.h"

#include "table.hpp"

// The namespace of this build of the loops; set by the build file.
#ifndef PATCHBAY_SIMD
#error "define PATCHBAY_SIMD"
#endif

// Iterations are independent: outputs equal an input exactly or do not overlap it.
#if defined(__clang__)
#define PATCHBAY_VECTORISE _Pragma("clang loop vectorize(assume_safety)")
#else
#define PATCHBAY_VECTORISE _Pragma("GCC ivdep")
#endif

namespace patchbay::cpu::PATCHBAY_SIMD {

// Each file of loops defines one of these.
void fill_arithmetic(SimdTable& table);
void fill_choice(SimdTable& table);
void fill_compare(SimdTable& table);
void fill_unary(SimdTable& table);
void fill_cast(SimdTable& table);
void fill_move(SimdTable& table);
void fill_reduce(SimdTable& table);
void fill_arg_reduce(SimdTable& table);
void fill_integer_gemm(SimdTable& table);
void fill_float_gemm(SimdTable& table);
void fill_random(SimdTable& table);
/// Calls all of them.
void fill(SimdTable& table);

namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

constexpr int kLineBytes = 64;

/// Copies a cache line from `in` to the aligned `out` with non-temporal stores.
inline void stream_line(void* out, const void* in) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(out), _mm512_loadu_si512(in));
#elif defined(__AVX2__)
  for (int i = 0; i < 2; ++i) {
    _mm256_stream_si256(static_cast<__m256i*>(out) + i,
                        _mm256_loadu_si256(static_cast<const __m256i*>(in) + i));
  }
#elif defined(__SSE2__)
  for (int i = 0; i < 4; ++i) {
    _mm_stream_si128(static_cast<__m128i*>(out) + i,
                     _mm_loadu_si128(static_cast<const __m128i*>(in) + i));
  }
#else
  __builtin_memcpy(out, in, kLineBytes);
#endif
}

/// Prefetches `bytes` from here on. The hardware follows a long run of memory by itself, but not
/// short runs that are far apart.
inline void prefetch(const void* from, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += kLineBytes) {
    __builtin_prefetch(static_cast<const char*>(from) + i);
  }
}
constexpr std::int64_t kRowsAhead = 4;

/// Orders non-temporal stores before later stores that other threads read.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

template <class T>
struct DtypeOf;
template <>
struct DtypeOf<float> {
  static constexpr int value = PATCHBAY_F32;
};
template <>
struct DtypeOf<double> {
  static constexpr int value = PATCHBAY_F64;
};
template <>
struct DtypeOf<std::int32_t> {
  static constexpr int value = PATCHBAY_I32;
};
template <>
struct DtypeOf<std::int64_t> {
  static constexpr int value = PATCHBAY_I64;
};
template <>
struct DtypeOf<std::uint8_t> {
  static constexpr int value = PATCHBAY_U8;
};

template <class T>
constexpr bool kIsFloat = false;
template <>
inline constexpr bool kIsFloat<float> = true;
template <>
inline constexpr bool kIsFloat<double> = true;

/// The unsigned type in which integers wrap.
template <class T>
struct WrapOf {
  using type = T;
};
template <>
struct WrapOf<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct WrapOf<std::int64_t> {
  using type = std::uint64_t;
};
template <>
struct WrapOf<std::uint8_t> {
  using type = std::uint32_t;
};
template <class T>
using Wrap = typename WrapOf<T>::type;

template <class T, class U>
constexpr bool kSame = false;
template <class T>
inline constexpr bool kSame<T, T> = true;

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TARGET_HPP_
