// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The transforms of Winograd's algorithm F(4 x 4, 3 x 3): Lavin and Gray, Fast Algorithms for
// Convolutional Neural Networks, 2016, arXiv 1509.09308. A tile of 4 x 4 results is computed from 6
// x 6 elements and 36 products instead of 144. The polynomials are evaluated at 0, a, -a, b, -b and
// infinity. With a = 3/4 and b = 3/2 the error is half of that with the usual 1 and 2.
#include "cpu-openblas/simd/target.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

constexpr int kLanes = kWinogradLanes, kSide = kWinogradSide, kElements = kWinogradElements;

/// One number for each of some tiles, or of some channels.
typedef float Numbers __attribute__((vector_size(kLanes * sizeof(float))));

constexpr float kA = 0.75F, kB = 1.5F, kA2 = kA * kA, kB2 = kB * kB;
constexpr float kSum = kA2 + kB2, kProduct = kA2 * kB2;

/// Along a line of a tile.
PATCHBAY_INLINE void transform_input(const Numbers (&d)[6], Numbers (&v)[6]) {
  const Numbers even_a = d[4] - kB2 * d[2], odd_a = kA * (d[3] - kB2 * d[1]);
  const Numbers even_b = d[4] - kA2 * d[2], odd_b = kB * (d[3] - kA2 * d[1]);
  v[0] = kProduct * d[0] - kSum * d[2] + d[4];
  v[1] = even_a + odd_a;
  v[2] = even_a - odd_a;
  v[3] = even_b + odd_b;
  v[4] = even_b - odd_b;
  v[5] = kProduct * d[1] - kSum * d[3] + d[5];
}

PATCHBAY_INLINE void transform_weight(const Numbers (&g)[3], Numbers (&u)[6]) {
  constexpr float kOfZero = 1 / kProduct, kOfA = 1 / (2 * kA2 * (kA2 - kB2)),
                  kOfB = 1 / (2 * kB2 * (kB2 - kA2));
  const Numbers even_a = g[0] + kA2 * g[2], odd_a = kA * g[1];
  const Numbers even_b = g[0] + kB2 * g[2], odd_b = kB * g[1];
  u[0] = kOfZero * g[0];
  u[1] = kOfA * (even_a + odd_a);
  u[2] = kOfA * (even_a - odd_a);
  u[3] = kOfB * (even_b + odd_b);
  u[4] = kOfB * (even_b - odd_b);
  u[5] = g[2];
}

PATCHBAY_INLINE void transform_output(const Numbers (&m)[6], Numbers (&y)[4]) {
  const Numbers even_a = m[1] + m[2], odd_a = kA * (m[1] - m[2]);
  const Numbers even_b = m[3] + m[4], odd_b = kB * (m[3] - m[4]);
  y[0] = m[0] + even_a + even_b;
  y[1] = odd_a + odd_b;
  y[2] = kA2 * even_a + kB2 * even_b;
  y[3] = kA2 * odd_a + kB2 * odd_b + m[5];
}

/// Transforms the columns of `from`, then its rows.
template <int kFrom, int kTo, class Line>
PATCHBAY_INLINE void transform(const Numbers (&from)[kFrom][kFrom], Numbers (&to)[kTo][kTo],
                               const Line& line) {
  Numbers half[kTo][kFrom];
  for (int j = 0; j < kFrom; ++j) {
    Numbers column[kFrom], changed[kTo];
    for (int i = 0; i < kFrom; ++i) column[i] = from[i][j];
    line(column, changed);
    for (int i = 0; i < kTo; ++i) half[i][j] = changed[i];
  }
  for (int i = 0; i < kTo; ++i) line(half[i], to[i]);
}

