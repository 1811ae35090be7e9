// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"

namespace patchbay {

Tensor dropout(const Tensor& a, double p, bool training,
               const std::optional<Generator>& generator) {
  const tensor::TensorImpl& impl = tensor::operand_of("dropout", a);
  tensor::check_dtype_allowed("dropout", tensor::kFloats, {"a", impl});
  if (!(p >= 0 && p <= 1)) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[dropout] bad probability: expected 0 to 1, got {} (a: {}). Choose one in this range.", p,
        tensor::describe(impl));
  }
  if (!training || p == 0) return a;
  const Tensor values = tensor::computed(a);
  const Tensor factors = dropout_mask(p, a.shape(), a.device(), generator).cast(values.dtype());
  // With p = 1 nothing is kept, so nothing is to be scaled.
  if (p < 1) mul_out(factors, factors, 1 / (1 - p));
  return (values * factors).cast(a.dtype());
}

}  // namespace patchbay
