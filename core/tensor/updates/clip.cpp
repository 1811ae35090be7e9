// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Limits for gradients.
#include <algorithm>
#include <cstdint>
#include <string>

#include "patchbay/ops.h"
#include "patchbay/tensor_or_scalar.h"
#include "patchbay/updates.h"

#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/ops/reduce.h"
#include "core/tensor/updates/update_lists.h"

namespace patchbay {

using tensor::name_in;
using tensor::NamedOperand;
using tensor::UpdateList;

namespace {

/// Checks that two tensors of a list are on one device.
void check_device(const char* operation, const UpdateList& list, std::size_t first,
                  std::size_t second) {
  const tensor::TensorImpl &a = *list.tensors[first].impl(), &b = *list.tensors[second].impl();
  if (&a.device() == &b.device()) [[likely]]
    return;
  const std::string first_name = name_in(list.name, first),
                    second_name = name_in(list.name, second);
  tensor::check_same_device(operation, {first_name, a}, {second_name, b});
}

/// In f32 if the tensor has 16 bits, in which the factor would lose digits or become 0.
void multiply(const Tensor& gradient, const Tensor& factor) {
  if (tensor::is_small(gradient.dtype())) {
    gradient.copy_from(gradient.cast(factor.dtype()) * factor);
  } else {
    mul_out(gradient, gradient, factor.cast(gradient.dtype()));
  }
}

}  // namespace

void clip_by_value(const TensorList& gradients, double limit) {
  constexpr const char* kName = "clip_by_value";
  if (!(limit >= 0)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] bad limit: expected 0 or more, got {}. Choose another.", kName, limit);
  }
  const UpdateList list{"gradients", gradients};
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    tensor::check_float(kName, list, i);
    tensor::check_writable(kName, list, i);
    static_cast<void>(Scalar(limit).bits(gradients[i].dtype(), kName));
  }
  const tensor::Recording recording(false);
  for (const Tensor& gradient : gradients) {
    if (gradient.defined()) clamp_out(gradient, gradient, -limit, limit);
  }
}

namespace {

constexpr const char* kClipByNorm = "clip_by_norm";

Tensor clipped_by_norm(const TensorList& gradients, const TensorOrScalar& most) {
  const tensor::Recording recording(false);
  constexpr tensor::Moment kNorm{.order = 2, .has_root = true};
  Tensor first;
  std::int64_t number = 0;
  const UpdateList list{"gradients", gradients};
  std::size_t first_index = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    tensor::check_float(kClipByNorm, list, i, tensor::kFloats | tensor::kComplex);
    tensor::check_writable(kClipByNorm, list, i);
    if (!first.defined()) {
      first = gradients[i];
      first_index = i;
    }
    check_device(kClipByNorm, list, first_index, i);
  }
  if (!first.defined()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] no gradients: of {} tensors none is defined. Call backward first.",
                kClipByNorm, gradients.size());
  }
  const DType dtype = real_dtype(first.dtype()) == DType::f64 ? DType::f64 : DType::f32;
  const auto count = std::count_if(gradients.begin(), gradients.end(),
                                   [](const Tensor& gradient) { return gradient.defined(); });
  const Tensor norms = empty({count}, {dtype, first.device()});
  for (const Tensor& given : gradients) {
    if (!given.defined()) continue;
    const DType wide = real_dtype(given.dtype()) == DType::f64 ? DType::f64 : DType::f32;
    const Tensor gradient = is_complex(given.dtype()) ? tensor::make_pairs(*given.impl()) : given;
    const Tensor norm = norms.slice(0, number, number + 1);
    ++number;
    if (wide == dtype) {
      tensor::moment_into(kClipByNorm, norm, gradient.cast(wide), kNorm);
    } else {
      norm.copy_from(patchbay::norm(gradient.cast(wide)).cast(dtype).reshape({1}));
    }
  }
  // Not a sum of squares, which may leave the range of the dtype where the norm does not.
  Tensor norm = number == 1 ? norms.reshape({}) : patchbay::norm(norms);
  // As PyTorch has it, so that a norm of 0 divides by more than 0.
  const Tensor least = norm + 1e-6;
  const Tensor ratio =
      most.is_tensor() ? div(most.tensor().cast(dtype), least) : div(most.scalar(), least);
  const Tensor factor = minimum(ratio, 1);
  for (const Tensor& gradient : gradients) {
    if (gradient.defined()) multiply(gradient, factor);
  }
  return norm;
}

}  // namespace

Tensor clip_by_norm(const TensorList& gradients, double most) {
  if (!(most > 0)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] bad norm: expected more than 0, got {}. Choose another.", kClipByNorm, most);
  }
  return clipped_by_norm(gradients, most);
}

Tensor clip_by_norm(const TensorList& gradients, const Tensor& most) {
  const NamedOperand named{"most", tensor::impl_of(kClipByNorm, most, "most")};
  tensor::check_dtype_allowed(kClipByNorm, tensor::kFloats, named);
  if (named.tensor.shape.rank() != 0) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] most has another shape: expected [], got {} ({}). Give one element.",
                kClipByNorm, to_string(named.tensor.shape), tensor::describe(named));
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const std::string name = name_in("gradients", i);
    tensor::check_same_device(kClipByNorm, {name, *gradients[i].impl()}, named);
  }
  return clipped_by_norm(gradients, most);
}

}  // namespace patchbay
