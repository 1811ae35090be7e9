// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of any matrices.
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/complex.h"
#include "patchbay/linalg.h"
#include "patchbay/ops.h"

#include "core/tensor/linalg/factors.h"
#include "core/tensor/linalg/matrices.h"

namespace patchbay {
namespace {

using tensor::adjoint;
using tensor::Node;
using tensor::Recording;
using tensor::Saved;

/// With p = v^H gv - v^H v diag(Re(v^H gv)), v^-H (diag(gl) + p / conj(l[j] - l[i])) v^H (Boeddeker
/// et al., On the computation of complex-valued gradients, 2017, for vectors of length 1).
Tensor eig_gradient(const Tensor& values, const Tensor& vectors, const Tensor& of_values,
                    const Tensor& of_vectors) {
  Tensor inner;
  if (of_values.defined()) inner = tensor::on_diagonal(of_values);
  if (of_vectors.defined()) {
    const Tensor back = adjoint(vectors), projected = matmul(back, of_vectors);
    const Tensor along = real(projected.diagonal()).cast(vectors.dtype());
    const Tensor across = sub(projected, mul(matmul(back, vectors), along.unsqueeze(-2)));
    const Tensor differences = conj(sub(values.unsqueeze(-2), values.unsqueeze(-1)));
    const Tensor part = mul(across, tensor::reciprocal_where(ne(differences, 0), differences));
    inner = inner.defined() ? add(inner, part) : part;
  }
  return linalg::solve_ex(adjoint(vectors), matmul(inner, adjoint(vectors))).result;
}

EigEx decomposed(const char* operation, const Tensor& x, bool has_vectors) {
  tensor::check_square(operation, x);
  EigEx result;
  {
    const Recording recording(false);
    const Tensor a = tensor::copied_batch(x);
    const DType dtype = complex_dtype(real_dtype(x.dtype()));
    const tensor::Eigen made =
        a.num_elements() != 0 ? tensor::eig_in_place(operation, a, has_vectors)
                              : tensor::Eigen{a.new_zeros({a.size(0), a.size(1)}, dtype),
                                              a.cast(dtype), a.new_zeros({a.size(0)}, DType::i64)};
    result.eigenvalues = tensor::unbatched(made.values, x.shape());
    if (has_vectors) {
      const Tensor columns = made.vectors.transpose(-2, -1).contiguous();
      result.eigenvectors = tensor::unbatched(columns, x.shape());
    }
    result.info = tensor::unbatched(made.info, x.shape());
  }
  if (has_vectors && tensor::needs_grad(x)) {
    tensor::record_several(
        operation, std::vector<Tensor>{result.eigenvalues, result.eigenvectors}, x,
        [values = Saved::result(result.eigenvalues, 0, "eigenvalues"),
         vectors = Saved::result(result.eigenvectors, 1, "eigenvectors"),
         dtype = x.dtype()](std::vector<Tensor> grads, const Node& node) -> std::vector<Tensor> {
          const Tensor grad = eig_gradient(values.get(node), vectors.get(node), grads[0], grads[1]);
          return {is_complex(dtype) ? grad : real(grad).contiguous()};
        });
  }
  return result;
}

}  // namespace

namespace linalg {

EigEx eig_ex(const Tensor& x) { return decomposed("eig_ex", x, true); }

Eig eig(const Tensor& x) {
  const EigEx made = decomposed("eig", x, true);
  tensor::check_convergence("eig", x, made.info, "eig_ex");
  return {made.eigenvalues, made.eigenvectors};
}

Tensor eigvals(const Tensor& x) {
  const bool needs_vectors = x.defined() && tensor::needs_grad(x);
  const EigEx made = decomposed("eigvals", x, needs_vectors);
  tensor::check_convergence("eigvals", x, made.info, "eig_ex");
  return made.eigenvalues;
}

}  // namespace linalg
}  // namespace patchbay
