// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// LU factors, systems of equations, inverses and determinants.
#include <algorithm>
#include <string>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/complex.h"
#include "patchbay/concat.h"
#include "patchbay/indexing.h"
#include "patchbay/linalg.h"
#include "patchbay/ops.h"
#include "patchbay/sorting.h"

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

/// `way_out`: the function that does not check.
void check_regular(const char* operation, const NamedOperand& x, const Tensor& info,
                   const std::string& way_out) {
  tensor::check_status(operation, x, info,
                       "is singular: expected a pivot in column {}, got 0. Use " + way_out +
                           " to go on without this check");
}

/// The factors with their statuses, not recorded.
struct Factored {
  Tensor lu, permutation, swaps, info;
};
Factored factored(const char* operation, const Tensor& x) {
  const Recording recording(false);
  const Tensor a = tensor::copied_batch(x);
  const std::int64_t count = a.size(0), m = a.size(1);
  tensor::Pivots pivots;
  if (a.num_elements() != 0) {
    pivots = tensor::lu_in_place(operation, a);
  } else {
    const TensorOptions integers{DType::i64, x.device()};
    pivots = {arange(0, m, 1, integers).expand({count, m}).contiguous(),
              a.new_zeros({count}, DType::i64), a.new_zeros({count}, DType::i64)};
  }
  return {a.reshape(x.shape()), tensor::unbatched(pivots.permutation, x.shape()),
          tensor::unbatched(pivots.swaps, x.shape()), tensor::unbatched(pivots.info, x.shape())};
}

Tensor lower_of(const Tensor& lu) {
  const std::int64_t k = std::min(lu.size(-2), lu.size(-1));
  const Tensor l = tril(lu.slice(-1, 0, k), -1);
  return add(l, tensor::identities({}, l.size(-2), k, lu.detach()));
}
Tensor upper_of(const Tensor& lu) {
  return triu(lu.slice(-2, 0, std::min(lu.size(-2), lu.size(-1))));
}

/// Row i of the result is row permutation[i] of b.
Tensor permuted(const Tensor& b, const Tensor& permutation) {
  return gather(b, -2, permutation.unsqueeze(-1).expand(b.shape()));
}
Tensor inverse_of(const Tensor& permutation) {
  const Recording recording(false);
  return argsort(permutation);
}

/// Of square factors, without the permutation: l^-H (tril(l^H g, -1) + triu(g u^H)) u^-H.
Tensor square_lu_gradient(const Tensor& grad, const Tensor& lu) {
  const Tensor l = lower_of(lu), u = upper_of(lu);
  const Tensor inner =
      add(tril(matmul(adjoint(l), tril(grad, -1)), -1), triu(matmul(triu(grad), adjoint(u))));
  const Tensor left = linalg::solve_triangular(adjoint(l), inner, true, true);
  return adjoint(linalg::solve_triangular(u, adjoint(left), true));
}

/// Columns beyond the square are l^-1 b of the matrix's columns b there, and rows below it c u^-1
/// of its rows c: their gradients flow to these and to the factors of the square.
Tensor lu_gradient(const Tensor& grad, const Tensor& lu, const Tensor& permutation) {
  const std::int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  const Tensor factors = lu.slice(-2, 0, k).slice(-1, 0, k);
  Tensor square = grad.slice(-2, 0, k).slice(-1, 0, k), others;
  if (m < n) {
    others = linalg::solve_triangular(adjoint(factors), grad.slice(-1, k), true, true);
    square = sub(square, tril(matmul(others, adjoint(lu.slice(-1, k))), -1));
  } else if (m > n) {
    others = adjoint(linalg::solve_triangular(factors, adjoint(grad.slice(-2, k)), true));
    square = sub(square, triu(matmul(adjoint(lu.slice(-2, k)), others)));
  }
  Tensor result = square_lu_gradient(square, factors);
  if (others.defined()) result = concat({result, others}, m < n ? -1 : -2);
  return permuted(result, inverse_of(permutation));
}

