// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values, and what is made of them.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
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

/// 1 / (b[j] - b[i]) at [i, j]; 0 where they are equal.
Tensor inverse_differences(const Tensor& b) {
  const Tensor difference = sub(b.unsqueeze(-2), b.unsqueeze(-1));
  return tensor::reciprocal_where(ne(difference, 0), difference);
}

Tensor like(const Tensor& real_tensor, const Tensor& x) { return real_tensor.cast(x.dtype()); }

// ------------------------------------------------------------------------------ Hermitian ---

/// v (diag(gl) + (v^H gv) / (l[j] - l[i])) v^H, made Hermitian. Giles, An extended collection of
/// matrix derivative results, 2008.
Tensor eigh_gradient(const Tensor& values, const Tensor& vectors, const Tensor& of_values,
                     const Tensor& of_vectors) {
  Tensor inner;
  if (of_values.defined()) inner = tensor::on_diagonal(like(of_values, vectors));
  if (of_vectors.defined()) {
    const Tensor part =
        mul(matmul(adjoint(vectors), of_vectors), like(inverse_differences(values), vectors));
    inner = inner.defined() ? add(inner, part) : part;
  }
  const Tensor grad = matmul(vectors, matmul(inner, adjoint(vectors)));
  return mul(add(grad, adjoint(grad)), 0.5);
}

EighEx decomposed(const char* operation, const Tensor& x, bool has_vectors) {
  tensor::check_square(operation, x);
  EighEx result;
  {
    const Recording recording(false);
    const Tensor source = tensor::as_batch(x), below = tril(source, -1);
    const Tensor a = add(add(below, adjoint(below)),
                         tensor::on_diagonal(tensor::without_imaginary(source.diagonal())));
    tensor::Eigen made;
    if (a.num_elements() == 0) {
      made = {a.new_zeros({a.size(0), a.size(1)}, real_dtype(x.dtype())), a,
              a.new_zeros({a.size(0)}, DType::i64)};
    } else {
      made = tensor::eigh_in_place(operation, a, has_vectors);
      if (has_vectors) {
        made.vectors = tensor::with_orthonormal_columns(made.vectors.transpose(-2, -1));
      }
    }
    result.eigenvalues = tensor::unbatched(made.values, x.shape());
    if (has_vectors) result.eigenvectors = tensor::unbatched(made.vectors, x.shape());
    result.info = tensor::unbatched(made.info, x.shape());
  }
  if (has_vectors && tensor::needs_grad(x)) {
    tensor::record_several(
        operation, std::vector<Tensor>{result.eigenvalues, result.eigenvectors}, x,
        [values = Saved::result(result.eigenvalues, 0, "eigenvalues"),
         vectors = Saved::result(result.eigenvectors, 1, "eigenvectors")](
            std::vector<Tensor> grads, const Node& node) -> std::vector<Tensor> {
          return {eigh_gradient(values.get(node), vectors.get(node), grads[0], grads[1])};
        });
  }
  return result;
}

// -------------------------------------------------------------------------------- singular ---

/// x - x^H
Tensor skew(const Tensor& x) { return sub(x, adjoint(x)); }

/// Of the reduced form. Wan and Zhang, Automatic differentiation for complex valued SVD, 2019.
Tensor svd_gradient(const Svd& of, const Tensor& of_u, const Tensor& of_s, const Tensor& of_vh) {
  const Tensor &u = of.u, &s = of.s;
  const Tensor v = adjoint(of.vh), values = like(s, u);
  const Tensor by_column = values.unsqueeze(-2), by_row = values.unsqueeze(-1);
  const Tensor differences = like(inverse_differences(square(s)), u);
  const Tensor inverse = like(tensor::reciprocal_where(ne(s, 0), s), u);
  Tensor inner =
      of_s.defined() ? tensor::on_diagonal(like(of_s, u)) : tensor::on_diagonal(mul(values, 0));
  Tensor grad;
  const auto added = [&](const Tensor& part) { grad = grad.defined() ? add(grad, part) : part; };
  if (of_u.defined()) {
    const Tensor turned = skew(matmul(adjoint(u), of_u));
    inner = add(inner, mul(mul(turned, differences), by_column));
    if (is_complex(u.dtype())) {  // the phase of u[k] is that of v[k]
      inner = add(inner, tensor::on_diagonal(mul(mul(turned.diagonal(), inverse), 0.5)));
    }
    const Tensor rest = sub(of_u, matmul(u, matmul(adjoint(u), of_u)));
    added(matmul(mul(rest, inverse.unsqueeze(-2)), adjoint(v)));
  }
  if (of_vh.defined()) {
    const Tensor of_v = adjoint(of_vh);
    inner = add(inner, mul(by_row, mul(skew(matmul(adjoint(v), of_v)), differences)));
    const Tensor rest = sub(of_v, matmul(v, matmul(adjoint(v), of_v)));
    added(matmul(u, mul(inverse.unsqueeze(-1), adjoint(rest))));
  }
  added(matmul(u, matmul(inner, adjoint(v))));
  return grad;
}

