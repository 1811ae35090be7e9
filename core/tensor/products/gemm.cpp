// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0

#include "core/tensor/products/gemm.h"

#include <algorithm>

#include "patchbay/ops.h"

#include "core/runtime/copy/copy.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/views/sum.h"

namespace patchbay::tensor {

namespace {

void check_rank(const char* operation, const NamedOperand& operand) {
  if (operand.tensor.shape.rank() >= 1) return;
  raise(ErrorCode::kShapeMismatch,
        "[{}] {} is no matrix: expected rank 1 or more, got shape [] ({}). Use mul to multiply by "
        "a number.",
        operation, operand.name, describe(operand));
}

/// The dimensions before those of the matrix or vector.
Shape leading(const Shape& shape) {
  Shape result;
  for (int i = 0; i + 2 < shape.rank(); ++i) result.push_back(shape[i]);
  return result;
}

void check_leading(const char* operation, const NamedOperand& a, const NamedOperand& b) {
  const Shape x = leading(a.tensor.shape), y = leading(b.tensor.shape);
  for (int i = 1; i <= std::min(x.rank(), y.rank()); ++i) {  // from the last
    const std::int64_t mine = x[x.rank() - i], other = y[y.rank() - i];
    if (mine == other || mine == 1 || other == 1) continue;
    raise(ErrorCode::kShapeMismatch,
          "[{}] leading dimensions {} and {} do not broadcast: expected equal extents, or 1, in "
          "dimension -{}, got {} and {} ({}; {}). Reshape one of them.",
          operation, to_string(x), to_string(y), i + 2, mine, other, describe(a), describe(b));
  }
}

/// What helps if the inner dimensions differ. Vectors have no transpose.
std::string help_for_depth(const NamedOperand& a, const NamedOperand& b) {
  const int x = a.tensor.shape.rank(), y = b.tensor.shape.rank();
  if (x == 1 && y == 1) {
    return fmt::format("Use vectors of one length; {}.unsqueeze(1) * {} is their outer product.",
                       a.name, b.name);
  }
  return fmt::format("Transpose {} with {} if that was meant.",
                     x == 1   ? b.name
                     : y == 1 ? a.name
                              : "one of them",
                     std::max(x, y) > 2 ? "transpose(-2, -1)" : "t()");
}

}  // namespace

Shape product_shape(const char* operation, const NamedOperand& a, const NamedOperand& b) {
  check_same_device(operation, a, b);
  check_same_dtype(operation, a, b);
  check_dtype_allowed(operation, op::gemm.dtypes | kComplex, a);
  check_rank(operation, a);
  check_rank(operation, b);
  const Shape &x = a.tensor.shape, &y = b.tensor.shape;
  const bool is_row = x.rank() == 1, is_column = y.rank() == 1;
  const std::int64_t depth = x[x.rank() - 1];
  if (depth != y[is_column ? 0 : y.rank() - 2]) {
    const char* const before = is_column ? "" : y.rank() > 2 ? "..., " : "";
    raise(ErrorCode::kShapeMismatch,
          "[{}] inner dimensions differ: expected {} of shape [{}{}{}], got {} ({}; {}). {}",
          operation, b.name, before, depth, is_column ? "" : ", n", to_string(y), describe(a),
          describe(b), help_for_depth(a, b));
  }
  check_leading(operation, a, b);
  Shape shape = joined(leading(x), leading(y));
  if (!is_row) shape.push_back(x[x.rank() - 2]);
  if (!is_column) shape.push_back(y[y.rank() - 1]);
  return shape;
}

namespace {

/// Whether the bits are 0 or -0.
bool is_zero(std::uint64_t bits, DType dtype) {
  bits <<= 64 - 8 * size_bytes(dtype);
  return (is_floating(dtype) ? bits << 1 : bits) == 0;
}

}  // namespace

Factors make_factors(const char* operation, DType dtype, const Scalar& alpha, const Scalar& beta) {
  const Factors bits{alpha.bits(dtype, operation), beta.bits(dtype, operation), true, true};
  return {bits.alpha, bits.beta, !is_zero(bits.alpha, dtype), !is_zero(bits.beta, dtype)};
}

namespace {

constexpr int kRow = 0, kColumn = 1;

/// Makes strides that kernels accept: one is 1, the other spans what it steps over. False if the
/// matrix has none. Unused strides are set to fit.
bool normalise_strides(const Shape& shape, Shape& strides) {
  if (shape[kColumn] == 1) strides[kColumn] = 1;
  if (shape[kRow] == 1) strides[kRow] = strides[kColumn] == 1 ? shape[kColumn] : 1;
  const bool by_rows = strides[kColumn] == 1 && strides[kRow] >= shape[kColumn];
  const bool by_columns = strides[kRow] == 1 && strides[kColumn] >= shape[kRow];
  return by_rows || by_columns;
}

/// A tensor's matrices with strides that kernels accept. Keeps the elements alive.
struct Matrices {
  Tensor keep;
  Shape shape, strides;                   // of one matrix
  Shape batch_shape, batch_strides = {};  // of their first elements

