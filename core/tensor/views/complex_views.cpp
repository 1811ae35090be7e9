// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs of their parts, and pairs as complex numbers, in the same storage.
#include <cstddef>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/operators.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/views/gradients.h"
#include "core/tensor/views/sum.h"

namespace patchbay {

using tensor::describe;
using tensor::recorded;
using tensor::TensorImpl;

namespace {

const TensorImpl& complex_operand(const char* operation, const Tensor& a) {
  const TensorImpl& impl = tensor::operand_of(operation, a);
  tensor::check_dtype_allowed(operation, tensor::kComplex, {"a", impl});
  return impl;
}

}  // namespace

Tensor view_as_real(const Tensor& a) {
  const TensorImpl& impl = complex_operand("view_as_real", a);
  if (impl.shape.rank() == kMaxRank) {
    base::raise(ErrorCode::kInvalidArgument,
                "[view_as_real] too many dimensions: the pairs would be one more than {} (a: {}). "
                "Merge some of them with reshape, or take real and imag.",
                kMaxRank, describe(impl));
  }
  return recorded("view_as_real", tensor::make_pairs(impl), a,
                  tensor::WithoutTensors{
                      [](const Tensor& grad) { return view_as_complex(grad.contiguous()); }});
}

Tensor view_as_complex(const Tensor& a) {
  const TensorImpl& impl = tensor::operand_of("view_as_complex", a);
  tensor::check_dtype_allowed("view_as_complex", tensor::dtypes_of(DType::f32, DType::f64),
                              {"a", impl});
  const int rank = impl.shape.rank();
  if (rank == 0 || impl.shape[rank - 1] != 2) {
    base::raise(ErrorCode::kShapeMismatch,
                "[view_as_complex] not pairs: the last extent must be 2, the shape is {} (a: {}). "
                "Reshape it.",
                to_string(impl.shape), describe(impl));
  }
  Shape shape = impl.shape, strides = impl.strides;
  shape.erase(rank - 1);
  strides.erase(rank - 1);
  const std::size_t bytes = 2 * size_bytes(impl.dtype);
  bool fits = impl.strides[rank - 1] == 1 && impl.offset_bytes % bytes == 0;
  for (int i = 0; i < shape.rank(); ++i) {
    fits = fits && (shape[i] < 2 || strides[i] % 2 == 0);
    strides[i] /= 2;
  }
  if (!fits && impl.num_elements != 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[view_as_complex] the pairs do not lie side by side at even places (a: {}). Pass "
                "a.contiguous().",
                describe(impl));
  }
  const Tensor view = tensor::adopt(Buffer(impl.storage), fits ? impl.offset_bytes : 0,
                                    complex_dtype(impl.dtype), shape, strides);
  return recorded("view_as_complex", view, a,
                  tensor::WithoutTensors{[](const Tensor& grad) { return view_as_real(grad); }});
}

namespace {

/// The gradient of a part: complex numbers whose other part is 0.
Tensor part_of(const char* operation, const Tensor& a, int part) {
  const TensorImpl& impl = complex_operand(operation, a);
  return recorded(operation, tensor::make_part(impl, part), a,
                  tensor::WithoutTensors{[part](const Tensor& grad) {
                    const Tensor other = grad.new_zeros(grad.shape());
                    return part == 0 ? complex(grad, other) : complex(other, grad);
                  }});
}

}  // namespace

Tensor real(const Tensor& a) {
  return is_complex(tensor::impl_of("real", a).dtype) ? part_of("real", a, 0) : a;
}

Tensor imag(const Tensor& a) { return part_of("imag", a, 1); }

Tensor complex(const Tensor& real, const Tensor& imag) {
  const tensor::NamedOperand x{"real", tensor::operand_of("complex", real, "real")},
      y{"imag", tensor::operand_of("complex", imag, "imag")};
  tensor::check_same_device("complex", x, y);
  tensor::check_same_dtype("complex", x, y);
  tensor::check_dtype_allowed("complex", tensor::dtypes_of(DType::f32, DType::f64), x);
  const Shape shape = tensor::broadcast_shapes("complex", x, y);
  Tensor result = tensor::make_empty("complex", shape, complex_dtype(x.tensor.dtype), x.tensor);
  const auto write = [&](int part, const Tensor& from) {
    const tensor::Recording recording(false);
    tensor::launch_copy(*tensor::make_part(*result.impl(), part).impl(),
                        *from.expand(shape).impl());
  };
  write(0, real);
  write(1, imag);
  if (tensor::needs_grad(real) || tensor::needs_grad(imag)) {
    tensor::record(
        "complex", result, {&real, &imag},
        [from_real = real.shape(), from_imag = imag.shape()](
            const Tensor& grad, const tensor::Node& node) -> std::vector<Tensor> {
          return {node.inputs[0] ? tensor::sum_to(patchbay::real(grad), from_real) : Tensor(),
                  node.inputs[1] ? tensor::sum_to(patchbay::imag(grad), from_imag) : Tensor()};
        });
  }
  return result;
}

}  // namespace patchbay
