// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "patchbay/ops.h"

#include "core/runtime/copy.h"
#include "core/tensor/autograd/record.h"
#include "core/tensor/create.h"
#include "core/tensor/dispatch.h"
#include "core/tensor/operands.h"
#include "core/tensor/size.h"

namespace patchbay {

namespace tensor {

namespace {

void check_matrix(const Named& operand) {
  if (operand.tensor.shape.rank() == 2) return;
  raise(ErrorCode::kShapeMismatch,
        "[matmul] {0} is no matrix: expected rank 2, got shape {1} ({2}). Use view or reshape to "
        "give it two dimensions.",
        operand.name, to_string(operand.tensor.shape), describe(operand));
}

/// The shape of the product.
Shape check_operands(const Named& a, const Named& b) {
  check_same_device("matmul", a, b);
  check_same_dtype("matmul", a, b);
  check_dtype_allowed("matmul", op::gemm.dtypes, a);
  check_matrix(a);
  check_matrix(b);
  if (a.tensor.shape[1] != b.tensor.shape[0]) {
    raise(ErrorCode::kShapeMismatch,
          "[matmul] inner dimensions differ: expected b of shape [{}, n], got {} ({}; {}). "
          "Transpose one of them with t() if that was meant.",
          a.tensor.shape[1], to_string(b.tensor.shape), describe(a), describe(b));
  }
  return Shape{a.tensor.shape[0], b.tensor.shape[1]};
}

/// Strides of which one is 1 and the other spans what it steps over, as kernels want them; false if
/// the matrix has no such strides. Those of extent 1 are never taken and set to fit.
bool normalise_strides(const Shape& shape, Shape& strides) {
  if (shape[1] == 1) strides[1] = 1;
  if (shape[0] == 1) strides[0] = strides[1] == 1 ? shape[1] : 1;
  const bool by_rows = strides[1] == 1 && strides[0] >= shape[1];
  const bool by_columns = strides[0] == 1 && strides[1] >= shape[0];
  return by_rows || by_columns;
}

/// A matrix with strides that kernels take, and what keeps its elements.
struct Matrix {
  Tensor keep;
  Shape shape, strides;

  const TensorImpl& impl() const { return *keep.impl(); }
  void transpose() {
    std::swap(shape[0], shape[1]);
    std::swap(strides[0], strides[1]);
  }
};

/// As it is if its strides allow, else a copy on the same device.
Matrix readable(const Tensor& tensor) {
  Matrix matrix{tensor, tensor.shape(), tensor.strides()};
  if (normalise_strides(matrix.shape, matrix.strides)) return matrix;
  const Tensor copy = tensor.clone();
  return {copy, copy.shape(), copy.strides()};
}

struct Factors {
  std::uint64_t alpha, beta;
  bool keeps_out;  // beta is not 0
};

/// out has rows of stride 1: kernels see no other product.
void launch_rows(const Matrix& out, const Matrix& a, const Matrix& b, const Factors& factors) {
  const DType dtype = out.impl().dtype;
  runtime::KernelState& kernel = out.impl().device().kernels.at(
      kernel_slot(op::gemm, dtype, 0), [&] { return make_spec(op::gemm, dtype, dtype); });
  Launch launch;
  launch.tensor(out.impl(), out.shape, out.strides, PATCHBAY_READ | PATCHBAY_WRITE);
  launch.tensor(a.impl(), a.shape, a.strides, PATCHBAY_READ);
  launch.tensor(b.impl(), b.shape, b.strides, PATCHBAY_READ);
  launch.scalar(factors.alpha, dtype);
  launch.scalar(factors.beta, dtype);
  launch.run("matmul", kernel);
}

void launch_product(Matrix out, Matrix a, Matrix b, const Factors& factors) {
  if (out.strides[1] != 1) {  // out^T = b^T a^T
    out.transpose();
    a.transpose();
    b.transpose();
    std::swap(a, b);
  }
  launch_rows(out, a, b, factors);
}

/// Into an out that is neither empty nor the product of nothing.
void multiply(const Tensor& out, const Tensor& a, const Tensor& b, const Factors& factors) {
  Matrix target{out, out.shape(), out.strides()};
  if (normalise_strides(target.shape, target.strides)) {
    launch_product(target, readable(a), readable(b), factors);
    return;
  }
  const Tensor packed = factors.keeps_out ? out.clone() : empty_like(out);
  launch_product({packed, packed.shape(), packed.strides()}, readable(a), readable(b), factors);
  launch_copy(*out.impl(), *packed.impl());
  runtime::record_kernel_copy(out.impl()->device(), out.impl()->packed_bytes());
}

/// Each operand is saved only for the other's gradient.
void record_product(const Tensor& out, const Tensor& a, const Tensor& b) {
  const Saved for_a = needs_grad(a) ? Saved("b", b) : Saved();
  const Saved for_b = needs_grad(b) ? Saved("a", a) : Saved();
  record("matmul", out, {&a, &b},
         [for_a, for_b](const Tensor& grad, const Node& node) -> std::vector<Tensor> {
           return {node.inputs[0] ? matmul(grad, for_a.get(node).t()) : Tensor(),
                   node.inputs[1] ? matmul(for_b.get(node).t(), grad) : Tensor()};
         });
}

}  // namespace
}  // namespace tensor

using tensor::Named;

Tensor matmul(const Tensor& a, const Tensor& b) {
  const Named x{"a", tensor::impl_of("matmul", a, "a")}, y{"b", tensor::impl_of("matmul", b, "b")};
  const Shape shape = tensor::check_operands(x, y);
  const DType dtype = x.tensor.dtype;
  Tensor out = tensor::make_empty("matmul", shape, dtype, x.tensor);
  if (x.tensor.is_empty() || out.impl()->is_empty()) {
    out.fill_(0);
  } else {
    tensor::multiply(out, a, b, {Scalar(1).bits(dtype), Scalar(0).bits(dtype), false});
  }
  if (tensor::needs_grad(x.tensor) || tensor::needs_grad(y.tensor)) [[unlikely]]
    tensor::record_product(out, a, b);
  return out;
}

const Tensor& matmul_out(const Tensor& out, const Tensor& a, const Tensor& b, const Scalar& alpha,
                         const Scalar& beta) {
  const Named target{"out", tensor::impl_of("matmul", out, "out")};
  const Named x{"a", tensor::impl_of("matmul", a, "a")}, y{"b", tensor::impl_of("matmul", b, "b")};
  const Shape shape = tensor::check_operands(x, y);
  tensor::check_same_device("matmul", target, x);
  const DType dtype = x.tensor.dtype;
  tensor::refuse_gradient("matmul", x);
  tensor::refuse_gradient("matmul", y);
  tensor::claim_out("matmul", target.tensor, shape, dtype);
  tensor::check_no_overlap("matmul", target.tensor, x);
  tensor::check_no_overlap("matmul", target.tensor, y);
  const bool keeps_out = beta.to_double() != 0;
  const tensor::Factors factors{alpha.bits(dtype, "matmul"), beta.bits(dtype, "matmul"), keeps_out};
  if (target.tensor.is_empty()) return out;
  if (!x.tensor.is_empty()) {
    tensor::multiply(out, a, b, factors);
  } else if (keeps_out) {
    mul_out(out, out, beta);
  } else {
    out.fill_(0);
  }
  return out;
}

}  // namespace patchbay