  const TensorImpl& impl() const { return *keep.impl(); }
  void transpose() {
    std::swap(shape[kRow], shape[kColumn]);
    std::swap(strides[kRow], strides[kColumn]);
  }
};

Matrices matrices_of(const Tensor& tensor) {
  const Shape &shape = tensor.shape(), &strides = tensor.strides();
  const int last = shape.rank() - 1;
  return {tensor,
          {shape[last - 1], shape[last]},
          {strides[last - 1], strides[last]},
          leading(shape),
          leading(strides)};
}

/// The tensor itself if its strides allow that, else a copy on the same device.
Matrices readable(const Tensor& tensor) {
  Matrices matrices = matrices_of(tensor);
  if (normalise_strides(matrices.shape, matrices.strides)) return matrices;
  return matrices_of(tensor.clone());
}

/// One launch: three operands that are walked together.
struct Product {
  Matrices out, a, b;
  Shape batch, out_steps, a_steps, b_steps;  // with as few dimensions as possible

  void walk() {
    Iteration walk(out.batch_shape);
    walk.add(out.batch_shape, out.batch_strides);
    walk.add(a.batch_shape, a.batch_strides);
    walk.add(b.batch_shape, b.batch_strides);
    walk.sort();
    walk.collapse();
    if (walk.rank() == 1 && walk.extents()[0] == 1) return;  // a single product
    batch = walk.extents();
    out_steps = walk.strides(0);
    a_steps = walk.strides(1);
    b_steps = walk.strides(2);
  }

  /// Computes out^T = b^T a^T instead.
  void transpose() {
    for (Matrices* matrices : {&out, &a, &b}) matrices->transpose();
    std::swap(a, b);
    std::swap(a_steps, b_steps);
  }

