// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "patchbay/ops.h"

#include "core/tensor/dispatch/clamp_bounds.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/elementwise/elementwise.h"

namespace patchbay {

namespace tensor {
namespace {

using Bound = std::optional<Scalar>;

std::array<Operand, 3> operands_of(const TensorImpl& a, const Bound& low, const Bound& high) {
  const NamedOperand named{"a", a};
  check_dtype_allowed(op::clamp, named);
  const auto bound = [&](const Scalar& value) {
    return Operand{nullptr, value.bits(a.dtype, op::clamp.name)};
  };
  for (const Bound* each : {&low, &high}) {
    if (*each && (*each)->slot() != 0) bound(**each);  // throws: a bound is fixed
  }
  check_bounds(&named, low, high);
  return {Operand{&a}, bound(low.value_or(lowest_of(a.dtype))),
          bound(high.value_or(highest_of(a.dtype)))};
}

}  // namespace
}  // namespace tensor

Tensor clamp(const Tensor& a, const std::optional<Scalar>& low, const std::optional<Scalar>& high) {
  const tensor::Operator& op = tensor::op::clamp;
  const tensor::TensorImpl& x = tensor::impl_of(op.name, a, "a");
  const auto operands = tensor::operands_of(x, low, high);
  Tensor result = tensor::make_empty(op.name, x.shape, x.dtype, x);
  tensor::launch_elementwise(op, x.dtype, *result.impl(), operands);
  if (tensor::needs_grad(x)) [[unlikely]] {
    tensor::record_elementwise(op, result, a, low.value_or(tensor::lowest_of(x.dtype)),
                               high.value_or(tensor::highest_of(x.dtype)));
  }
  return result;
}

const Tensor& clamp_out(const Tensor& out, const Tensor& a, const std::optional<Scalar>& low,
                        const std::optional<Scalar>& high) {
  const tensor::Operator& op = tensor::op::clamp;
  static constexpr std::array<const char*, 3> kNames{"a", "low", "high"};
  const tensor::TensorImpl& target = tensor::impl_of(op.name, out, "out");
  const tensor::TensorImpl& x = tensor::impl_of(op.name, a, "a");
  auto operands = tensor::operands_of(x, low, high);
  Tensor there;  // the kernel takes no scalar a
  if (&x.device() != &target.device() && tensor::is_host_scalar(x, target)) {
    tensor::check_out(op.name, target, x.shape, x.dtype);
    there =
        tensor::make_scalar(op.name, tensor::read_host_scalar(op.name, x, target), x.dtype, target);
    operands[0].tensor = there.impl();
  }
  return tensor::run_out(op, x.dtype, out, x.shape, operands, kNames);
}

}  // namespace patchbay
