// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/linalg/factors.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "patchbay/indexing.h"
#include "patchbay/ops.h"

#include "core/tensor/linalg/matrices.h"
#include "core/tensor/linalg/pieces.h"

namespace patchbay::tensor {
namespace {

/// Where larger ones are divided.
std::int64_t half_of(std::int64_t extent) { return (extent / 2 + 15) / 16 * 16; }

/// Launches a factorization of a block, whose rows may lie far apart. Then they are moved together
/// first, because rows at distances of a power of 2 share few lines of a cache.
template <class Launch>
void with_neighbours(const Tensor& block, const Launch& launch) {
  const Tensor together = block.contiguous();
  launch(together);
  if (!together.is_same(block)) block.copy_from(together);
}

/// Row i becomes row permutation[i]. Of one matrix whole rows are copied.
void permute_rows(const Tensor& a, const Tensor& permutation) {
  if (a.size(0) == 1) {
    a.select(0, 0).copy_from(index_select(a.select(0, 0), 0, permutation.select(0, 0)));
  } else {
    a.copy_from(gather(a, -2, permutation.unsqueeze(-1).expand(a.shape())));
  }
}

/// The first info that is not 0; those of the second part count from `before`.
Tensor joined_info(const Tensor& first, const Tensor& second, std::int64_t before) {
  const Tensor shifted = where(eq(second, 0), second, add(second, before));
  return where(eq(first, 0), shifted, first);
}

}  // namespace

Pivots lu_in_place(const char* operation, const Tensor& a) {
  const std::int64_t count = a.size(0), m = a.size(1), n = a.size(2), k = std::min(m, n);
  if (k <= kBlock) {
    Pivots pivots{a.new_empty({count, m}, DType::i64), a.new_empty({count}, DType::i64),
                  a.new_empty({count}, DType::i64)};
    with_neighbours(a, [&](const Tensor& block) {
      launch_factor(operation, op::lu, {},
                    {&block, &pivots.permutation, &pivots.swaps, &pivots.info});
    });
    return pivots;
  }
  const std::int64_t half = half_of(k);
  const Tensor left = columns_of(a, 0, half), right = columns_of(a, half);
  const Pivots first = lu_in_place(operation, left);
  permute_rows(right, first.permutation);
  const Tensor top = rows_of(right, 0, half), bottom = rows_of(right, half);
  solve_in_place(operation, top, rows_of(left, 0, half), {.unit = true});
  if (half == m) return first;
  subtract_product(bottom, rows_of(left, half), top);
  const Pivots second = lu_in_place(operation, bottom);
  permute_rows(rows_of(left, half), second.permutation);
  const Tensor rest = first.permutation.slice(1, half);
  rest.copy_from(gather(rest, 1, second.permutation));
  return {first.permutation, add(first.swaps, second.swaps),
          joined_info(first.info, second.info, half)};
}

Tensor cholesky_in_place(const char* operation, const Tensor& a) {
  const std::int64_t n = a.size(1);
  if (n <= kBlock) {
    const Tensor info = a.new_empty({a.size(0)}, DType::i64);
    with_neighbours(a, [&](const Tensor& block) {
      launch_factor(operation, op::cholesky, {}, {&block, &info});
    });
    return info;
  }
  const std::int64_t half = half_of(n);
  const Tensor top = rows_of(a, 0, half), first = columns_of(top, 0, half);
  const Tensor beside = columns_of(top, half), last = columns_of(rows_of(a, half), half);
  const Tensor info = cholesky_in_place(operation, first);
  solve_in_place(operation, beside, first, {.upper = true, .adjoint = true});
  subtract_product(last, adjoint(beside), beside);
  return joined_info(info, cholesky_in_place(operation, last), half);
}

void solve_in_place(const char* operation, const Tensor& x, const Tensor& a,
                    TriangularOptions options) {
  const std::int64_t m = x.size(1);
  if (m <= kBlock) {
    return launch_factor(operation, op::triangular, {options.upper, options.adjoint, options.unit},
                         {&x, &a});
  }
  const std::int64_t half = half_of(m);
  const Tensor upper = rows_of(a, 0, half), lower = rows_of(a, half);
  const Tensor first = columns_of(upper, 0, half), last = columns_of(lower, half);
  const Tensor beside = options.upper ? columns_of(upper, half) : columns_of(lower, 0, half);
  const Tensor factor = options.adjoint ? adjoint(beside) : beside;
  const Tensor top = rows_of(x, 0, half), bottom = rows_of(x, half);
  if (options.upper == options.adjoint) {
    solve_in_place(operation, top, first, options);
    subtract_product(bottom, factor, top);
    solve_in_place(operation, bottom, last, options);
  } else {
    solve_in_place(operation, bottom, last, options);
    subtract_product(top, factor, bottom);
    solve_in_place(operation, top, first, options);
  }
}

Orthogonal qr_in_place(const char* operation, const Tensor& a, std::int64_t columns) {
  const std::int64_t count = a.size(0), m = a.size(1), n = a.size(2), k = std::min(m, n);
  const Tensor scratch = a.new_empty({count, n});
  std::vector<Reflections> done;
  for (std::int64_t begin = 0; begin < k; begin += kBlock) {
    const std::int64_t width = std::min(kBlock, k - begin);
    const bool is_last = begin + width == k;
    const Tensor panel = columns_of(rows_of(a, begin), begin, is_last ? n : begin + width);
    const Tensor tau = a.new_empty({count, width});
    const Tensor room = scratch.slice(1, 0, panel.size(2));
    with_neighbours(panel, [&](const Tensor& block) {
      launch_factor(operation, op::qr, {}, {&block, &tau, &room});
    });
    done.push_back(reflections_of(operation, begin, panel, tau));
    if (!is_last) done.back().apply(columns_of(a, begin + width), true);
  }
  Orthogonal result{identities({count}, m, columns, a), triu(rows_of(a, 0, k))};
  if (columns == 0) return result;
  for (auto each = done.rbegin(); each != done.rend(); ++each) each->apply(result.q, false);
  result.q = with_orthonormal_columns(result.q);
  return result;
}

Tensor with_orthonormal_columns(const Tensor& x) {
  Tensor rest = matmul(adjoint(x), x);
  sub_out(rest.diagonal(), rest.diagonal(), 1);
  Tensor result = x.clone();
  subtract_product(result, x, mul(rest, 0.5));
  return result;
}

}  // namespace patchbay::tensor
