// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/base/gemm_problem.hpp"

#include <utility>

#include "kit/portable/base/text.hpp"

namespace patchbay::portable {
namespace {

void check_shapes(const patchbay_argument& out, const patchbay_argument& a,
                  const patchbay_argument& b) {
  const int row = out.rank - 2, column = out.rank - 1;
  bool fit = row >= 0 && a.rank == out.rank && b.rank == out.rank &&
             out.shape[row] == a.shape[row] && out.shape[column] == b.shape[column] &&
             a.shape[column] == b.shape[row];
  for (int d = 0; fit && d < row; ++d) {
    fit = out.shape[d] == a.shape[d] && out.shape[d] == b.shape[d];
  }
  if (!fit) plugin::invalid_argument("gemm.1: expected [..., m, n], [..., m, k], [..., k, n]");
}

void check_strides(const patchbay_argument& matrix) {
  const bool by_rows = matrix.shape[1] <= 1 || matrix.strides[1] == 1;
  const bool by_columns = matrix.shape[0] <= 1 || matrix.strides[0] == 1;
  if (!by_rows && !by_columns) plugin::invalid_argument("gemm.1: a matrix has no unit stride");
}

/// True for zero of either sign.
bool is_zero(const patchbay_argument& scalar) {
  const std::uint64_t bits = scalar.value.bits << (64 - 8 * element_bytes(scalar.dtype));
  return (is_integer(scalar.dtype) ? bits : bits << 1) == 0;
}

/// The batch dimension of a series, its longest; -1 if there is no batch.
int longest_dim(const patchbay_argument& out) {
  int longest = out.rank > 2 ? 0 : -1;
  for (int d = 1; d + 2 < out.rank; ++d) {
    if (out.shape[d] > out.shape[longest]) longest = d;
  }
  return longest;
}

/// The matrix (rank 2) at `index`, which counts all batch dimensions except `along`.
patchbay_argument matrix_at(const patchbay_argument& of, std::int64_t index, int along) {
  patchbay_argument matrix = of;
  std::int64_t elements = 0;
  for (int d = of.rank - 3; d >= 0; --d) {
    if (d == along) continue;
    elements += index % of.shape[d] * of.strides[d];
    index /= of.shape[d];
  }
  matrix.rank = 2;
  for (int d = 0; d < 2; ++d) {
    matrix.shape[d] = of.shape[of.rank - 2 + d];
    matrix.strides[d] = of.strides[of.rank - 2 + d];
  }
  const auto element = static_cast<std::int64_t>(element_bytes(of.dtype));
  matrix.value.memory.offset_bytes += static_cast<std::uint64_t>(elements * element);
  return matrix;
}

}  // namespace

std::uint8_t check_gemm(Specs specs, const Traits& traits) {
  check_device("gemm.1", specs, traits);
  return specs[0].dtype;
}

std::vector<GemmSeries> gemm_series(plugin::Arguments arguments) {
  const patchbay_argument &out = arguments[0], &a = arguments[1], &b = arguments[2];
  check_shapes(out, a, b);
  const int along = longest_dim(out);
  std::int64_t number = along >= 0 && out.shape[along] == 0 ? 0 : 1;
  for (int d = 0; d + 2 < out.rank; ++d) {
    if (d != along) number *= out.shape[d];
  }
  std::vector<GemmSeries> all;
  const bool multiplies = !is_zero(arguments[3]);
  for (std::int64_t i = 0; i < number; ++i) {
    all.push_back({matrix_at(out, i, along), matrix_at(a, i, along), matrix_at(b, i, along),
                   along < 0 ? 1 : out.shape[along], along < 0 ? 0 : out.strides[along],
                   along < 0 ? 0 : a.strides[along], along < 0 ? 0 : b.strides[along]});
    if (!multiplies) all.back().a.shape[1] = all.back().b.shape[0] = 0;
  }
  return all;
}

std::vector<GemmProblem> gemm_problems(plugin::Arguments arguments) {
  std::vector<GemmProblem> problems;
  for (GemmSeries& series : gemm_series(arguments)) {
    patchbay_argument &out = series.out, &a = series.a, &b = series.b;
    for (const patchbay_argument* matrix : {&out, &a, &b}) check_strides(*matrix);
    if (out.strides[1] != 1 && out.shape[1] != 1) {
      std::swap(a, b);
      std::swap(series.a_next, series.b_next);
      for (patchbay_argument* matrix : {&out, &a, &b}) {
        std::swap(matrix->shape[0], matrix->shape[1]);
        std::swap(matrix->strides[0], matrix->strides[1]);
      }
    }
    if (out.shape[0] == 0 || out.shape[1] == 0) return {};
    const GemmSizes sizes = {out.shape[0], out.shape[1],  a.shape[1],    a.strides[0],
                             a.strides[1], b.strides[0],  b.strides[1],  out.strides[0],
                             series.count, series.a_next, series.b_next, series.out_next};
    const bool nothing = sizes.k == 0;
    problems.push_back({sizes, out.value.memory, nothing ? out.value.memory : a.value.memory,
                        nothing ? out.value.memory : b.value.memory});
  }
  return problems;
}

std::string gemm_definitions(std::uint8_t dtype) {
  const bool is_small = is_small_float(dtype);
  return alias("T", wrapping_type(dtype)) + alias("STORED", is_small ? element_type(dtype) : "T") +
         define("LOAD(element)", is_small ? loaded(dtype, "element") : "(element)") +
         define("STORE(value)", is_small ? stored(dtype, "value") : "(value)");
}

}  // namespace patchbay::portable
