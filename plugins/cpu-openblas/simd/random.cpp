// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon et al., 2011), and random elements from its words.
#include "half_rows.hpp"
#include "target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

using f32 = float;
using f64 = double;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

typedef u64 Vector __attribute__((vector_size(kVectorBytes)));
constexpr int kLanes = kVectorBytes / 8;

/// Multiplies the lower halves of the lanes and ignores the upper ones.
inline Vector multiply(Vector a, Vector b) {
#if defined(__AVX512F__)
  // Without a mask GCC 12 warns about one of its own variables.
  return reinterpret_cast<Vector>(
      _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Vector>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Vector>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

template <int... kIndices>
struct Indices {};
template <int kCount, int... kIndices>
struct MakeIndices : MakeIndices<kCount - 1, kCount - 1, kIndices...> {};
template <int... kIndices>
struct MakeIndices<0, kIndices...> {
  using type = Indices<kIndices...>;
};

/// Even lanes hold the first blocks and odd lanes the others, so that pairs of lanes of one parity
/// have the order of the blocks in memory.
template <int... i>
inline Vector block_numbers(Indices<i...>) {
  return Vector{(i % 2 == 0 ? i / 2 : kLanes / 2 + i / 2)...};
}
template <int kParity, int... i>
inline Vector paired(Vector a, Vector b, Indices<i...>) {
  return __builtin_shufflevector(a, b, (i % 2 == 0 ? i + kParity : kLanes + i - 1 + kParity)...);
}

/// Each lane holds a word in its lower half; the upper halves are ignored.
void philox(u64 seed, u64 offset, u64 first, std::int64_t num_blocks, void* words) {
  using Each = MakeIndices<kLanes>::type;
  constexpr Vector kLow = Vector{} + 0xffffffff;
  char* out = static_cast<char*>(words);
  for (std::int64_t block = 0; block < num_blocks; block += kLanes) {
    const Vector counter = block_numbers(Each()) + (first + static_cast<u64>(block));
    Vector a = counter, b = counter >> 32, c = Vector{} + offset, d = Vector{} + (offset >> 32);
    u32 key_a = static_cast<u32>(seed), key_b = static_cast<u32>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const Vector from_a = multiply(a, Vector{} + 0xd2511f53);
      const Vector from_c = multiply(c, Vector{} + 0xcd9e8d57);
      a = (from_c >> 32) ^ b ^ (Vector{} + key_a);
      b = from_c;
      c = (from_a >> 32) ^ d ^ (Vector{} + key_b);
      d = from_a;
      key_a += 0x9e3779b9;
      key_b += 0xbb67ae85;
    }
    const Vector front = (a & kLow) | (b << 32), back = (c & kLow) | (d << 32);
    const Vector early = paired<0>(front, back, Each()), late = paired<1>(front, back, Each());
    __builtin_memcpy(out, &early, kVectorBytes);
    __builtin_memcpy(out + kVectorBytes, &late, kVectorBytes);
    out += 2 * kVectorBytes;
  }
}

// The parts of kernels/dialect.h that the shared text uses.
#define PATCHBAY_FUNCTION inline
#define PATCHBAY_BITS(x) __builtin_bit_cast(u32, x)
#define PATCHBAY_FROM_BITS(x) __builtin_bit_cast(f32, x)
#define PATCHBAY_DIVIDE(a, b) ((a) / (b))
#define PATCHBAY_SQRT(a) square_root(a)

inline f32 square_root(f32 x) { return __builtin_sqrtf(x); }
inline f64 square_root(f64 x) { return __builtin_sqrt(x); }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
namespace single {
#define REAL f32
#define REAL_IS_F64 0
#include "kit/portable/texts/box_muller.pbk"
#undef REAL
#undef REAL_IS_F64
}  // namespace single
namespace twofold {
#define REAL f64
#define REAL_IS_F64 1
#include "kit/portable/texts/box_muller.pbk"
#undef REAL
#undef REAL_IS_F64
}  // namespace twofold
#pragma GCC diagnostic pop

/// In [0, 1).
inline f32 fraction(u32 word) { return static_cast<f32>(static_cast<i32>(word >> 8)) * 0x1p-24f; }
inline f64 fraction(u64 draw) { return static_cast<f64>(static_cast<i64>(draw >> 11)) * 0x1p-53; }

inline single::NormalPair normal_pair(u32 radius, u32 angle) {
  return single::box_muller_pair(radius >> 8, angle >> 8);
}
inline twofold::NormalPair normal_pair(u64 radius, u64 angle) {
  return twofold::box_muller_pair(radius >> 11, angle >> 11);
}

template <class T>
T parameter(const u64* parameters, int i) {
  T value;
  __builtin_memcpy(&value, parameters + i, sizeof value);
  return value;
}

template <class T, class Draw>
void uniform(std::int64_t n, const void* words, const u64* parameters, void* out) {
  const Draw* draws = static_cast<const Draw*>(words);
  T* o = static_cast<T*>(out);
  const T low = parameter<T>(parameters, 0), width = parameter<T>(parameters, 1);
  const T most = parameter<T>(parameters, 2);
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) {
    const T value = low + fraction(draws[i]) * width;
    o[i] = value < most ? value : most;
  }
}

