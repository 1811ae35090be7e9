// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products added to something. The sum starts with it, so that no extra pass adds it.
#include <complex>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/products/gemm.h"
#include "core/tensor/views/sum.h"

namespace patchbay {

namespace tensor {

namespace {

/// A new tensor of that shape with the elements of `start`, which broadcasts to it.
Tensor begun_with(const char* operation, const Tensor& start, const Shape& shape) {
  Tensor out = make_empty(operation, shape, start.dtype(), *start.impl());
  launch_copy(*out.impl(), *start.impl());
  return out;
}

/// Errors: kShapeMismatch if `c` does not broadcast to the product.
void check_addend(const char* operation, const NamedOperand& c, const NamedOperand& a,
                  const Shape& shape) {
  check_same_device(operation, a, c);
  check_same_dtype(operation, a, c);
  const Shape& mine = c.tensor.shape;
  bool fits = mine.rank() <= shape.rank();
  for (int i = 1; fits && i <= mine.rank(); ++i) {
    fits = mine[mine.rank() - i] == 1 || mine[mine.rank() - i] == shape[shape.rank() - i];
  }
  if (fits) return;
  raise(ErrorCode::kShapeMismatch,
        "[{}] {} does not broadcast to the product: expected {}, or 1 in some dimensions, got {} "
        "({}; {}). Reshape it.",
        operation, c.name, to_string(shape), to_string(mine), describe(c), describe(a));
}

bool equals(const Scalar& a, double value) {
  return a.real().to_double() == value && a.imag().to_double() == 0;
}
Scalar conjugate(const Scalar& a) {
  if (!a.is_complex()) return a;
  return std::complex<double>(a.real().to_double(), -a.imag().to_double());
}

/// The product of what `make` makes with a factor. If that is 0, makes zeros of that shape.
template <class Make>
Tensor times(const Scalar& factor, const Tensor& like, const Shape& shape, Make make) {
  if (equals(factor, 0)) return like.new_zeros(shape);
  return equals(factor, 1) ? make() : make() * factor;
}

/// Records the gradients of alpha a b + beta c.
void record_addmm(const Tensor& out, const Tensor& c, const Tensor& a, const Tensor& b,
                  const Scalar& alpha, const Scalar& beta) {
  const Saved for_a = needs_grad(a) ? Saved("b", b) : Saved();
  const Saved for_b = needs_grad(b) ? Saved("a", a) : Saved();
  record("addmm", out, {&c, &a, &b},
         [=, c_shape = c.shape(), a_shape = a.shape(), b_shape = b.shape()](
             const Tensor& grad, const Node& node) -> std::vector<Tensor> {
           std::vector<Tensor> grads(3);
           if (node.inputs[0]) {
             grads[0] =
                 times(conjugate(beta), grad, c_shape, [&] { return sum_to(grad, c_shape); });
           }
           if (node.inputs[1]) {
             grads[1] = times(conjugate(alpha), grad, a_shape, [&] {
               return sum_to(matmul(grad, transposed(conj(for_a.get(node)))), a_shape);
             });
           }
           if (node.inputs[2]) {
             grads[2] = times(conjugate(alpha), grad, b_shape,
                              [&] { return right_gradient(conj(for_b.get(node)), grad, b_shape); });
           }
           return grads;
         });
}

/// The kernel of the operator `linear` for these operands. Null if the device has none, or if x
/// would have to be copied.
runtime::KernelState* layer_kernel(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!bias.defined() || (x.rank() > 2 && !x.is_contiguous())) return nullptr;
  if (x.num_elements() == 0 || weight.num_elements() == 0) return nullptr;
  return prepared_if_any(*x.impl()->device().kernels, op::linear, x.dtype());
}

/// The result of addmm, of that shape. All is checked. Complex numbers are several launches.
Tensor sum_of_products(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& alpha,
                       const Scalar& beta, const Shape& shape) {
  if (is_complex(a.dtype())) {
    const Recording recording(false);
    const Tensor product = times(alpha, a, shape, [&] { return matmul(a, b); });
    return equals(beta, 0) ? product : product + times(beta, c, c.shape(), [&] { return c; });
  }
  const Factors factors = make_factors("addmm", a.dtype(), alpha, beta);
  Tensor out = factors.keeps_out ? begun_with("addmm", c, shape)
                                 : make_empty("addmm", shape, a.dtype(), *a.impl());
  multiply("addmm", out, a, b, factors);
  return out;
}

/// The result of linear, of that shape. All is checked.
Tensor layer(const Tensor& x, const Tensor& weight, const Tensor& bias, const Shape& shape) {
  if (is_complex(x.dtype())) {
    const Tensor product = matmul(x, weight.t());
    return bias.defined() ? product + bias : product;
  }
  if (runtime::KernelState* const kernel = layer_kernel(x, weight, bias)) {
    Tensor out = make_empty("linear", shape, x.dtype(), *x.impl());
    multiply_and_add("linear", *kernel, as_rows(as_row(out)), as_rows(as_row(x)), weight, bias);
    return out;
  }
  Tensor out = bias.defined() ? begun_with("linear", bias, shape)
                              : make_empty("linear", shape, x.dtype(), *x.impl());
  multiply("linear", as_row(out), as_row(x), weight.t(),
           make_factors("linear", x.dtype(), 1, bias.defined() ? 1 : 0));
  return out;
}

/// Saves weight and x, each for the other's gradient.
void record_linear(const Tensor& out, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Saved for_x = needs_grad(x) ? Saved("weight", weight) : Saved();
  const Saved for_weight = needs_grad(weight) ? Saved("x", x) : Saved();
  record("linear", out, {&x, &weight, &bias},
         [for_x, for_weight](const Tensor& grad, const Node& node) -> std::vector<Tensor> {
           std::vector<Tensor> grads(3);
           if (node.inputs[0]) grads[0] = matmul(grad, conj(for_x.get(node)));
           if (node.inputs[1]) {
             grads[1] = matmul(as_rows(grad).t(), as_rows(conj(for_weight.get(node))));
           }
           if (node.inputs[2]) grads[2] = sum(as_rows(grad), 0);
           return grads;
         });
}

}  // namespace

void check_layer(const NamedOperand& x, const NamedOperand& weight) {
  check_same_device("linear", x, weight);
  check_same_dtype("linear", x, weight);
  check_dtype_allowed("linear", op::gemm.dtypes | kComplex, x);
  const int rank = weight.tensor.shape.rank();
  if (rank != 1 && rank != 2) {
    raise(ErrorCode::kShapeMismatch,
          "[linear] the weight is neither matrix nor vector: expected shape [out, in] or [in], got "
          "{} ({}). Reshape it.",
          to_string(weight.tensor.shape), describe(weight));
  }
  const Shape& shape = x.tensor.shape;
  const std::int64_t features = weight.tensor.shape[rank - 1];
  if (shape.rank() >= 1 && shape[shape.rank() - 1] == features) return;
  raise(ErrorCode::kShapeMismatch,
        "[linear] the weight does not fit x: expected x of shape [..., {}], got {} ({}; {}). A "
        "weight is [out, in] or [in].",
        features, to_string(shape), describe(x), describe(weight));
}

void check_bias(const NamedOperand& bias, const NamedOperand& weight) {
  check_same_device("linear", weight, bias);
  check_same_dtype("linear", weight, bias);
  const Shape expected = weight.tensor.shape.rank() == 1 ? Shape() : Shape{weight.tensor.shape[0]};
  if (bias.tensor.shape == expected) return;
  raise(ErrorCode::kShapeMismatch,
        "[linear] the bias does not fit the weight: expected shape {}, got {} ({}; {}). It has one "
        "element for each output.",
        to_string(expected), to_string(bias.tensor.shape), describe(bias), describe(weight));
}

}  // namespace tensor