LuFactorsEx lu_factors(const char* operation, const Tensor& x) {
  tensor::check_matrices(operation, x);
  const Factored made = factored(operation, x);
  if (tensor::needs_grad(x)) {
    tensor::record("lu_factor", made.lu, x,
                   [lu = Saved::result(made.lu), permutation = made.permutation](const Tensor& grad,
                                                                                 const Node& node) {
                     return lu_gradient(grad, lu.get(node), permutation);
                   });
  }
  return {made.lu, made.permutation, made.info};
}

/// a^-1 b, with `is_adjoint` a^-H b, for equal leading dimensions.
Tensor solved(const char* operation, const Tensor& lu, const Tensor& permutation, const Tensor& b,
              bool is_adjoint) {
  const Recording recording(false);
  if (b.num_elements() == 0) return b.clone();
  const Tensor a = tensor::as_batch(lu.contiguous());
  Tensor x = is_adjoint ? tensor::copied_batch(b)
                        : tensor::as_batch(permuted(b, permutation).contiguous());
  if (is_adjoint) {
    tensor::solve_in_place(operation, x, a, {.upper = true, .adjoint = true});
    tensor::solve_in_place(operation, x, a, {.adjoint = true, .unit = true});
    return permuted(x.reshape(b.shape()), inverse_of(permutation));
  }
  tensor::solve_in_place(operation, x, a, {.unit = true});
  tensor::solve_in_place(operation, x, a, {.upper = true});
  return x.reshape(b.shape());
}

/// The solution by given factors of a, recorded with a.
Tensor solve_by(const char* operation, const Tensor& a, const Factored& made, const Tensor& b,
                const Shape& batch) {
  Tensor x;
  {
    const Recording recording(false);
    x = solved(operation, tensor::with_batch(made.lu, batch),
               tensor::with_batch(made.permutation, batch, 1), tensor::with_batch(b, batch), false);
  }
  if (tensor::needs_grad(a) || tensor::needs_grad(b)) {
    tensor::record(
        "solve", x, {&a, &b},
        [saved = Saved("a", a), result = Saved::result(x), a_shape = a.shape(),
         b_shape = b.shape()](const Tensor& grad, const Node& node) -> std::vector<Tensor> {
          std::vector<Tensor> grads(2);
          const Tensor of_b = linalg::solve_ex(adjoint(saved.get(node)), grad).result;
          if (node.inputs[0]) {
            grads[0] = tensor::sum_to(neg(matmul(of_b, adjoint(result.get(node)))), a_shape);
          }
          if (node.inputs[1]) grads[1] = tensor::sum_to(of_b, b_shape);
          return grads;
        });
  }
  return x;
}

SolveEx solve_checked(const char* operation, const Tensor& a, const Tensor& b) {
  const NamedOperand left{"a", tensor::check_square(operation, a, "a")};
  const tensor::TensorImpl& of_b = tensor::operand_of(operation, b, "b");
  if (b.rank() == 1) {
    tensor::check_right_side(operation, left, {"b", of_b});
    const SolveEx column = solve_checked(operation, a, b.unsqueeze(-1));
    return {column.result.squeeze(-1), column.info};
  }
  const NamedOperand right{"b", tensor::check_matrices(operation, b, "b")};
  tensor::check_right_side(operation, left, right);
  const Shape batch = tensor::broadcast_batches(operation, left, right);
  const Factored made = factored(operation, a);
  return {solve_by(operation, a, made, b, batch), made.info};
}

SolveEx inverse_ex(const char* operation, const Tensor& x) {
  tensor::check_square(operation, x);
  const Factored made = factored(operation, x);
  Tensor result;
  {
    const Recording recording(false);
    const Tensor one =
        tensor::identities(tensor::batch_shape(x.shape()), x.size(-1), x.size(-1), x);
    result = solved(operation, made.lu, made.permutation, one, false);
  }
  if (tensor::needs_grad(x)) {
    tensor::record("inv", result, x,
                   [saved = Saved::result(result)](const Tensor& grad, const Node& node) {
                     const Tensor turned = adjoint(saved.get(node));
                     return neg(matmul(turned, matmul(grad, turned)));
                   });
  }
  return {result, made.info};
}

