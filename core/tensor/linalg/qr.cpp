// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// QR factors and least squares.
#include <algorithm>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/concat.h"
#include "patchbay/linalg.h"
#include "patchbay/ops.h"

#include "core/tensor/linalg/factors.h"
#include "core/tensor/linalg/matrices.h"

namespace patchbay {
namespace {

using tensor::adjoint;
using tensor::NamedOperand;
using tensor::Node;
using tensor::Recording;
using tensor::Saved;

/// x + x^H with the real part of the diagonal once.
Tensor made_hermitian(const Tensor& x) {
  const Tensor diagonal = x.diagonal(), off = sub(x, tensor::on_diagonal(diagonal));
  return add(add(off, adjoint(off)), tensor::on_diagonal(tensor::without_imaginary(diagonal)));
}

/// Of a reduced form whose r is square: (gq + q h) r^-H, h being made of triu(gr r^H - q^H gq).
/// Walter and Lehmann, Algorithmic Differentiation of Linear Algebra Functions, 2010.
Tensor square_gradient(const Tensor& q, const Tensor& r, const Tensor& of_q, const Tensor& of_r) {
  const Tensor inner = sub(matmul(of_r, adjoint(r)), matmul(adjoint(q), of_q));
  const Tensor sum = add(of_q, matmul(q, made_hermitian(triu(inner))));
  return adjoint(linalg::solve_triangular(r, adjoint(sum), true));
}

Tensor qr_gradient(const Tensor& q, const Tensor& r, const Tensor& given_q, const Tensor& given_r) {
  const Tensor of_q = given_q.defined() ? given_q : mul(q, 0);
  const Tensor of_r = given_r.defined() ? given_r : mul(r, 0);
  const std::int64_t m = q.size(-2), n = r.size(-1);
  if (m >= n) return square_gradient(q, r, of_q, of_r);
  // The columns after the first m are q times those of r, [u, v].
  const Tensor u = r.slice(-1, 0, m), v = r.slice(-1, m);
  const Tensor of_v = of_r.slice(-1, m);
  const Tensor more = matmul(matmul(q, v), adjoint(of_v));
  const Tensor first = square_gradient(q, u, add(of_q, more), of_r.slice(-1, 0, m));
  return concat(std::vector<Tensor>{first, matmul(q, of_v)}, -1);
}

}  // namespace

namespace linalg {

Qr qr(const Tensor& x, QrMode mode) {
  tensor::check_matrices("qr", x);
  const std::int64_t m = x.size(-2), n = x.size(-1), k = std::min(m, n);
  const std::int64_t columns = mode == QrMode::kComplete ? m : k;
  if (columns != k && tensor::needs_grad(x)) {
    base::raise(ErrorCode::kUnsupported,
                "[qr] the complete form of [{}, {}] has no gradient, because its last columns "
                "are not determined ({}). Use the reduced form: QrMode::kReduced.",
                m, n, tensor::describe({"x", *x.impl()}));
  }
  Qr result;
  {
    const Recording recording(false);
    const Tensor a = tensor::copied_batch(x);
    tensor::Orthogonal made{tensor::identities({a.size(0)}, m, columns, x),
                            a.new_zeros({a.size(0), k, n})};
    if (a.num_elements() != 0) made = tensor::qr_in_place("qr", a, columns);
    if (columns != k) {
      made.r = concat(std::vector<Tensor>{made.r, a.new_zeros({a.size(0), columns - k, n})}, 1);
    }
    result = {tensor::unbatched(made.q, x.shape()), tensor::unbatched(made.r, x.shape())};
  }
  if (tensor::needs_grad(x)) {
    tensor::record_several(
        "qr", std::vector<Tensor>{result.q, result.r}, x,
        [q = Saved::result(result.q, 0, "q"), r = Saved::result(result.r, 1, "r")](
            std::vector<Tensor> grads, const Node& node) -> std::vector<Tensor> {
          return {qr_gradient(q.get(node), r.get(node), grads[0], grads[1])};
        });
  }
  return result;
}

Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rtol) {
  constexpr const char* kName = "lstsq";
  const NamedOperand left{"a", tensor::check_matrices(kName, a, "a")};
  const NamedOperand right{"b", tensor::check_matrices(kName, b, "b")};
  tensor::check_right_side(kName, left, right);
  return matmul(pinv(a, rtol), b);
}

}  // namespace linalg
}  // namespace patchbay
