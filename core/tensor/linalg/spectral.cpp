// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values. Products bring all but small matrices near their final form,
// unless the device is fast for whole ones. The device's operator does the rest.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/indexing.h"
#include "patchbay/ops.h"

#include "core/runtime/device/device_state.h"
#include "core/tensor/linalg/factors.h"
#include "core/tensor/linalg/matrices.h"
#include "core/tensor/linalg/pieces.h"

namespace patchbay::tensor {
namespace {

const runtime::DeviceInfo& device_info(const Tensor& a) { return a.impl()->device().info; }

/// From so many rows on the operator gets a tridiagonal matrix, unless the device is fast for large
/// ones. A CPU's thread has a matrix in its caches; elsewhere the operator uses a small part of the
/// device.
std::int64_t least_divided(const Tensor& a, bool has_vectors) {
  const bool is_cpu = device_info(a).properties.kind == DeviceKind::kCpu;
  return (is_cpu ? 512 : 128) * (has_vectors ? 1 : 2) * (is_complex(a.dtype()) ? 2 : 1);
}
/// From so many rows on the operator gets rows that are nearly orthogonal.
constexpr std::int64_t kLeastTurned = 16;
/// A device that is fast for large matrices gets those of so many rows as they are.
constexpr std::int64_t kLarge = 64;

Tensor real_part(const Tensor& x) { return is_complex(x.dtype()) ? real(x) : x; }

/// A divisor for each matrix, [count, 1, 1]: 1, or the largest magnitude where squares of it would
/// leave the range of the dtype. Not finite if an element is not.
Tensor divisor_of(const Tensor& a) {
  const bool is_wide = real_dtype(a.dtype()) == DType::f64;
  const Tensor most = max(abs(a), {-2, -1}, true);
  const Tensor is_usual = logical_and(gt(most, is_wide ? 1e-100 : 1e-6),  //
                                      lt(most, is_wide ? 1e100 : 1e9));
  const Tensor divisor = where(eq(most, 0), 1, most);
  return where(is_usual, 1, divisor);
}

Eigen whole_eigh(const char* operation, const Tensor& a, bool has_vectors) {
  const std::int64_t count = a.size(0), n = a.size(1);
  const DType real = real_dtype(a.dtype());
  Eigen result{a.new_empty({count, n}, real), a.new_empty({count, n, n}),
               a.new_empty({count}, DType::i64)};
  const Tensor work = a.new_empty({count, 2 * n}), scratch = a.new_empty({count, 3 * n}, real);
  launch_factor(operation, op::eigh, {has_vectors},
                {&a, &result.values, &result.vectors, &work, &scratch, &result.info});
  return result;
}

Singular whole_svd(const char* operation, const Tensor& a, bool has_vectors) {
  const std::int64_t count = a.size(0), m = a.size(1);
  Singular result{a.new_empty({count, m}, real_dtype(a.dtype())), a.new_empty({count, m, m}),
                  a.new_empty({count}, DType::i64)};
  launch_factor(operation, op::svd, {has_vectors},
                {&a, &result.values, &result.vectors, &result.info});
  return result;
}

// --------------------------------------------------------------------------- tridiagonal ---

/// a = q t q^H with the real tridiagonal t, and q the product of the reflections.
struct Tridiagonal {
  Tensor t;
  std::vector<Reflections> q;
};

/// A column after the other, the others being changed by one product for each panel (Dongarra,
/// Sorensen and Hammarling, Block reduction of matrices to condensed forms, 1989). Overwrites a.
Tridiagonal tridiagonal_of(const char* operation, const Tensor& a) {
  const std::int64_t count = a.size(0), n = a.size(1);
  Tridiagonal result{a.new_zeros({count, n, n}, real_dtype(a.dtype())), {}};
  const Tensor diagonal = result.t.diagonal(), below = result.t.diagonal(-1);
  const Tensor scratch = a.new_empty({count, 1});
  for (std::int64_t begin = 0; begin + 1 < n; begin += kBlock) {
    const std::int64_t width = std::min(kBlock, n - 1 - begin), rest = n - begin;
    const Tensor tail = columns_of(rows_of(a, begin), begin);
    // The reflections so far make tail - left right^H of the tail. Their vectors v and w stand side
    // by side in `left`, and w and v in `right`.
    const Tensor left = a.new_zeros({count, rest, 2 * width}), right = left.clone();
    const Tensor tau = a.new_empty({count, width});
    for (std::int64_t k = 0; k < width; ++k) {
      const Tensor column = columns_of(rows_of(tail, k), k, k + 1);
      const Tensor past_left = columns_of(left, 0, 2 * k), past_right = columns_of(right, 0, 2 * k);
      if (k > 0) {
        subtract_product(column, rows_of(past_left, k), adjoint(rows_of(past_right, k, k + 1)));
      }
      const Tensor v = rows_of(column, 1).contiguous(), of_k = tau.slice(1, k, k + 1);
      launch_factor(operation, op::qr, {}, {&v, &of_k, &scratch});
      diagonal.slice(1, begin + k, begin + k + 1).copy_from(real_part(column.select(1, 0)));
      const Tensor first = rows_of(v, 0, 1);
      below.slice(1, begin + k, begin + k + 1).copy_from(real_part(first.select(1, 0)));
      first.fill_(1);
      // w = tau a v - |tau|^2 (v^H a v) v / 2: the tail becomes tail - v w^H - w v^H.
      const Tensor w = matmul(columns_of(rows_of(tail, k + 1), k + 1), v);
      if (k > 0) {
        subtract_product(w, rows_of(past_left, k + 1),
                         matmul(adjoint(rows_of(past_right, k + 1)), v));
      }
      const Tensor factor = of_k.unsqueeze(-1);
      mul_out(w, w, factor);
      subtract_product(w, v, mul(mul(matmul(adjoint(v), w), conj(factor)), 0.5));
      const auto put = [k](const Tensor& all, std::int64_t place, const Tensor& vector) {
        rows_of(columns_of(all, 2 * k + place, 2 * k + place + 1), k + 1).copy_from(vector);
      };
      put(left, 0, v);
      put(left, 1, w);
      put(right, 0, w);
      put(right, 1, v);
    }
    subtract_product(columns_of(rows_of(tail, width), width), rows_of(left, width),
                     adjoint(rows_of(right, width)));
    const Tensor vectors = left.view({count, rest, width, 2}).select(-1, 0);
    result.q.push_back(reflections_of(operation, begin + 1, rows_of(vectors, 1), tau));
  }
  diagonal.slice(1, n - 1).copy_from(real_part(a.diagonal().slice(1, n - 1)));
  result.t.diagonal(1).copy_from(below);
  return result;
}

/// The tridiagonal matrix has the eigenvalues, and eigenvectors that the reflections turn.
Eigen divided_eigh(const char* operation, const Tensor& a, bool has_vectors) {
  const Tensor divisor = divisor_of(a);
  const Tridiagonal made = tridiagonal_of(operation, div(a, divisor.cast(a.dtype())));
  Eigen result = whole_eigh(operation, made.t, has_vectors);
  mul_out(result.values, result.values, divisor.squeeze(-1));
  if (!has_vectors) return result;
  const Tensor vectors = result.vectors.transpose(-2, -1).cast(a.dtype()).contiguous();
  for (auto each = made.q.rbegin(); each != made.q.rend(); ++each) each->apply(vectors, false);
  result.vectors = vectors.transpose(-2, -1);
  return result;
}

/// The eigenvectors of the products of its rows turn a so that they are nearly orthogonal, and the
/// operator does the rest. In f64 where the device has it, because these products are squares: then
/// the eigenvalues alone are exact enough for f32.
Singular turned_svd(const char* operation, const Tensor& a, bool has_vectors) {
  const Tensor divisor = divisor_of(a);
  const bool is_wider = device_info(a).properties.f64 && real_dtype(a.dtype()) == DType::f32;
  const DType wide = !is_wider ? a.dtype() : is_complex(a.dtype()) ? DType::c128 : DType::f64;
  const Tensor rows = div(a, divisor.cast(a.dtype())).cast(wide);
  const bool is_done = is_wider && !has_vectors;
  const Eigen squares = eigh_in_place(operation, matmul(rows, adjoint(rows)), !is_done);
  Singular result;
  if (is_done) {
    const Tensor descending = arange(a.size(1) - 1, -1, -1, {DType::i64, a.device()});
    const Tensor values = index_select(sqrt(relu(squares.values)), -1, descending);
    result = {values.cast(real_dtype(a.dtype())), {}, squares.info};
  } else {
    const Tensor vectors = with_orthonormal_columns(squares.vectors.transpose(-2, -1));
    const Tensor turning = adjoint(vectors);
    a.copy_from(matmul(turning, rows).cast(a.dtype()));
    result = whole_svd(operation, a, has_vectors);
    if (has_vectors) result.vectors = matmul(result.vectors, turning.cast(a.dtype()));
  }
  mul_out(result.values, result.values, divisor.squeeze(-1));
  return result;
}

}  // namespace

Eigen eigh_in_place(const char* operation, const Tensor& a, bool has_vectors) {
  const bool is_whole =
      device_info(a).takes_large_factors || a.size(1) < least_divided(a, has_vectors);
  return is_whole ? whole_eigh(operation, a, has_vectors) : divided_eigh(operation, a, has_vectors);
}

Eigen eig_in_place(const char* operation, const Tensor& a, bool has_vectors) {
  const std::int64_t count = a.size(0), n = a.size(1);
  const DType dtype = complex_dtype(real_dtype(a.dtype()));
  Eigen result{a.new_empty({count, n}, dtype), a.new_empty({count, n, n}, dtype),
               a.new_empty({count}, DType::i64)};
  const Tensor scratch = a.new_empty({count, n + 4, n});
  launch_factor(operation, op::eig, {has_vectors},
                {&a, &result.values, &result.vectors, &scratch, &result.info});
  return result;
}

Singular svd_in_place(const char* operation, const Tensor& a, bool has_vectors) {
  const std::int64_t m = a.size(1);
  const bool is_whole = m < kLeastTurned || (m >= kLarge && device_info(a).takes_large_factors);
  return is_whole ? whole_svd(operation, a, has_vectors) : turned_svd(operation, a, has_vectors);
}

}  // namespace patchbay::tensor