/// 1 or -1 in the dtype of the factors.
Tensor parity_of(const Factored& made) {
  const Tensor is_odd = ne(remainder(made.swaps, 2), 0);
  return sub(1, mul(is_odd.cast(made.lu.dtype()), 2));
}

/// a^-H, which is infinite or NaN for singular matrices.
Tensor inverse_adjoint(const Tensor& a) { return adjoint(linalg::inv_ex(a).result); }

/// conj(det) a^-H, the conjugates of the cofactors. Of a singular matrix: with a pivot of epsilon
/// times its largest element for each that is 0, of which only the product remains.
Tensor cofactors(const Tensor& a) {
  const Recording recording(false);
  const Factored made = factored("det", a);
  const Tensor diagonal = made.lu.diagonal();
  const Tensor most = max(abs(a), {-2, -1}).unsqueeze(-1);
  const Tensor least =
      mul(where(eq(most, 0), 1, most), tensor::epsilon_of(a.dtype())).cast(a.dtype());
  where_out(diagonal, eq(diagonal, 0), least, diagonal);
  const Tensor det = mul(prod(diagonal, -1), parity_of(made));
  const Tensor one = tensor::identities(tensor::batch_shape(a.shape()), a.size(-1), a.size(-1), a);
  const Tensor inverse = solved("det", made.lu, made.permutation, one, true);
  return mul(conj(det).unsqueeze(-1).unsqueeze(-1), inverse);
}

}  // namespace

Tensor tensor::inverse(const char* operation, const Tensor& x) {
  const SolveEx made = inverse_ex(operation, x);
  check_regular(operation, {"x", *x.impl()}, made.info, "inv_ex");
  return made.result;
}

