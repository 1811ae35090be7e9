// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of a matrix and a vector, which read the matrix once, without packing.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_MATRIX_VECTOR_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_MATRIX_VECTOR_HPP_

#include "product_tile.hpp"

namespace patchbay::cpu::PATCHBAY_SIMD {
namespace {

constexpr std::int64_t kVectorBlock = 1024;  // elements that stay in the first-level cache

/// out = alpha sums + beta out, for elements `step` apart.
template <class T>
void finish_elements(const T* sums, std::int64_t count, T* out, std::int64_t step, T alpha,
                     T beta) {
  for (std::int64_t i = 0; i < count; ++i) {
    T value = sums[i];
    if (alpha != T(1)) value *= alpha;
    if (beta != T(0)) value = beta == T(1) ? out[i * step] + value : out[i * step] * beta + value;
    out[i * step] = value;
  }
}

/// sums += each column of a times its element of b, in order.
template <class T, int kCount>
void add_columns(const T* a, std::int64_t a_column, const T* b, std::int64_t b_step,
                 std::int64_t rows, T* sums) {
  T factors[kCount];
  for (int j = 0; j < kCount; ++j) factors[j] = b[j * b_step];
  std::int64_t i = 0;
  for (; i + kLanes<T> <= rows; i += kLanes<T>) {
    Vector<T> sum = load<Vector<T>>(sums + i);
    PATCHBAY_UNROLL
    for (int j = 0; j < kCount; ++j) sum += load<Vector<T>>(a + j * a_column + i) * factors[j];
    store(sums + i, sum);
  }
  if (i == rows) return;
  Vector<T> sum = load<Vector<T>>(sums + i);
  PATCHBAY_UNROLL
  for (int j = 0; j < kCount; ++j) {
    sum += load_first<Vector<T>>(a + j * a_column + i, rows - i) * factors[j];
  }
  store(sums + i, sum);
}

/// a has unit stride along its rows.
template <class T>
void multiply_by_columns(const FloatGemm& p, const T* a, const T* b, T* out, T alpha, T beta) {
  constexpr int kTogether = 8;
  for (std::int64_t row = 0; row < p.m; row += kVectorBlock) {
    const std::int64_t rows = p.m - row < kVectorBlock ? p.m - row : kVectorBlock;
    alignas(kLineBytes) T sums[kVectorBlock];
    for (T& sum : sums) sum = T(0);
    std::int64_t k = 0;
    const auto at = [&] { return a + row + k * p.a_strides[1]; };
    for (; k + kTogether <= p.k; k += kTogether) {
      add_columns<T, kTogether>(at(), p.a_strides[1], b + k * p.b_strides[0], p.b_strides[0], rows,
                                sums);
    }
    for (; k < p.k; ++k) {
      add_columns<T, 1>(at(), p.a_strides[1], b + k * p.b_strides[0], p.b_strides[0], rows, sums);
    }
    finish_elements(sums, rows, out + row * p.out_strides[0], p.out_strides[0], alpha, beta);
  }
}

template <class T>
T sum_of_lanes(const Vector<T>& vector) {
  T lanes[kLanes<T>];
  __builtin_memcpy(lanes, &vector, sizeof(lanes));
  for (int width = kLanes<T> / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

/// The scalar products of kRows rows with b, in an order that depends only on k.
template <class T, int kRows>
void multiply_rows(const T* a, std::int64_t a_row, const T* b, std::int64_t k, T* sums) {
  constexpr int kApart = 2;  // independent sums
  using V = Vector<T>;
  V parts[kRows][kApart] = {};
  std::int64_t at = 0;
  for (; at + kApart * kLanes<T> <= k; at += kApart * kLanes<T>) {
    PATCHBAY_UNROLL
    for (int i = 0; i < kRows; ++i) {
      PATCHBAY_UNROLL
      for (int j = 0; j < kApart; ++j) {
        const std::int64_t from = at + j * kLanes<T>;
        parts[i][j] += load<V>(a + i * a_row + from) * load<V>(b + from);
      }
    }
  }
  for (int j = 0; at < k; at += kLanes<T>, ++j) {
    const std::int64_t count = k - at < kLanes<T> ? k - at : kLanes<T>;
    PATCHBAY_UNROLL
    for (int i = 0; i < kRows; ++i) {
      parts[i][j] += load_first<V>(a + i * a_row + at, count) * load_first<V>(b + at, count);
    }
  }
  for (int i = 0; i < kRows; ++i) sums[i] = sum_of_lanes<T>(parts[i][0] + parts[i][1]);
}

/// a has unit stride along k.
template <class T>
void multiply_by_rows(const FloatGemm& p, const T* a, const T* b, T* out, T alpha, T beta) {
  constexpr int kTogether = 4;
  for (std::int64_t k = 0; k < p.k; k += kVectorBlock) {
    const std::int64_t depth = p.k - k < kVectorBlock ? p.k - k : kVectorBlock;
    alignas(kLineBytes) T gathered[kVectorBlock];
    const T* part = b + k;
    if (p.b_strides[0] != 1) {
      for (std::int64_t i = 0; i < depth; ++i) gathered[i] = b[(k + i) * p.b_strides[0]];
      part = gathered;
    }
    const T before = k == 0 ? beta : T(1);
    T sums[kTogether];
    const auto finish = [&](std::int64_t row, std::int64_t count) {
      finish_elements(sums, count, out + row * p.out_strides[0], p.out_strides[0], alpha, before);
    };
    std::int64_t row = 0;
    const auto at = [&] { return a + row * p.a_strides[0] + k; };
    for (; row + kTogether <= p.m; row += kTogether) {
      multiply_rows<T, kTogether>(at(), p.a_strides[0], part, depth, sums);
      finish(row, kTogether);
    }
    for (; row < p.m; ++row) {
      multiply_rows<T, 1>(at(), p.a_strides[0], part, depth, sums);
      finish(row, 1);
    }
  }
}

template <class T>
void multiply_vector(const FloatGemm& p) {
  const T *const a = static_cast<const T*>(p.a), *const b = static_cast<const T*>(p.b);
  T* const out = static_cast<T*>(p.out);
  const T alpha = *static_cast<const T*>(p.alpha), beta = *static_cast<const T*>(p.beta);
  if (p.a_strides[0] == 1) return multiply_by_columns(p, a, b, out, alpha, beta);
  multiply_by_rows(p, a, b, out, alpha, beta);
}

}  // namespace
}  // namespace patchbay::cpu::PATCHBAY_SIMD

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SIMD_MATRIX_VECTOR_HPP_
