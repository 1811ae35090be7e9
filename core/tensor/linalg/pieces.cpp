// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/linalg/pieces.h"

#include <cstddef>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/linalg/factors.h"
#include "core/tensor/linalg/matrices.h"

namespace patchbay::tensor {
namespace {

std::uint8_t access_of(char role) {
  switch (kernels::Role{role}) {
    case kernels::Role::kRead: return PATCHBAY_READ;
    case kernels::Role::kUpdate: return PATCHBAY_READ | PATCHBAY_WRITE;
    default: return PATCHBAY_WRITE;
  }
}

}  // namespace

void launch_factor(const char* operation, const Operator& op,
                   std::initializer_list<bool> attributes,
                   std::initializer_list<const Tensor*> operands) {
  const TensorImpl& first = *(*operands.begin())->impl();
  std::vector<std::uint64_t> words{is_complex(first.dtype) ? 1u : 0u};
  for (const bool attribute : attributes) words.push_back(attribute ? 1 : 0);
  const DType dtype = real_dtype(first.dtype);
  runtime::KernelState& kernel = prepared(*first.device().kernels, op, dtype, dtype, 0, words);
  std::vector<Tensor> parts;
  Launch launch;
  std::size_t i = 0;
  for (const Tensor* const operand : operands) {
    parts.push_back(is_complex(operand->dtype()) ? make_pairs(*operand->impl()) : *operand);
    const TensorImpl& impl = *parts.back().impl();
    launch.tensor(impl, impl.shape, impl.strides, access_of(op.arguments[i++]));
  }
  launch.run(operation, kernel);
}

void subtract_product(const Tensor& out, const Tensor& a, const Tensor& b) {
  if (is_complex(out.dtype())) {
    sub_out(out, out, matmul(a, b));
  } else {
    matmul_out(out, a, b, -1, 1);
  }
}

void Reflections::apply(const Tensor& x, bool is_adjoint) const {
  const Tensor rows = rows_of(x, begin);
  const Tensor inner = matmul(adjoint(v), rows);
  subtract_product(rows, v, matmul(is_adjoint ? adjoint(t) : t, inner));
}

Reflections reflections_of(const char* operation, std::int64_t begin, const Tensor& vectors,
                           const Tensor& tau) {
  const Tensor v = tril(columns_of(vectors, 0, tau.size(-1)), -1);
  v.diagonal().fill_(1);
  // (1 + diag(tau) s) t = diag(tau), s being the part of v^H v above the diagonal.
  const Tensor above = mul(tau.unsqueeze(-1), triu(matmul(adjoint(v), v), 1));
  const Tensor t = on_diagonal(tau);
  solve_in_place(operation, t, above.contiguous(), {.upper = true, .unit = true});
  return {begin, v, t};
}

}  // namespace patchbay::tensor
