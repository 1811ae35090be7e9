// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/linalg/matrices.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "patchbay/copy.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/index_check.h"
#include "core/tensor/print/fetch.h"

namespace patchbay::tensor {

const TensorImpl& check_matrices(const char* operation, const Tensor& x, std::string_view name,
                                 DTypes dtypes) {
  const TensorImpl& impl = operand_of(operation, x, name);
  check_dtype_allowed(operation, dtypes, {name, impl});
  if (impl.shape.rank() < 2) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] no matrix: expected rank 2 or more, got {} ({}). Add dimensions with "
                "unsqueeze.",
                operation, impl.shape.rank(), describe({name, impl}));
  }
  return impl;
}

const TensorImpl& check_square(const char* operation, const Tensor& x, std::string_view name) {
  const TensorImpl& impl = check_matrices(operation, x, name);
  const std::int64_t rows = x.size(-2), columns = x.size(-1);
  if (rows != columns) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] the matrices are not square: expected {} columns like rows, got {} ({}). "
                "Pass square matrices.",
                operation, rows, columns, describe({name, impl}));
  }
  return impl;
}

void check_right_side(const char* operation, const NamedOperand& a, const NamedOperand& b) {
  check_same_device(operation, a, b);
  check_same_dtype(operation, a, b);
  const Shape &left = a.tensor.shape, &right = b.tensor.shape;
  const bool is_vector = right.rank() == 1;
  const std::int64_t expected = left[left.rank() - 2],
                     got = right[is_vector ? 0 : right.rank() - 2];
  if (expected == got) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] the operands do not fit: expected {} {} in {}, got {} ({}; {}). Transpose or "
              "reshape it.",
              operation, expected, is_vector ? "elements" : "rows", b.name, got, describe(a),
              describe(b));
}

Shape batch_shape(const Shape& shape, int dropped) {
  Shape batch;
  for (int i = 0; i + dropped < shape.rank(); ++i) batch.push_back(shape[i]);
  return batch;
}

Shape broadcast_batches(const char* operation, const NamedOperand& a, const NamedOperand& b) {
  const Shape left = batch_shape(a.tensor.shape), right = batch_shape(b.tensor.shape);
  for (int i = 1; i <= left.rank() && i <= right.rank(); ++i) {
    const std::int64_t m = left[left.rank() - i], n = right[right.rank() - i];
    if (m == n || m == 1 || n == 1) continue;
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] the leading dimensions {} and {} do not broadcast: expected equal extents, "
                "or 1, got {} and {} ({}; {}). Reshape one of them.",
                operation, to_string(left), to_string(right), m, n, describe(a), describe(b));
  }
  return joined(left, right);
}

Tensor with_batch(const Tensor& x, const Shape& batch, int kept) {
  Shape shape = batch;
  for (int i = kept; i > 0; --i) shape.push_back(x.size(-i));
  return x.expand(shape);
}

Tensor as_batch(const Tensor& x) {
  return x.reshape({num_elements(batch_shape(x.shape())), x.size(-2), x.size(-1)});
}

Tensor copied_batch(const Tensor& x) {
  const Recording recording(false);
  return as_batch(x.clone());
}

Tensor unbatched(const Tensor& x, const Shape& like, int dropped) {
  Shape shape = batch_shape(like, dropped);
  for (int i = 1; i < x.rank(); ++i) shape.push_back(x.size(i));
  return x.reshape(shape);
}

Tensor without_imaginary(const Tensor& x) {
  return is_complex(x.dtype()) ? real(x).cast(x.dtype()) : x;
}

Tensor reciprocal_where(const Tensor& is_used, const Tensor& x) {
  return where(is_used, div(1, where(is_used, x, 1)), 0);
}

Tensor identities(const Shape& batch, std::int64_t rows, std::int64_t columns, const Tensor& like) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  const Tensor result = like.new_zeros(shape);
  if (result.num_elements() != 0) result.diagonal().fill_(1);
  return result;
}

Tensor on_diagonal(const Tensor& values) {
  const std::int64_t n = values.size(-1);
  Tensor one;
  {
    const Recording recording(false);
    one = identities({}, n, n, values);
  }
  return mul(values.unsqueeze(-1), one);
}

void record_several(const char* operation, std::span<const Tensor> results, const Tensor& x,
                    JointBackward backward) {
  const Tensor* const inputs[] = {&x};
  record_joint(std::make_shared<const std::string>(operation), results,
               std::vector<bool>(results.size(), true), inputs, std::move(backward));
}

void check_convergence(const char* operation, const Tensor& x, const Tensor& info,
                       const std::string& way_out) {
  check_status(operation, {"x", *x.impl()}, info,
               "has no result: expected steps that converge, got status {}. Check it for NaN and "
               "infinity, or use " +
                   way_out);
}

void check_status(const char* operation, const NamedOperand& x, const Tensor& info,
                  std::string_view what) {
  if (info.num_elements() == 0) return;
  const Recording recording(false);
  const CopyTag tag(operation);
  std::int64_t worst = 0;
  fetch(operation, info.num_elements() == 1 ? info : max(info), &worst);
  if (worst == 0) return;
  std::vector<std::int64_t> all(static_cast<std::size_t>(info.num_elements()));
  fetch(operation, info, all.data());
  std::size_t first = 0;
  while (all[first] == 0) ++first;
  const Shape place = place_of(static_cast<std::int64_t>(first), info.shape());
  const std::string which =
      info.rank() == 0 ? "the matrix" : "matrix " + to_string(place) + " of the batch";
  base::raise(ErrorCode::kInvalidArgument, "[{}] {} {} ({}).", operation, which,
              fmt::format(fmt::runtime(what), all[first]), describe(x));
}

}  // namespace patchbay::tensor
