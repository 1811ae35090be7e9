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

// Always inline, because a call in a loop prevents vectorisation.
#define PATCHBAY_INLINE [[gnu::always_inline]] inline

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
void fill_factors(SimdTable& table);
void fill_fft(SimdTable& table);
void fill_softmax(SimdTable& table);
void fill_normalize(SimdTable& table);
void fill_product_sum(SimdTable& table);
void fill_windows(SimdTable& table);
void fill_winograd(SimdTable& table);
void fill_direct(SimdTable& table);
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

namespace elements {  // types of elements, as the dtype table names them
using f32 = float;
using f64 = double;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
}  // namespace elements

// By kind, the dtypes that C++ computes in. 16-bit floats and bools are set apart from them.
#define PATCHBAY_PLAIN_Float(X, number, T) X(number, T)
#define PATCHBAY_PLAIN_Signed(X, number, T) X(number, T)
#define PATCHBAY_PLAIN_Unsigned(X, number, T) X(number, T)
#define PATCHBAY_PLAIN_Half(X, number, T)
#define PATCHBAY_PLAIN_Bool(X, number, T)

template <class T>
struct DtypeOf;
#define PATCHBAY_NUMBER(number, T)       \
  template <>                            \
  struct DtypeOf<elements::T> {          \
    static constexpr int value = number; \
  };
#define PATCHBAY_ROW(name, printed, NAME, number, size_bytes, kind, type, ...) \
  PATCHBAY_PLAIN_##kind(PATCHBAY_NUMBER, number, type)
PATCHBAY_DTYPES(PATCHBAY_ROW)
#undef PATCHBAY_ROW
#undef PATCHBAY_NUMBER

/// Calls set(value of T) for each plain dtype.
template <class Set>
void for_plain(Set set) {
#define PATCHBAY_SET(number, T) set(elements::T{});
#define PATCHBAY_ROW(name, printed, NAME, number, size_bytes, kind, type, ...) \
  PATCHBAY_PLAIN_##kind(PATCHBAY_SET, number, type)
  PATCHBAY_DTYPES(PATCHBAY_ROW)
#undef PATCHBAY_ROW
#undef PATCHBAY_SET
}

/// Unsigned integers of a size: what is moved, whatever it is.
template <int kBytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using type = std::uint8_t;
};
template <>
struct BitsOf<2> {
  using type = std::uint16_t;
};
template <>
struct BitsOf<4> {
  using type = std::uint32_t;
};
template <>
struct BitsOf<8> {
  using type = std::uint64_t;
};
template <class T>
using Bits = typename BitsOf<sizeof(T)>::type;

template <class T>
constexpr bool kIsFloat = false;
template <>
inline constexpr bool kIsFloat<float> = true;
template <>
inline constexpr bool kIsFloat<double> = true;

/// The unsigned type in which integers wrap, at least as wide as int; floats themselves.
template <class T>
struct WrapOf {
  using type = typename BitsOf<(sizeof(T) < 4 ? 4 : sizeof(T))>::type;
};
template <>
struct WrapOf<float> {
  using type = float;
};
template <>
struct WrapOf<double> {
  using type = double;
};
template <class T>
using Wrap = typename WrapOf<T>::type;

/// The ends of an integer type.
template <class T>
struct Limits {
  static constexpr bool kIsSigned = static_cast<T>(-1) < T(1);
  static constexpr T kLowest =
      kIsSigned ? static_cast<T>(std::uint64_t{1} << (8 * sizeof(T) - 1)) : T(0);
  static constexpr T kHighest = static_cast<T>(~kLowest);
  /// One more than the highest.
  static constexpr double kEnd =
      2.0 * static_cast<double>(static_cast<std::uint64_t>(kHighest) / 2 + 1);
};

template <class T, class U>
constexpr bool kSame = false;
template <class T>
inline constexpr bool kSame<T, T> = true;

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_TARGET_HPP_
