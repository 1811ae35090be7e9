// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The transforms of Winograd's algorithm F(4 x 4, 3 x 3): Lavin and Gray, Fast Algorithms for
// Convolutional Neural Networks, 2016, arXiv 1509.09308. A tile of 4 x 4 results is computed from 6
// x 6 pixels and 36 products instead of 144. The polynomials are evaluated at 0, a, -a, b, -b and
// infinity. With a = 3/4 and b = 3/2 the error is half of that with the usual 1 and 2.
#include "cpu-openblas/simd/product_tile.hpp"
#include "cpu-openblas/simd/square.hpp"
#include "cpu-openblas/simd/target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

using V = Vector<float>;
constexpr std::int64_t kWide = kLanes<float>;
constexpr float kA = 0.75F, kB = 1.5F, kA2 = kA * kA, kB2 = kB * kB;
constexpr float kSum = kA2 + kB2, kProduct = kA2 * kB2;

PATCHBAY_INLINE V at(const float* from) { return load<V>(from); }

/// The first lanes of up to kWide pixels or channels, 0 in the others.
PATCHBAY_INLINE V first_of(const float* from, std::int64_t count) {
  return count >= kWide ? at(from) : load_first<V>(from, count);
}

void take(std::int64_t count, std::int64_t lanes, const float* from, std::int64_t step, float* to) {
  for (std::int64_t lane = 0; lane < kWinogradLanes; lane += kWide) {
    for (std::int64_t x = 0; x < count; x += kWide) {
      Square<float> square;
      PATCHBAY_UNROLL
      for (std::int64_t i = 0; i < kWide; ++i) {
        square.row[i] = lane + i < lanes ? first_of(from + (lane + i) * step + x, count - x) : V{};
      }
      square.turn<kWide / 2>();
      PATCHBAY_UNROLL
      for (std::int64_t i = 0; i < kWide; ++i) {
        if (x + i < count) store(to + (x + i) * kWinogradLanes + lane, square.row[i]);
      }
    }
  }
}

void give_back(std::int64_t count, std::int64_t lanes, const float* from, float* to,
               std::int64_t step) {
  for (std::int64_t lane = 0; lane < lanes; lane += kWide) {
    for (std::int64_t x = 0; x < count; x += kWide) {
      Square<float> square;
      PATCHBAY_UNROLL
      for (std::int64_t i = 0; i < kWide; ++i) {
        square.row[i] = x + i < count ? at(from + (x + i) * kWinogradLanes + lane) : V{};
      }
      square.turn<kWide / 2>();
      const std::int64_t width = count - x < kWide ? count - x : kWide;
      PATCHBAY_UNROLL
      for (std::int64_t i = 0; i < kWide; ++i) {
        if (lane + i < lanes) store_first(to + (lane + i) * step + x, square.row[i], width);
      }
    }
  }
}

/// One dimension of a kernel.
PATCHBAY_INLINE void transform_weight(const V& g0, const V& g1, const V& g2, V* to) {
  constexpr float kOfZero = 1 / kProduct, kOfA = 1 / (2 * kA2 * (kA2 - kB2)),
                  kOfB = 1 / (2 * kB2 * (kB2 - kA2));
  const V even_a = g0 + kA2 * g2, odd_a = kA * g1;
  const V even_b = g0 + kB2 * g2, odd_b = kB * g1;
  to[0] = kOfZero * g0;
  to[1] = kOfA * (even_a + odd_a);
  to[2] = kOfA * (even_a - odd_a);
  to[3] = kOfB * (even_b + odd_b);
  to[4] = kOfB * (even_b - odd_b);
  to[5] = g2;
}

/// One dimension of a tile of pixels.
PATCHBAY_INLINE void transform_input(const V* d, V* to) {
  const V even_a = d[4] - kB2 * d[2], odd_a = kA * (d[3] - kB2 * d[1]);
  const V even_b = d[4] - kA2 * d[2], odd_b = kB * (d[3] - kA2 * d[1]);
  to[0] = kProduct * d[0] - kSum * d[2] + d[4];
  to[1] = even_a + odd_a;
  to[2] = even_a - odd_a;
  to[3] = even_b + odd_b;
  to[4] = even_b - odd_b;
  to[5] = kProduct * d[1] - kSum * d[3] + d[5];
}