/// From this ratio of rows to columns on, the singular values are those of r in x = q r.
constexpr std::int64_t kTall = 2;

struct Made {
  Svd factors;
  Tensor info;
};

/// Of [count, m, n] with m >= n and elements; reduced.
Made made_of_tall(const char* operation, const Tensor& x, bool has_vectors) {
  if (x.size(1) >= kTall * x.size(2)) {
    const tensor::Orthogonal qr =
        tensor::qr_in_place(operation, x.clone(), has_vectors ? x.size(2) : 0);
    Made made = made_of_tall(operation, qr.r, has_vectors);
    if (has_vectors) made.factors.u = matmul(qr.q, made.factors.u);
    return made;
  }
  const Tensor rows = x.transpose(-2, -1).clone();
  const tensor::Singular made = tensor::svd_in_place(operation, rows, has_vectors);
  if (!has_vectors) return {{{}, made.values, {}}, made.info};
  return {{tensor::with_orthonormal_columns(rows.transpose(-2, -1)), made.values,
           adjoint(tensor::with_orthonormal_columns(made.vectors.transpose(-2, -1)))},
          made.info};
}

SvdEx decomposed_svd(const char* operation, const Tensor& x, bool has_vectors) {
  tensor::check_matrices(operation, x);
  const std::int64_t m = x.size(-2), n = x.size(-1), k = std::min(m, n);
  SvdEx result;
  {
    const Recording recording(false);
    const Tensor a = tensor::as_batch(x.contiguous());
    const std::int64_t count = a.size(0);
    Made made{{tensor::identities({count}, m, k, x), a.new_zeros({count, k}, real_dtype(x.dtype())),
               tensor::identities({count}, k, n, x)},
              a.new_zeros({count}, DType::i64)};
    if (a.num_elements() != 0) {
      if (m >= n) {
        made = made_of_tall(operation, a, has_vectors);
      } else {
        made = made_of_tall(operation, adjoint(a), has_vectors);
        if (has_vectors) {
          made.factors = {adjoint(made.factors.vh).contiguous(), made.factors.s,
                          adjoint(made.factors.u).contiguous()};
        }
      }
    }
    result.s = tensor::unbatched(made.factors.s, x.shape());
    if (has_vectors) {
      result.u = tensor::unbatched(made.factors.u, x.shape());
      result.vh = tensor::unbatched(made.factors.vh, x.shape());
    }
    result.info = tensor::unbatched(made.info, x.shape());
  }
  if (has_vectors && tensor::needs_grad(x)) {
    tensor::record_several(
        operation, std::vector<Tensor>{result.u, result.s, result.vh}, x,
        [u = Saved::result(result.u, 0, "u"), s = Saved::result(result.s, 1, "s"),
         vh = Saved::result(result.vh, 2, "vh")](std::vector<Tensor> grads,
                                                 const Node& node) -> std::vector<Tensor> {
          return {
              svd_gradient({u.get(node), s.get(node), vh.get(node)}, grads[0], grads[1], grads[2])};
        });
  }
  return result;
}

/// With columns that complete it to a square matrix.
Tensor completed(const Tensor& u) {
  const std::int64_t k = u.size(-1);
  if (k == u.size(-2)) return u;
  const Recording recording(false);
  const Tensor all = linalg::qr(u.detach(), QrMode::kComplete).q;
  return concat(std::vector<Tensor>{u.detach(), all.slice(-1, k)}, -1);
}

/// What was made, if its steps converged.
template <class Made>
Made checked(const char* operation, const Tensor& x, Made made, const std::string& way_out) {
  tensor::check_convergence(operation, x, made.info, way_out);
  return made;
}
Svd checked_svd(const char* operation, const Tensor& x, bool has_vectors) {
  const SvdEx made = checked(operation, x, decomposed_svd(operation, x, has_vectors), "svd_ex");
  return {made.u, made.s, made.vh};
}