/// Elements outside of the plane are 0.
PATCHBAY_INLINE void gather(const WinogradTiles& tiles, std::int64_t tile, const float* images,
                            Numbers (&d)[6][6], int lane) {
  const float* const plane = images + tiles.planes[tile];
  const std::int64_t y = tiles.y[tile], x = tiles.x[tile];
  if (y >= 0 && x >= 0 && y + 6 <= tiles.height && x + 6 <= tiles.width) {
    for (int i = 0; i < 6; ++i) {
      const float* const line = plane + (y + i) * tiles.width + x;
      for (int j = 0; j < 6; ++j) d[i][j][lane] = line[j];
    }
    return;
  }
  for (int i = 0; i < 6; ++i) {
    const bool is_line = y + i >= 0 && y + i < tiles.height;
    for (int j = 0; j < 6; ++j) {
      const bool is_there = is_line && x + j >= 0 && x + j < tiles.width;
      d[i][j][lane] = is_there ? plane[(y + i) * tiles.width + x + j] : 0.0F;
    }
  }
}

/// to[e step + t] for the elements e of the transformed tiles t. The tiles are filled up with
/// zeros.
void take_input(const WinogradTiles& tiles, const float* images, float* to, std::int64_t step) {
  for (std::int64_t first = 0; first < tiles.count; first += kLanes) {
    Numbers d[6][6] = {}, v[6][6];
    for (int lane = 0; lane < kLanes && first + lane < tiles.count; ++lane) {
      gather(tiles, first + lane, images, d, lane);
    }
    transform<6, 6>(d, v, [](const Numbers(&x)[6], Numbers(&y)[6]) { transform_input(x, y); });
    for (int e = 0; e < kElements; ++e) {
      *reinterpret_cast<Numbers*>(to + e * step + first) = v[e / kSide][e % kSide];
    }
  }
}

/// Writes the results of tiles whose products are from[e step + t], as far as they lie in the
/// plane.
void give_output(const WinogradTiles& tiles, const float* from, std::int64_t step, float* images) {
  for (std::int64_t first = 0; first < tiles.count; first += kLanes) {
    Numbers m[6][6], y[4][4];
    for (int e = 0; e < kElements; ++e) {
      m[e / kSide][e % kSide] = *reinterpret_cast<const Numbers*>(from + e * step + first);
    }
    transform<6, 4>(m, y, [](const Numbers(&x)[6], Numbers(&z)[4]) { transform_output(x, z); });
    for (int lane = 0; lane < kLanes && first + lane < tiles.count; ++lane) {
      const std::int64_t tile = first + lane, top = tiles.y[tile], left = tiles.x[tile];
      float* const place = images + tiles.planes[tile] + top * tiles.width + left;
      const std::int64_t rows = tiles.height - top < 4 ? tiles.height - top : 4;
      if (left + 4 <= tiles.width) {
        for (std::int64_t i = 0; i < rows; ++i) {
          for (int j = 0; j < 4; ++j) place[i * tiles.width + j] = y[i][j][lane];
        }
        continue;
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        for (int j = 0; j < 4 && left + j < tiles.width; ++j) {
          place[i * tiles.width + j] = y[i][j][lane];
        }
      }
    }
  }
}

/// to[e step + c] for the kernels of `count` channels, `next` elements apart. `turned`: by 180
/// degrees.
void take_weight(const float* weight, std::int64_t count, std::int64_t next, bool turned, float* to,
                 std::int64_t step) {
  for (std::int64_t first = 0; first < count; first += kLanes) {
    const std::int64_t lanes = count - first < kLanes ? count - first : kLanes;
    Numbers g[3][3] = {}, u[6][6];
    for (int lane = 0; lane < lanes; ++lane) {
      const float* const kernel = weight + (first + lane) * next;
      for (int k = 0; k < 9; ++k) g[k / 3][k % 3][lane] = kernel[turned ? 8 - k : k];
    }
    transform<3, 6>(g, u, [](const Numbers(&x)[3], Numbers(&y)[6]) { transform_weight(x, y); });
    for (int e = 0; e < kElements; ++e) {
      __builtin_memcpy(to + e * step + first, &u[e / kSide][e % kSide],
                       static_cast<std::size_t>(lanes) * sizeof(float));
    }
  }
}

}  // namespace

void fill_winograd(SimdTable& table) { table.winograd = {take_weight, take_input, give_output}; }

}  // namespace patchbay::cpu::PATCHBAY_SIMD