  /// Treats the rows of many matrices a as one matrix if they follow each other and share b.
  void join_rows() {
    while (batch.rank() > 0) {
      const int last = batch.rank() - 1;
      Shape shape = a.shape, a_strides = a.strides, out_strides = out.strides;
      const bool is_row = shape[kRow] == 1;  // then its stride is unused
      if (is_row) {
        a_strides[kRow] = a_steps[last];
        out_strides[kRow] = out_steps[last];
      }
      const bool follow = b_steps[last] == 0 && a_steps[last] == shape[kRow] * a_strides[kRow] &&
                          out_steps[last] == shape[kRow] * out_strides[kRow];
      shape[kRow] *= batch[last];
      Shape out_shape = out.shape;
      out_shape[kRow] = shape[kRow];
      if (!follow || !normalise_strides(shape, a_strides) ||
          !normalise_strides(out_shape, out_strides)) {
        return;
      }
      a.shape = shape;
      a.strides = a_strides;
      out.shape = out_shape;
      out.strides = out_strides;
      for (Shape* dims : {&batch, &out_steps, &a_steps, &b_steps}) dims->erase(last);
    }
  }
};

Shape joined_dims(const Shape& batch, const Shape& matrix) {
  Shape all = batch;
  for (const std::int64_t value : matrix) all.push_back(value);
  return all;
}

void launch(const char* operation, const Product& p, const Factors& factors) {
  const DType dtype = p.out.impl().dtype;
  runtime::KernelState& kernel = prepared(*p.out.impl().device().kernels, op::gemm, dtype, dtype);
  Launch launch;
  launch.tensor(p.out.impl(), joined_dims(p.batch, p.out.shape),
                joined_dims(p.out_steps, p.out.strides), PATCHBAY_READ | PATCHBAY_WRITE);
  launch.tensor(p.a.impl(), joined_dims(p.batch, p.a.shape), joined_dims(p.a_steps, p.a.strides),
                PATCHBAY_READ);
  launch.tensor(p.b.impl(), joined_dims(p.batch, p.b.shape), joined_dims(p.b_steps, p.b.strides),
                PATCHBAY_READ);
  launch.scalar(factors.alpha, dtype);
  launch.scalar(factors.beta, dtype);
  launch.run(operation, kernel);
}

/// Kernels accept only an out whose rows have stride 1.
void launch_into(const char* operation, const Matrices& out, const Tensor& a, const Tensor& b,
                 const Factors& factors) {
  Product product{out, readable(a), readable(b), {}, {}, {}, {}};
  if (out.batch_shape.rank() != 0) {
    product.walk();
    product.join_rows();
  }
  if (product.out.strides[kColumn] != 1) product.transpose();
  launch(operation, product, factors);
}

/// beta out, if there is nothing to multiply.
void scale(const Tensor& out, const Factors& factors) {
  if (!factors.keeps_out) {
    launch_fill(*out.impl(), 0);
    return;
  }
  const TensorImpl& impl = *out.impl();
  const std::array<Operand, 2> inputs{{{&impl}, {nullptr, factors.beta}}};
  launch_elementwise(op::mul, impl.dtype, impl, inputs);
}

}  // namespace

void multiply(const char* operation, const Tensor& out, const Tensor& a, const Tensor& b,
              const Factors& factors) {
  if (out.impl()->is_empty()) return;
  if (!factors.multiplies || a.impl()->is_empty() || b.impl()->is_empty()) {
    return scale(out, factors);
  }
  Matrices target = matrices_of(out);
  if (normalise_strides(target.shape, target.strides)) {
    return launch_into(operation, target, a, b, factors);
  }
  const Tensor packed = factors.keeps_out ? out.clone() : empty_like(out);
  launch_into(operation, matrices_of(packed), a, b, factors);
  launch_copy(*out.impl(), *packed.impl());
  runtime::record_kernel_copy(out.impl()->device(), out.impl()->packed_bytes());
}

void multiply_and_add(const char* operation, runtime::KernelState& kernel, const Tensor& out,
                      const Tensor& a, const Tensor& weight, const Tensor& bias) {
  Matrices target = matrices_of(out);
  normalise_strides(target.shape, target.strides);
  const Matrices x = readable(a), factors = readable(weight);
  const Tensor row = bias.contiguous();
  Launch launch;
  launch.tensor(target.impl(), target.shape, target.strides, PATCHBAY_WRITE);
  for (const Matrices* const matrix : {&x, &factors}) {
    launch.tensor(matrix->impl(), matrix->shape, matrix->strides, PATCHBAY_READ);
  }
  launch.tensor(*row.impl(), row.shape(), {1}, PATCHBAY_READ);
  launch.run(operation, kernel);
}

Tensor as_row(const Tensor& a) { return a.rank() == 1 ? a.unsqueeze(0) : a; }
Tensor as_column(const Tensor& b) { return b.rank() == 1 ? b.unsqueeze(1) : b; }

Tensor as_rows(const Tensor& a) {
  if (a.rank() == 2) return a;
  const std::int64_t length = a.size(-1);
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < a.rank(); ++i) rows *= a.size(i);
  return a.reshape({rows, length});
}

Tensor right_gradient(const Tensor& a, const Tensor& grad, const Shape& b_shape) {
  // One b for many a: a single product over all rows, without a sum.
  if (b_shape.rank() == 2) return matmul(as_rows(a).t(), as_rows(grad));
  return sum_to(matmul(transposed(a), grad), b_shape);
}

}  // namespace patchbay::tensor
