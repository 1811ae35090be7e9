// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The exponential of matrices, by scaling, a Pade approximation of degree 13, and squaring (Higham,
// The scaling and squaring method for the matrix exponential revisited, 2005).
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/concat.h"
#include "patchbay/copy.h"
#include "patchbay/elementwise.h"
#include "patchbay/linalg.h"
#include "patchbay/ops.h"

#include "core/tensor/linalg/matrices.h"
#include "core/tensor/print/fetch.h"

namespace patchbay {
namespace {

using tensor::adjoint;
using tensor::Node;
using tensor::Recording;
using tensor::Saved;

constexpr const char* kName = "matrix_exp";

/// The largest norm for which the approximation is as good as f64.
constexpr double kMostNorm = 5.371920351148152;

/// Of [count, n, n] whose norm is at most kMostNorm.
Tensor approximated(const Tensor& a) {
  constexpr std::array<double, 14> kFactors = {64764752532480000,
                                               32382376266240000,
                                               7771770303897600,
                                               1187353796428800,
                                               129060195264000,
                                               10559470521600,
                                               670442572800,
                                               33522128640,
                                               1323241920,
                                               40840800,
                                               960960,
                                               16380,
                                               182,
                                               1};
  const auto factor = [&](int i) { return kFactors[static_cast<std::size_t>(i)] / kFactors[0]; };
  const Tensor one = tensor::identities({}, a.size(-1), a.size(-1), a);
  const Tensor a2 = matmul(a, a), a4 = matmul(a2, a2), a6 = matmul(a4, a2);
  const auto sum = [&](int first) {  // of the even powers, with every second factor
    const Tensor high = a6 * factor(first + 12) + a4 * factor(first + 10) + a2 * factor(first + 8);
    return matmul(a6, high) + a6 * factor(first + 6) + a4 * factor(first + 4) +
           a2 * factor(first + 2) + one * factor(first);
  };
  const Tensor even = sum(0), odd = matmul(a, sum(1));
  return linalg::solve_ex(even - odd, even + odd).result;
}

/// Fetches the largest number of squarings.
Tensor exponential(const Tensor& x) {
  const Tensor norms = linalg::matrix_norm(x, MatrixNorm::kOne);
  const Tensor wanted = ceil(log2(norms / kMostNorm));
  // Not for NaN and infinities: their exponential is NaN.
  const Tensor can_be = logical_and(gt(wanted, 0), lt(norms, INFINITY));
  const Tensor squarings = where(can_be, wanted, 0).cast(DType::i64);
  std::int64_t most = 0;
  {
    const CopyTag tag(kName);
    tensor::fetch(kName, squarings.num_elements() == 1 ? squarings : max(squarings), &most);
  }
  const Tensor left = squarings.unsqueeze(-1).unsqueeze(-1);
  const Tensor scale = exp2(neg(left.cast(norms.dtype())));
  Tensor result = approximated(mul(x, scale.cast(x.dtype())));
  for (std::int64_t i = 0; i < most; ++i) {
    result = where(gt(left, i), matmul(result, result), result);
  }
  return result;
}

}  // namespace

namespace linalg {

Tensor matrix_exp(const Tensor& x) {
  tensor::check_square(kName, x);
  Tensor result;
  {
    const Recording recording(false);
    result = x.num_elements() == 0 ? x.clone()
                                   : tensor::unbatched(exponential(tensor::as_batch(x)), x.shape());
  }
  if (tensor::needs_grad(x)) {
    // The exponential of [a g; 0 a] has the derivative along g in its corner (Najfeld and Havel,
    // Derivatives of the matrix exponential and their computation, 1995).
    tensor::record(kName, result, x,
                   tensor::Backward([saved = Saved("x", x)](const Tensor& grad, const Node& node) {
                     const Tensor a = adjoint(saved.get(node));
                     const std::int64_t n = a.size(-1);
                     const Tensor upper = concat({a, grad}, -1);
                     const Tensor lower = concat({a.new_zeros(a.shape()), a}, -1);
                     const Tensor both = matrix_exp(concat({upper, lower}, -2));
                     return std::vector<Tensor>{both.slice(-2, 0, n).slice(-1, n).contiguous()};
                   }));
  }
  return result;
}

}  // namespace linalg
}  // namespace patchbay