template <class T, class Draw>
void normal(std::int64_t n, const void* words, const u64* parameters, void* out) {
  const Draw* draws = static_cast<const Draw*>(words);
  T* o = static_cast<T*>(out);
  const T mean = parameter<T>(parameters, 0), deviation = parameter<T>(parameters, 1);
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; i += 2) {
    const auto pair = normal_pair(draws[i], draws[i + 1]);
    o[i] = mean + deviation * pair.first;
    o[i + 1] = mean + deviation * pair.second;
  }
}

/// Elements of f32 from `draw_floats`, with parameters of type H, rounded to H.
template <class H, auto draw_floats>
void draw_halves(std::int64_t n, const void* words, const u64* parameters, void* out) {
  u64 wide[3];
  for (int i = 0; i < 3; ++i) {
    wide[i] = __builtin_bit_cast(u32, to_f32(parameter<H>(parameters, i)));
  }
  alignas(kLineBytes) f32 values[kHalfTile];
  for (std::int64_t first = 0; first < n; first += kHalfTile) {
    const std::int64_t count = n - first < kHalfTile ? n - first : kHalfTile;
    draw_floats(count, static_cast<const u32*>(words) + first, wide, values);
    narrow(count, values, static_cast<H*>(out) + first);
  }
}

template <class H>
void fill_halves(SimdTable& table) {
  table.uniform[DtypeOf<H>::value] = draw_halves<H, uniform<f32, u32>>;
  table.normal[DtypeOf<H>::value] = draw_halves<H, normal<f32, u32>>;
}

/// The upper half of word * range, for range - 1 of at most 32 bits.
template <class T>
void integers(std::int64_t n, const void* words, const u64* parameters, void* out) {
  const u32* w = static_cast<const u32*>(words);
  T* o = static_cast<T*>(out);
  const u64 low = parameters[0];
  const u32 last = static_cast<u32>(parameters[1] - 1);
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) {
    o[i] = static_cast<T>(low + ((static_cast<u64>(w[i]) * last + w[i]) >> 32));
  }
}

void wide_integers(std::int64_t n, const void* words, const u64* parameters, void* out) {
  __extension__ typedef unsigned __int128 Wide;
  const u64* draws = static_cast<const u64*>(words);
  i64* o = static_cast<i64*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    o[i] = static_cast<i64>(parameters[0] + static_cast<u64>(Wide{draws[i]} * parameters[1] >> 64));
  }
}

void mask(std::int64_t n, const void* words, const u64* parameters, void* out) {
  const u32* w = static_cast<const u32*>(words);
  std::uint8_t* o = static_cast<std::uint8_t*>(out);
  const bool some = parameters[0] != 0;
  const u32 last = some ? static_cast<u32>(parameters[0] - 1) : 0;
  PATCHBAY_VECTORISE
  for (std::int64_t i = 0; i < n; ++i) {
    o[i] = static_cast<std::uint8_t>(some & (w[i] <= last));
  }
}

}  // namespace

void fill_random(SimdTable& table) {
  table.philox = philox;
  table.uniform[PATCHBAY_F32] = uniform<f32, u32>;
  table.uniform[PATCHBAY_F64] = uniform<f64, u64>;
  table.normal[PATCHBAY_F32] = normal<f32, u32>;
  table.normal[PATCHBAY_F64] = normal<f64, u64>;
  fill_halves<F16>(table);
  fill_halves<Bf16>(table);
  table.integers[PATCHBAY_I32] = integers<i32>;
  table.integers[PATCHBAY_I64] = integers<i64>;
  table.integers[PATCHBAY_U8] = integers<std::uint8_t>;
  table.wide_integers = wide_integers;
  table.mask = mask;
}

}  // namespace patchbay::cpu::PATCHBAY_SIMD