SvdEx whole_svd(const char* operation, const Tensor& x, bool full_matrices) {
  tensor::check_matrices(operation, x);
  if (full_matrices && x.size(-2) != x.size(-1) && tensor::needs_grad(x)) {
    base::raise(ErrorCode::kUnsupported,
                "[{}] the full form of [{}, {}] has no gradient, because its last vectors are not "
                "determined ({}). Use the reduced form: full_matrices = false.",
                operation, x.size(-2), x.size(-1), tensor::describe({"x", *x.impl()}));
  }
  SvdEx made = decomposed_svd(operation, x, true);
  if (!full_matrices) return made;
  if (made.vh.size(-2) != made.vh.size(-1)) {
    made.vh = adjoint(completed(adjoint(made.vh))).contiguous();
  }
  made.u = completed(made.u);
  return made;
}

/// Errors: kInvalidArgument for a negative rtol, or NaN.
double tolerance_of(const char* operation, const Tensor& x, std::optional<double> rtol) {
  if (rtol && !(*rtol >= 0)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] a bad rtol: expected 0 or more, got {} ({}). Choose another one, or leave it "
                "out.",
                operation, *rtol, tensor::describe({"x", *x.impl()}));
  }
  return rtol.value_or(static_cast<double>(std::max(x.size(-2), x.size(-1))) *
                       tensor::epsilon_of(x.dtype()));
}

/// Whether each singular value counts.
Tensor counts(const Tensor& s, double tolerance) {
  const Recording recording(false);
  return gt(s, mul(s.slice(-1, 0, 1), tolerance));
}

}  // namespace

namespace linalg {

EighEx eigh_ex(const Tensor& x) { return decomposed("eigh_ex", x, true); }

Eigh eigh(const Tensor& x) {
  const EighEx made = checked("eigh", x, decomposed("eigh", x, true), "eigh_ex");
  return {made.eigenvalues, made.eigenvectors};
}

Tensor eigvalsh(const Tensor& x) {
  const bool has_vectors = x.defined() && tensor::needs_grad(x);
  return checked("eigvalsh", x, decomposed("eigvalsh", x, has_vectors), "eigh_ex").eigenvalues;
}

SvdEx svd_ex(const Tensor& x, bool full_matrices) { return whole_svd("svd_ex", x, full_matrices); }

Svd svd(const Tensor& x, bool full_matrices) {
  const SvdEx made = checked("svd", x, whole_svd("svd", x, full_matrices), "svd_ex");
  return {made.u, made.s, made.vh};
}

Tensor svdvals(const Tensor& x) {
  const bool has_vectors = x.defined() && tensor::needs_grad(x);
  return checked_svd("svdvals", x, has_vectors).s;
}

Tensor pinv(const Tensor& x, std::optional<double> rtol) {
  tensor::check_matrices("pinv", x);
  const double tolerance = tolerance_of("pinv", x, rtol);
  const Svd factors = checked_svd("pinv", x, true);
  if (factors.s.size(-1) == 0) return adjoint(x).contiguous();
  const Tensor inverse = tensor::reciprocal_where(counts(factors.s, tolerance), factors.s);
  return matmul(mul(adjoint(factors.vh), like(inverse, x).unsqueeze(-2)), adjoint(factors.u));
}

Tensor matrix_rank(const Tensor& x, std::optional<double> rtol) {
  tensor::check_matrices("matrix_rank", x);
  const double tolerance = tolerance_of("matrix_rank", x, rtol);
  const Recording recording(false);
  const Tensor s = checked_svd("matrix_rank", x, false).s;
  if (s.size(-1) == 0) return sum(s.cast(DType::i64), -1);
  return sum(counts(s, tolerance), -1);
}

Tensor cond(const Tensor& x) {
  tensor::check_matrices("cond", x);
  const Tensor s = svdvals(x);
  if (s.size(-1) == 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[cond] the matrices have no elements ({}). Pass larger matrices.",
                tensor::describe({"x", *x.impl()}));
  }
  const Tensor least = s.select(-1, s.size(-1) - 1);
  return where(eq(least, 0), INFINITY, div(s.select(-1, 0), least));
}

}  // namespace linalg
}  // namespace patchbay
