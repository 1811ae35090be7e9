// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products, and products added to something.
#include <utility>
#include <vector>

#include "patchbay/ops.h"

#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/products/gemm.h"
#include "core/tensor/views/sum.h"

namespace patchbay {

namespace tensor {

namespace {

/// Saves each operand only for the other's gradient. Both have rank 2 or more.
void record_product(const Tensor& out, const Tensor& a, const Tensor& b) {
  const Saved for_a = needs_grad(a) ? Saved("b", b) : Saved();
  const Saved for_b = needs_grad(b) ? Saved("a", a) : Saved();
  record("matmul", out, {&a, &b},
         [for_a, for_b, a_shape = a.shape(), b_shape = b.shape()](
             const Tensor& grad, const Node& node) -> std::vector<Tensor> {
           std::vector<Tensor> grads(2);
           if (node.inputs[0])
             grads[0] = sum_to(matmul(grad, transposed(for_a.get(node))), a_shape);
           if (node.inputs[1]) grads[1] = right_gradient(for_b.get(node), grad, b_shape);
           return grads;
         });
}

/// Multiplies matching operands of rank 2 or more.
Tensor multiply_matrices(const Shape& shape, const Tensor& a, const Tensor& b) {
  const DType dtype = a.dtype();
  Tensor out = make_empty("matmul", shape, dtype, *a.impl());
  multiply("matmul", out, a, b, make_factors("matmul", dtype, 1, 0));
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
