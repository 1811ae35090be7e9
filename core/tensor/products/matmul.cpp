// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products, and products added to something.
#include <cstdint>
#include <utility>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/complex.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/products/gemm.h"
#include "core/tensor/views/sum.h"

namespace patchbay {

namespace tensor {

namespace {

/// Saves each operand only for the other's gradient. Both have rank 2 or more. The conjugate of
/// what is not complex is itself.
void record_product(const Tensor& out, const Tensor& a, const Tensor& b) {
  const Saved for_a = needs_grad(a) ? Saved("b", b) : Saved();
  const Saved for_b = needs_grad(b) ? Saved("a", a) : Saved();
  record("matmul", out, {&a, &b},
         [for_a, for_b, a_shape = a.shape(), b_shape = b.shape()](
             const Tensor& grad, const Node& node) -> std::vector<Tensor> {
           std::vector<Tensor> grads(2);
           if (node.inputs[0])
             grads[0] = sum_to(matmul(grad, transposed(conj(for_a.get(node)))), a_shape);
           if (node.inputs[1]) grads[1] = right_gradient(conj(for_b.get(node)), grad, b_shape);
           return grads;
         });
}

/// One product of reals, whose result has the parts side by side: [re a, im a] times the pairs of b
/// above those of i b.
Tensor complex_product(const Tensor& a, const Tensor& b) {
  const std::int64_t depth = a.size(-1), width = b.size(-1);
  Shape shape = a.shape();
  shape[shape.rank() - 1] *= 2;
  const Tensor rows = a.new_empty(shape, real_dtype(a.dtype()));
  rows.slice(-1, 0, depth).copy_from(real(a));
  rows.slice(-1, depth).copy_from(imag(a));
  const Tensor pairs = view_as_real(b);
  shape = pairs.shape();
  shape[shape.rank() - 3] *= 2;
  const Tensor columns = rows.new_empty(shape);
  columns.slice(-3, 0, depth).copy_from(pairs);
  const Tensor turned = columns.slice(-3, depth);
  neg_out(turned.select(-1, 0), pairs.select(-1, 1));
  turned.select(-1, 1).copy_from(pairs.select(-1, 0));
  shape.erase(shape.rank() - 1);
  shape[shape.rank() - 1] = 2 * width;
  const Tensor product = matmul(rows, columns.view(shape));
  shape = product.shape();
  shape[shape.rank() - 1] = width;
  shape.push_back(2);
  return view_as_complex(product.view(shape));
}

/// Multiplies matching operands of rank 2 or more.
Tensor multiply_matrices(const Shape& shape, const Tensor& a, const Tensor& b) {
  const DType dtype = a.dtype();
  Tensor out;
  if (is_complex(dtype) && num_elements(shape) != 0) {
    const Recording recording(false);
    out = complex_product(a, b);
  } else {
    out = make_empty("matmul", shape, dtype, *a.impl());
    if (!is_complex(dtype)) multiply("matmul", out, a, b, make_factors("matmul", dtype, 1, 0));
  }
  if (needs_grad(a) || needs_grad(b)) [[unlikely]]
    record_product(out, a, b);
  return out;
}

}  // namespace
}  // namespace tensor

using tensor::NamedOperand;

Tensor matmul(const Tensor& a, const Tensor& b) {
  const NamedOperand x{"a", tensor::operand_of("matmul", a, "a")};
  const NamedOperand y{"b", tensor::operand_of("matmul", b, "b")};
  const Shape shape = tensor::product_shape("matmul", x, y);
  if (a.rank() >= 2 && b.rank() >= 2) return tensor::multiply_matrices(shape, a, b);
  Shape matrices = shape;
  if (a.rank() == 1) matrices.insert(shape.rank() - (b.rank() == 1 ? 0 : 1), 1);
  if (b.rank() == 1) matrices.push_back(1);
  return tensor::multiply_matrices(matrices, tensor::as_row(a), tensor::as_column(b)).view(shape);
}

const Tensor& matmul_out(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha,
                         const Scalar& beta) {
  const NamedOperand target{"out", tensor::impl_of("matmul", out, "out")};
  const NamedOperand x{"a", tensor::impl_of("matmul", a, "a")},
      y{"b", tensor::impl_of("matmul", b, "b")};
  const Shape shape = tensor::product_shape("matmul", x, y);
  tensor::check_same_device("matmul", target, x);
  const DType dtype = x.tensor.dtype;
  if (is_complex(dtype)) {
    tensor::check_out("matmul", target.tensor, shape, dtype);
    const NoGrad unrecorded;
    const Tensor product = alpha * matmul(a, b);
    return out.copy_from(beta.is_floating() || beta.to_double() != 0 ? product + beta * out
                                                                     : product);
  }
  tensor::refuse_gradient("matmul", x);
  tensor::refuse_gradient("matmul", y);
  const tensor::Factors factors = tensor::make_factors("matmul", dtype, alpha, beta);
  tensor::check_out("matmul", target.tensor, shape, dtype);
  tensor::check_no_overlap("matmul", target.tensor, x);
  tensor::check_no_overlap("matmul", target.tensor, y);
  Tensor matrices = out;
  if (a.rank() == 1) matrices = matrices.unsqueeze(b.rank() == 1 ? 0 : -2);
  if (b.rank() == 1) matrices = matrices.unsqueeze(-1);
  target.tensor.buffer().count_version();
  tensor::multiply("matmul", matrices, tensor::as_row(a), tensor::as_column(b), factors);
  return out;
}

}  // namespace patchbay