using tensor::NamedOperand;

Tensor addmm(const Tensor& c, const Tensor& a, const Tensor& b, const Scalar& alpha,
             const Scalar& beta) {
  const NamedOperand z{"c", tensor::impl_of("addmm", c, "c")};
  const NamedOperand x{"a", tensor::impl_of("addmm", a, "a")},
      y{"b", tensor::impl_of("addmm", b, "b")};
  const Shape shape = tensor::product_shape("addmm", x, y);
  if (a.rank() < 2 || b.rank() < 2) {
    base::raise(ErrorCode::kShapeMismatch,
                "[addmm] a vector among the factors: expected rank 2 or more, got {} and {} "
                "({}; {}). Use unsqueeze, or matmul and add.",
                to_string(x.tensor.shape), to_string(y.tensor.shape), describe(x), describe(y));
  }
  tensor::check_addend("addmm", z, x, shape);
  Tensor out = tensor::sum_of_products(c, a, b, alpha, beta, shape);
  if (tensor::needs_grad(c) || tensor::needs_grad(a) || tensor::needs_grad(b)) [[unlikely]]
    tensor::record_addmm(out, c, a, b, alpha, beta);
  return out;
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const NamedOperand input{"x", tensor::impl_of("linear", x, "x")};
  const NamedOperand matrix{"weight", tensor::impl_of("linear", weight, "weight")};
  tensor::check_layer(input, matrix);
  if (bias.defined()) tensor::check_bias({"bias", *bias.impl()}, matrix);
  if (weight.rank() == 1) {
    return linear(x, weight.unsqueeze(0), bias.defined() ? bias.unsqueeze(0) : bias).squeeze(-1);
  }
  Shape shape = x.shape();
  shape[shape.rank() - 1] = weight.size(0);
  Tensor out;
  {
    const tensor::Recording recording(false);  // covers the views
    out = tensor::layer(x, weight, bias, shape);
  }
  const bool bias_needs = bias.defined() && tensor::needs_grad(bias);
  if (tensor::needs_grad(x) || tensor::needs_grad(weight) || bias_needs) [[unlikely]]
    tensor::record_linear(out, x, weight, bias);
  return out;
}

}  // namespace patchbay
