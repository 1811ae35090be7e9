// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/dispatch.h"

#include <algorithm>
#include <cstring>

#include "patchbay/kernel.h"

#include "core/base/error.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/tensor/dispatch/make.h"

namespace patchbay::tensor {

Operand literal(const char* operation, DType dtype, const Scalar& value) {
  if (value.slot() == 0) [[likely]] {
    if (dtype == DType::c128) [[unlikely]] {
      return {nullptr, base::ElementBits(value.real().bits(DType::f64, operation),
                                         value.imag().bits(DType::f64, operation))};
    }
    return {nullptr, value.bits(dtype, operation)};
  }
  if (runtime::Recorder* recorder = runtime::current_recorder();
      recorder == nullptr || !recorder->has_slot(value.slot())) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] a slot of value {} is used outside of its recording, where no replay can "
                "set it. Use it in the function that asked for it.",
                operation, value.to_string());
  }
  if (is_complex(dtype)) {
    base::raise(ErrorCode::kUnsupported,
                "[{}] a slot has no complex value. Fill the parts: view_as_real, real or imag.",
                operation);
  }
  return {nullptr, value.without_slot().bits(dtype, operation), value.slot()};
}

namespace {

unsigned scalars_of(std::span<const Operand> inputs) {
  unsigned scalars = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tensor == nullptr) scalars |= 1u << i;
  }
  return scalars;
}

bool is_flat(const TensorImpl& out, std::span<const Operand> inputs) {
  if (!out.is_contiguous) return false;
  for (const Operand& input : inputs) {
    if (input.tensor == nullptr) continue;
    if (!input.tensor->is_contiguous || input.tensor->shape != out.shape) return false;
  }
  return true;
}

void set_flat(Launch& launch, DType dtype, const TensorImpl& out, std::span<const Operand> inputs) {
  launch.flat(out, PATCHBAY_WRITE);
  for (const Operand& input : inputs) {
    if (input.tensor != nullptr) {
      launch.flat(*input.tensor, PATCHBAY_READ);
    } else {
      launch.scalar(input.bits, dtype, input.slot);
    }
  }
}

void set_strided(Launch& launch, DType dtype, const TensorImpl& out,
                 std::span<const Operand> inputs) {
  Iteration walk(out.shape);
  walk.add(out);
  for (const Operand& input : inputs) {
    if (input.tensor != nullptr) walk.add(*input.tensor);
  }
  walk.sort();
  walk.collapse();
  int tensor = 0;
  launch.tensor(out, walk.extents(), walk.strides(tensor++), PATCHBAY_WRITE);
  for (const Operand& input : inputs) {
    if (input.tensor != nullptr) {
      launch.tensor(*input.tensor, walk.extents(), walk.strides(tensor++), PATCHBAY_READ);
    } else {
      launch.scalar(input.bits, dtype, input.slot);
    }
  }
}

}  // namespace

void launch_elementwise(const Operator& op, DType dtype, const TensorImpl& out,
                        std::span<const Operand> inputs) {
  if (out.is_empty()) return;
  runtime::KernelState& kernel =
      prepared(*out.device().kernels, op, out.dtype, dtype, scalars_of(inputs));
  Launch launch;
  if (is_flat(out, inputs)) {
    set_flat(launch, dtype, out, inputs);
  } else {
    set_strided(launch, dtype, out, inputs);
  }
  launch.run(op.shown(), kernel);
}

void launch_fill(const TensorImpl& out, const base::ElementBits& bits) {
  launch_fill(out, Operand{nullptr, bits});
}

void launch_fill(const TensorImpl& out, const Operand& value) {
  if (is_complex(out.dtype)) [[unlikely]] {
    const base::ElementBits real = part_of(value.bits, out.dtype, 0);
    const base::ElementBits imaginary = part_of(value.bits, out.dtype, 1);
    if (real == imaginary && out.shape.rank() < kMaxRank) {
      return launch_fill(*make_pairs(out).impl(), Operand{nullptr, real});
    }
    launch_fill(*make_part(out, 0).impl(), Operand{nullptr, real});
    return launch_fill(*make_part(out, 1).impl(), Operand{nullptr, imaginary});
  }
  launch_elementwise(op::fill, out.dtype, out, {&value, 1});
}

namespace {

/// From complex or real numbers to complex ones.
void copy_complex(const TensorImpl& out, const TensorImpl& in) {
  if (!is_complex(in.dtype)) {
    launch_copy(*make_part(out, 0).impl(), in);
    return launch_fill(*make_part(out, 1).impl(), 0);
  }
  if (out.shape.rank() < kMaxRank && in.shape.rank() < kMaxRank) {
    return launch_copy(*make_pairs(out).impl(), *make_pairs(in).impl());
  }
  for (const int part : {0, 1}) {
    launch_copy(*make_part(out, part).impl(), *make_part(in, part).impl());
  }
}

}  // namespace

void launch_copy(const TensorImpl& out, const TensorImpl& in) {
  if (is_complex(out.dtype)) [[unlikely]]
    return copy_complex(out, in);
  const Operand source{&in};
  launch_elementwise(out.dtype == in.dtype ? op::copy : op::cast, in.dtype, out, {&source, 1});
}

void launch_arange(const TensorImpl& out, const base::ElementBits& start,
                   const base::ElementBits& step) {
  const std::array<Operand, 2> range{{{nullptr, start}, {nullptr, step}}};
  launch_elementwise(op::arange, out.dtype, out, range);
}

}  // namespace patchbay::tensor
