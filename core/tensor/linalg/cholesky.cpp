// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Triangular systems and Cholesky factors.
#include "patchbay/autograd.h"
#include "patchbay/linalg.h"
#include "patchbay/ops.h"

#include "core/tensor/linalg/factors.h"
#include "core/tensor/linalg/matrices.h"
#include "core/tensor/views/sum.h"

namespace patchbay {
namespace {

using tensor::adjoint;
using tensor::NamedOperand;
using tensor::Node;
using tensor::Recording;
using tensor::Saved;

/// The triangle of which the factor was made, as a lower one.
Tensor lower_of(const Tensor& factor, bool upper) { return upper ? adjoint(factor) : factor; }

/// Murray, Differentiation of the Cholesky decomposition, 2016.
Tensor cholesky_gradient(const Tensor& grad, const Tensor& factor, bool upper) {
  const Tensor l = lower_of(factor, upper);
  const Tensor product = tril(matmul(adjoint(l), lower_of(grad, upper)));
  const Tensor half = mul(tensor::without_imaginary(product.diagonal()), 0.5);
  const Tensor halved = add(tril(product, -1), tensor::on_diagonal(half));
  // l^-H halved l^-1
  const Tensor left = linalg::solve_triangular(adjoint(l), halved, true);
  const Tensor both = adjoint(linalg::solve_triangular(adjoint(l), adjoint(left), true));
  return mul(add(both, adjoint(both)), 0.5);
}

CholeskyEx factored(const char* operation, const Tensor& x, bool upper) {
  tensor::check_square(operation, x);
  CholeskyEx result;
  {
    const Recording recording(false);
    // The kernels read the upper triangle.
    const Tensor a = tensor::copied_batch(upper ? x : adjoint(x));
    if (a.num_elements() == 0) {
      result = {a, a.new_zeros({a.size(0)}, DType::i64)};
    } else {
      result.info = tensor::cholesky_in_place(operation, a);
      result.factor = triu(a);
      if (!upper) result.factor = adjoint(result.factor).contiguous();
    }
    result.factor = tensor::unbatched(result.factor, x.shape());
    result.info = tensor::unbatched(result.info, x.shape());
  }
  if (tensor::needs_grad(x)) {
    tensor::record(
        "cholesky", result.factor, x,
        [upper, factor = Saved::result(result.factor)](const Tensor& grad, const Node& node) {
          return cholesky_gradient(grad, factor.get(node), upper);
        });
  }
  return result;
}

/// Of operands with equal leading dimensions.
Tensor solved(const char* operation, const Tensor& a, const Tensor& b,
              tensor::TriangularOptions options) {
  const Recording recording(false);
  const Tensor x = tensor::copied_batch(b);
  if (x.num_elements() != 0) {
    tensor::solve_in_place(operation, x, tensor::as_batch(a.contiguous()), options);
  }
  return x.reshape(b.shape());
}

}  // namespace

namespace linalg {

CholeskyEx cholesky_ex(const Tensor& x, bool upper) { return factored("cholesky_ex", x, upper); }

Tensor cholesky(const Tensor& x, bool upper) {
  const CholeskyEx result = factored("cholesky", x, upper);
  tensor::check_status("cholesky", {"x", *x.impl()}, result.info,
                       "is not positive definite: its leading minor of order {} is not positive. "
                       "Use cholesky_ex to go on without this check");
  return result.factor;
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool unit) {
  constexpr const char* kName = "solve_triangular";
  const NamedOperand left{"a", tensor::check_square(kName, a, "a")};
  const NamedOperand right{"b", tensor::check_matrices(kName, b, "b")};
  tensor::check_right_side(kName, left, right);
  const Shape batch = tensor::broadcast_batches(kName, left, right);
  Tensor x;
  {
    const Recording recording(false);
    x = solved(kName, tensor::with_batch(a, batch), tensor::with_batch(b, batch),
               {upper, false, unit});
  }
  if (tensor::needs_grad(a) || tensor::needs_grad(b)) {
    tensor::record(
        kName, x, {&a, &b},
        [upper, unit, saved = Saved("a", a), result = Saved::result(x), a_shape = a.shape(),
         b_shape = b.shape()](const Tensor& grad, const Node& node) -> std::vector<Tensor> {
          std::vector<Tensor> grads(2);
          const Tensor of_b = solve_triangular(adjoint(saved.get(node)), grad, !upper, unit);
          if (node.inputs[0]) {
            const Tensor product = neg(matmul(of_b, adjoint(result.get(node))));
            const Tensor part = upper ? triu(product, unit ? 1 : 0) : tril(product, unit ? -1 : 0);
            grads[0] = tensor::sum_to(part, a_shape);
          }
          if (node.inputs[1]) grads[1] = tensor::sum_to(of_b, b_shape);
          return grads;
        });
  }
  return x;
}

Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper) {
  constexpr const char* kName = "cholesky_solve";
  const NamedOperand left{"factor", tensor::check_square(kName, factor, "factor")};
  const NamedOperand right{"b", tensor::check_matrices(kName, b, "b")};
  tensor::check_right_side(kName, left, right);
  static_cast<void>(tensor::broadcast_batches(kName, left, right));
  const Tensor turned = adjoint(factor);
  return upper ? solve_triangular(factor, solve_triangular(turned, b), true)
               : solve_triangular(turned, solve_triangular(factor, b), true);
}

}  // namespace linalg
}  // namespace patchbay