namespace linalg {

LuFactorsEx lu_factor_ex(const Tensor& x) { return lu_factors("lu_factor_ex", x); }

LuFactors lu_factor(const Tensor& x) {
  const LuFactorsEx made = lu_factors("lu_factor", x);
  check_regular("lu_factor", {"x", *x.impl()}, made.info, "lu_factor_ex");
  return {made.lu, made.permutation};
}

LuMatrices lu(const Tensor& x) {
  const LuFactorsEx made = lu_factors("lu", x);
  const std::int64_t m = x.size(-2);
  Tensor p;
  {
    const Recording recording(false);
    const Tensor one = tensor::identities(tensor::batch_shape(x.shape()), m, m, x);
    p = m == 0 ? one : permuted(one, inverse_of(made.permutation));
  }
  return {p, lower_of(made.lu), upper_of(made.lu)};
}

Tensor lu_solve(const LuFactors& factors, const Tensor& b, bool is_adjoint) {
  constexpr const char* kName = "lu_solve";
  const NamedOperand left{"factors.lu", tensor::check_square(kName, factors.lu, "factors.lu")};
  const NamedOperand right{"b", tensor::check_matrices(kName, b, "b")};
  tensor::check_right_side(kName, left, right);
  const tensor::TensorImpl& order =
      tensor::operand_of(kName, factors.permutation, "factors.permutation");
  tensor::check_dtype_allowed(kName, tensor::dtypes_of(DType::i64), {"factors.permutation", order});
  const Shape of_order = tensor::batch_shape(left.tensor.shape, 1);
  if (order.shape != of_order) {
    base::raise(
        ErrorCode::kShapeMismatch,
        "[lu_solve] the factors do not belong together: expected a permutation of shape {}, "
        "got {} ({}; {}). Pass what lu_factor gives.",
        to_string(of_order), to_string(order.shape), tensor::describe(left),
        tensor::describe({"factors.permutation", order}));
  }
  tensor::check_same_device(kName, left, {"factors.permutation", order});
  const Shape batch = tensor::broadcast_batches(kName, left, right);
  const Tensor lu = tensor::with_batch(factors.lu, batch);
  const Tensor right_side = tensor::with_batch(b, batch);
  const Tensor permutation = tensor::with_batch(factors.permutation, batch, 1);
  if (!tensor::needs_grad(factors.lu) && !tensor::needs_grad(b)) {
    return solved(kName, lu, permutation, right_side, is_adjoint);
  }
  if (is_adjoint) {
    const Tensor inner = solve_triangular(adjoint(lu), right_side);
    return permuted(solve_triangular(adjoint(lu), inner, true, true), inverse_of(permutation));
  }
  return solve_triangular(lu, solve_triangular(lu, permuted(right_side, permutation), false, true),
                          true);
}

SolveEx solve_ex(const Tensor& a, const Tensor& b) { return solve_checked("solve_ex", a, b); }

Tensor solve(const Tensor& a, const Tensor& b) {
  const SolveEx made = solve_checked("solve", a, b);
  check_regular("solve", {"a", *a.impl()}, made.info, "solve_ex");
  return made.result;
}

SolveEx inv_ex(const Tensor& x) { return inverse_ex("inv_ex", x); }

Tensor inv(const Tensor& x) { return tensor::inverse("inv", x); }

Tensor det(const Tensor& x) {
  tensor::check_square("det", x);
  Tensor result;
  {
    const Recording recording(false);
    const Factored made = factored("det", x);
    result = mul(prod(made.lu.diagonal(), -1), parity_of(made));
  }
  if (tensor::needs_grad(x)) {
    tensor::record(
        "det", result, x,
        [saved = Saved("x", x), det = Saved::result(result)](const Tensor& grad, const Node& node) {
          const Tensor a = saved.get(node), value = det.get(node);
          if (a.num_elements() == 0) return zeros_like(a);
          Tensor factors = cofactors(a);
          if (tensor::needs_grad(a)) {  // of which the second derivative is made
            const Tensor product = mul(conj(value).unsqueeze(-1).unsqueeze(-1), inverse_adjoint(a));
            const Tensor is_singular = eq(value, 0).unsqueeze(-1).unsqueeze(-1);
            factors = where(is_singular, factors, product);
          }
          return mul(grad.unsqueeze(-1).unsqueeze(-1), factors);
        });
  }
  return result;
}

Slogdet slogdet(const Tensor& x) {
  tensor::check_square("slogdet", x);
  Slogdet result;
  {
    const Recording recording(false);
    const Factored made = factored("slogdet", x);
    const Tensor diagonal = made.lu.diagonal(), size = abs(diagonal);
    const Tensor signs = is_complex(x.dtype())
                             ? where(eq(size, 0), diagonal, div(diagonal, size.cast(x.dtype())))
                             : sign(diagonal);
    result.sign = mul(prod(signs, -1), parity_of(made));
    result.logabsdet = sum(log(size), -1);
  }
  if (!tensor::needs_grad(x)) return result;
  if (!is_complex(x.dtype())) {
    tensor::record("slogdet", result.logabsdet, x,
                   [saved = Saved("x", x)](const Tensor& grad, const Node& node) {
                     const Tensor inverse = inverse_adjoint(saved.get(node));
                     return mul(grad.unsqueeze(-1).unsqueeze(-1), inverse);
                   });
    return result;
  }
  // The sign is exp(i angle), and logabsdet + i angle has the derivative tr(x^-1 dx).
  tensor::record_several(
      "slogdet", std::vector<Tensor>{result.sign, result.logabsdet}, x,
      [saved = Saved("x", x), sign = Saved::result(result.sign, 0, "sign")](
          const std::vector<Tensor>& grads, const Node& node) -> std::vector<Tensor> {
        const Tensor inverse = inverse_adjoint(saved.get(node));
        const Tensor of_angle =
            grads[0].defined() ? imag(mul(grads[0], conj(sign.get(node)))) : zeros_like(grads[1]);
        const Tensor of_size = grads[1].defined() ? grads[1] : zeros_like(of_angle);
        return {mul(complex(of_size, of_angle).unsqueeze(-1).unsqueeze(-1), inverse)};
      });
  return result;
}

}  // namespace linalg
}  // namespace patchbay
