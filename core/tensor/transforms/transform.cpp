// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Transforms of any length by those of fft.1. Long ones are divided into columns and rows (Bailey,
// FFTs in external or hierarchical memory, 1990). Long ones with a prime above 13 are convolutions
// with a chirp (Bluestein, A Linear Filtering Approach to the Computation of Discrete Fourier
// Transform, 1970).
#include "core/tensor/transforms/transform.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/concat.h"
#include "patchbay/indexing.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/transforms/chirp.h"

namespace patchbay::tensor {
namespace {

Sign opposite(Sign sign) { return sign == Sign::kForward ? Sign::kBack : Sign::kForward; }

/// The attribute of fft.1.
enum class Turned : std::uint8_t { kNo, kByColumn, kByMatrix };

/// The longest transforms of fft.1, without and with a prime above 13.
constexpr std::int64_t kMostRows = 4096, kMostChirp = 2048;
/// Fewer columns than these are slow to transform together.
constexpr std::int64_t kColumns = 8;

bool is_smooth(std::int64_t n) {
  for (const std::int64_t radix : {2, 3, 5, 7, 11, 13}) {
    while (n % radix == 0) n /= radix;
  }
  return n == 1;
}

/// The largest divisor of n up to its square root and `most`.
std::int64_t half_of(std::int64_t n, std::int64_t most) {
  auto divisor = std::min(static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))), most);
  while (n % divisor != 0) --divisor;
  return divisor;
}

struct Step {
  const char* operation;
  Sign sign;
};

/// The transforms of columns of matrices, [b, n, m], n <= kMostRows.
void launch(const Step& step, const Tensor& out, const Tensor& a, Turned turned, double scale) {
  const DType dtype = real_dtype(a.dtype());
  const std::uint64_t words[] = {step.sign == Sign::kBack ? 1u : 0u,
                                 static_cast<std::uint64_t>(turned)};
  runtime::KernelState& kernel =
      prepared(*a.impl()->device().kernels, op::fft, dtype, dtype, 0, words);
  const Tensor pairs[] = {make_pairs(*out.impl()), make_pairs(*a.impl())};
  Launch launch;
  for (int i = 0; i < 2; ++i) {
    const TensorImpl& impl = *pairs[i].impl();
    launch.tensor(impl, impl.shape, impl.strides, i == 0 ? PATCHBAY_WRITE : PATCHBAY_READ);
  }
  launch.scalar(literal(step.operation, dtype, scale).bits, dtype);
  launch.run(step.operation, kernel);
}

/// Along the middle dimension of contiguous [outer, n, inner]; n is smooth or at most kMostChirp.
void transform_middle(const Step& step, const Tensor& out, const Tensor& a, double scale) {
  const std::int64_t outer = a.size(0), n = a.size(1), inner = a.size(2);
  const std::int64_t rows = half_of(n, kMostRows), columns = n / rows;
  const bool is_one_row = inner == 1 && outer < kColumns && rows >= kColumns && is_smooth(n);
  if (n <= kMostRows && !is_one_row) {
    const bool turns = inner < kColumns && outer > inner;
    const auto seen = [turns](const Tensor& x) { return turns ? x.transpose(0, 2) : x; };
    return launch(step, seen(out), seen(a), Turned::kNo, scale);
  }
  if (inner == 1) {
    const Tensor middle = a.new_empty({outer, columns, rows});
    launch(step, middle.transpose(1, 2), a.view({outer, rows, columns}), Turned::kByColumn, 1);
    return transform_middle(step, out.view({outer, columns, rows}), middle, scale);
  }
  const Tensor middle = a.new_empty({columns, rows, inner});
  for (std::int64_t i = 0; i < outer; ++i) {
    launch(step, middle, a.select(0, i).view({rows, columns, inner}).transpose(0, 1),
           Turned::kByMatrix, 1);
    transform_middle(step, out.select(0, i).view({1, columns, rows * inner}),
                     middle.view({1, columns, rows * inner}), scale);
  }
}