/// One dimension of a tile of products.
PATCHBAY_INLINE void transform_output(const V* m, V* to) {
  const V even_a = m[1] + m[2], odd_a = kA * (m[1] - m[2]);
  const V even_b = m[3] + m[4], odd_b = kB * (m[3] - m[4]);
  to[0] = m[0] + even_a + even_b;
  to[1] = odd_a + odd_b;
  to[2] = kA2 * even_a + kB2 * even_b;
  to[3] = kA2 * odd_a + kB2 * odd_b + m[5];
}

void weight(std::int64_t lanes, const float* from, std::int64_t step, bool turns, float* to,
            std::int64_t next) {
  alignas(kLineBytes) float kernel[9][kWinogradLanes] = {};
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    for (int i = 0; i < 9; ++i) kernel[turns ? 8 - i : i][lane] = from[lane * step + i];
  }
  for (std::int64_t lane = 0; lane < kWinogradLanes; lane += kWide) {
    V columns[3][6];  // a column of the kernel, transformed
    for (int j = 0; j < 3; ++j) {
      transform_weight(at(kernel[j] + lane), at(kernel[3 + j] + lane), at(kernel[6 + j] + lane),
                       columns[j]);
    }
    for (int i = 0; i < 6; ++i) {
      V row[6];
      transform_weight(columns[0][i], columns[1][i], columns[2][i], row);
      for (int j = 0; j < 6; ++j) store(to + (6 * i + j) * next + lane, row[j]);
    }
  }
}

/// Transforms the columns of a tile of 6 x 6, which load(i, j) gives, then its rows: kTo x kTo.
template <int kTo, class Load, class Line, class Store>
PATCHBAY_INLINE void transform_tile(const Load& load, const Line& line, const Store& store) {
  V middle[kTo][6];
  PATCHBAY_UNROLL
  for (int j = 0; j < 6; ++j) {
    V column[6], transformed[kTo];
    PATCHBAY_UNROLL
    for (int i = 0; i < 6; ++i) column[i] = load(i, j);
    line(column, transformed);
    PATCHBAY_UNROLL
    for (int i = 0; i < kTo; ++i) middle[i][j] = transformed[i];
  }
  PATCHBAY_UNROLL
  for (int i = 0; i < kTo; ++i) {
    V row[kTo];
    line(middle[i], row);
    PATCHBAY_UNROLL
    for (int j = 0; j < kTo; ++j) store(i, j, row[j]);
  }
}

void input(std::int64_t tiles, const float* from, std::int64_t pitch, float* to, std::int64_t step,
           std::int64_t next) {
  for (std::int64_t tile = 0; tile < tiles; ++tile, from += 4 * kWinogradLanes, to += step) {
    for (std::int64_t lane = 0; lane < kWinogradLanes; lane += kWide) {
      transform_tile<6>(
          [&](int i, int j) { return at(from + (i * pitch + j) * kWinogradLanes + lane); },
          [](const V* pixels, V* out) { transform_input(pixels, out); },
          [&](int i, int j, const V& v) { store(to + (6 * i + j) * next + lane, v); });
    }
  }
}

void output(std::int64_t tiles, const float* from, std::int64_t step, std::int64_t next, float* to,
            std::int64_t pitch) {
  for (std::int64_t tile = 0; tile < tiles; ++tile, from += step, to += 4 * kWinogradLanes) {
    for (std::int64_t lane = 0; lane < kWinogradLanes; lane += kWide) {
      transform_tile<4>([&](int i, int j) { return at(from + (6 * i + j) * next + lane); },
                        [](const V* products, V* out) { transform_output(products, out); },
                        [&](int i, int j, const V& v) {
                          store(to + (i * pitch + j) * kWinogradLanes + lane, v);
                        });
    }
  }
}

}  // namespace

void fill_winograd(SimdTable& table) { table.winograd = {take, give_back, weight, input, output}; }

}  // namespace patchbay::cpu::PATCHBAY_SIMD