/// Of the rows of x, [batch, n], as a convolution with a chirp.
Tensor by_chirp(const Step& step, const Tensor& x, double scale) {
  const std::int64_t batch = x.size(0), n = x.size(1), m = next_length(2 * n - 1);
  const auto along = [&](const Tensor& a, Sign sign, double by = 1) {
    const Tensor out = a.new_empty(a.shape());
    transform_middle({step.operation, sign}, out.unsqueeze(-1), a.unsqueeze(-1), by);
    return out;
  };
  const Tensor chirp = chirp_of(n, x, step.sign == Sign::kForward);
  const Tensor a = x.new_zeros({batch, m}), b = x.new_zeros({1, m});
  mul_out(a.slice(1, 0, n), x, chirp);
  const Tensor mirrored = conj(chirp);
  b.select(0, 0).slice(0, 0, n).copy_from(mirrored);
  if (n > 1) {
    b.select(0, 0)
        .slice(0, m - n + 1)
        .copy_from(index_select(mirrored, 0, n - 1 - counted(n - 1, x)));
  }
  const Tensor transformed = along(a, Sign::kForward);
  // Divided by m here, so that no product on the way is larger than it has to be.
  mul_out(transformed, transformed, along(b, Sign::kForward, 1 / static_cast<double>(m)));
  const Tensor back = along(transformed, Sign::kBack).slice(1, 0, n);
  return back * (chirp * scale);
}

Tensor transformed(const Step& step, const Tensor& x, int dim, double scale) {
  const std::int64_t n = x.size(dim);
  if (x.num_elements() == 0) return x.clone();
  if (n > kMostChirp && !is_smooth(n)) {
    const Tensor last = x.transpose(dim, -1);
    const Tensor rows = by_chirp(step, last.reshape({-1, n}), scale);
    return rows.view(last.shape()).transpose(dim, -1).contiguous();
  }
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < dim; ++i) outer *= x.size(i);
  for (int i = dim + 1; i < x.rank(); ++i) inner *= x.size(i);
  const Tensor result = x.new_empty(x.shape());
  transform_middle(step, result.view({outer, n, inner}), x.contiguous().view({outer, n, inner}),
                   scale);
  return result;
}

}  // namespace

/// The least 2^a 3^b 5^c with b and c at most 1.
std::int64_t next_length(std::int64_t n) {
  std::int64_t best = 1;
  while (best < n) best *= 2;
  for (const std::int64_t odd : {3, 5, 15}) {
    std::int64_t length = odd;
    while (length < n) length *= 2;
    best = std::min(best, length);
  }
  return best;
}

Tensor transform(const char* operation, const Tensor& x, int dim, Sign sign, double scale) {
  Tensor result;
  {
    const Recording recording(false);
    result = transformed({operation, sign}, x, dim, scale);
  }
  if (needs_grad(x)) {
    record(operation, result, x, Backward([=](const Tensor& grad, const Node&) {
             return std::vector<Tensor>{transform(operation, grad, dim, opposite(sign), scale)};
           }));
  }
  return result;
}

int check_transformed(const char* operation, const Tensor& x, int dim, bool is_real) {
  const NamedOperand named{"x", operand_of(operation, x, "x")};
  check_dtype_allowed(operation, is_real ? kParts : kParts | kComplex, named);
  if (x.rank() == 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] a tensor of rank 0 has no dimension to transform ({}). Reshape it to [1].",
                operation, describe(named));
  }
  return resolve_axis(operation, named, dim);
}

std::int64_t check_length(const char* operation, const Tensor& x, std::int64_t n) {
  if (n >= 1) return n;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] a bad length: expected 1 or more, got {} ({}). Choose another n.", operation, n,
              describe({"x", *x.impl()}));
}

Tensor with_length(const Tensor& x, int dim, std::int64_t n) {
  const std::int64_t has = x.size(dim);
  if (has == n) return x;
  if (has > n) return x.slice(dim, 0, n);
  Shape shape = x.shape();
  shape[dim] = n - has;
  return concat({x, x.new_zeros(shape)}, dim);
}

Tensor counted(std::int64_t n, const Tensor& like) {
  return arange(0, n, 1, {DType::i64, like.device()});
}

}  // namespace patchbay::tensor
