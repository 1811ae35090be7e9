// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Moves tensors to another device, dtype or layout. Only the runtime's router moves bytes between
// devices; kernels at either end handle strides.
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "patchbay/complex.h"
#include "patchbay/tensor.h"

#include "core/runtime/copy/copy.h"
#include "core/runtime/device/runtime_state.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/views/gradients.h"

namespace patchbay {

using tensor::describe;
using tensor::make_empty;
using tensor::TensorImpl;

namespace {

/// Copies contiguous tensors of one dtype between any devices.
void copy_packed(const char* operation, const TensorImpl& to, const TensorImpl& from,
                 bool non_blocking) {
  runtime::copy_bytes({&to.buffer(), to.offset_bytes, nullptr},
                      {&from.buffer(), from.offset_bytes, nullptr}, from.packed_bytes(),
                      non_blocking, operation);
}

/// Copies on one device, between any strides and dtypes. Queued like any operation.
void copy_on_device(const char* operation, const TensorImpl& to, const TensorImpl& from) {
  if (to.is_empty()) return;
  if (to.dtype == from.dtype && to.is_contiguous && from.is_contiguous) {
    copy_packed(operation, to, from, /*non_blocking=*/true);
    return;
  }
  tensor::launch_copy(to, from);
  runtime::record_kernel_copy(to.device(), to.packed_bytes());
}

Tensor clone_of(const char* operation, const TensorImpl& source) {
  Tensor result = make_empty(operation, source.shape, source.dtype, source);
  copy_on_device(operation, *result.impl(), source);
  return result;
}

/// Rejects tensors of two runtimes: neither runtime could order the other's work.
void check_same_runtime(const char* operation, const TensorImpl& source,
                        const runtime::DeviceState& target) {
  if (&source.device().runtime == &target.runtime) return;
  base::raise(ErrorCode::kDeviceMismatch,
              "[{}] devices of two runtimes do not mix: {} is not of the tensor's runtime (tensor: "
              "{}). Take the values through the host with to_vector and from_host.",
              operation, target.info.name_text, describe(source));
}

void check_same_shape(const TensorImpl& to, const TensorImpl& from) {
  if (to.shape == from.shape) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[copy_from] shapes differ: expected a source of shape {}, got {} (destination: "
              "{}; source: {}). Use expand, reshape or a slice.",
              to_string(to.shape), to_string(from.shape), describe(to), describe(from));
}

/// A kernel launch that copies `from` to `to` and keeps both; none if they are the same.
std::function<void()> kernel_between(const Tensor& to, const Tensor& from) {
  if (to.is_same(from)) return {};
  return [to, from] { tensor::launch_copy(*to.impl(), *from.impl()); };
}

/// Copies to another device. Packs and, if the source's device supports the dtype, converts before
/// the copy, and does the rest after it. Allocates all memory here, not during the copy.
void copy_across(const char* operation, const Tensor& to, const Tensor& from, bool non_blocking) {
  const TensorImpl &target = *to.impl(), &source = *from.impl();
  const DType dtype =
      tensor::has_dtype(source.device(), target.dtype) ? target.dtype : source.dtype;
  const Tensor sent = source.is_contiguous && source.dtype == dtype
                          ? from
                          : make_empty(operation, source.shape, dtype, source);
  const Tensor landed = target.is_contiguous && target.dtype == dtype
                            ? to
                            : make_empty(operation, target.shape, dtype, target);
  if (sent.is_same(from) && landed.is_same(to)) {
    copy_packed(operation, target, source, non_blocking);
    return;
  }
  const runtime::CopySteps steps{kernel_between(sent, from), kernel_between(to, landed),
                                 &target.buffer(), &source.buffer()};
  runtime::copy_in_steps(steps, {&landed.impl()->buffer(), landed.impl()->offset_bytes, nullptr},
                         {&sent.impl()->buffer(), sent.impl()->offset_bytes, nullptr},
                         sent.impl()->packed_bytes(), non_blocking, operation);
}

}  // namespace

namespace {

/// Copies on one device. The gradient is passed on without a copy.
Tensor recorded_clone(const char* operation, const Tensor& tensor) {
  return tensor::recorded(operation, clone_of(operation, *tensor.impl()), tensor,
                          [](const Tensor& grad) { return grad; });
}

}  // namespace

Tensor Tensor::clone() const {
  static_cast<void>(tensor::impl_of("clone", *this, "tensor"));
  return recorded_clone("clone", *this);
}

Tensor Tensor::contiguous() const {
  return tensor::impl_of("contiguous", *this, "tensor").is_contiguous
             ? *this
             : recorded_clone("contiguous", *this);
}

Tensor Tensor::to(ToOptions options, std::string_view name) const {
  const TensorImpl& source = tensor::impl_of("to", *this, "tensor");
  return to(Device(source.device().runtime.find(name)), options);
}

Tensor Tensor::to(const Device& device, ToOptions options) const {
  const TensorImpl& source = tensor::impl_of("to", *this, "tensor");
  if (&source.device() == &device.state()) {
    return options.copy ? recorded_clone("to", *this) : *this;
  }
  check_same_runtime("to", source, device.state());
  tensor::check_device_has("to", device.state(), source.dtype);
  runtime::check_copy_allowed(device.state(), &source.buffer(), source.packed_bytes(), "to");
  Tensor result = make_empty("to", source.shape, source.dtype, device.shared_state());
  copy_across("to", result, *this, options.non_blocking);
  return tensor::recorded(
      "to", result, *this,
      tensor::WithoutTensors{
          [from = Device(source.buffer().device)](const Tensor& grad) { return grad.to(from); }});
}

namespace {

/// Refuses to drop imaginary parts.
void check_has_value(const char* operation, const tensor::NamedOperand& source, DType dtype) {
  if (!is_complex(source.tensor.dtype) || is_complex(dtype)) return;
  base::raise(ErrorCode::kDtypeMismatch, "[{}] complex numbers have no value in {} ({}). {}.",
              operation, patchbay::to_string(dtype), describe(source),
              dtype == DType::boolean ? "Compare with ne(z, 0)" : "Take real, imag or abs first");
}

}  // namespace

Tensor Tensor::cast(DType dtype) const {
  const TensorImpl& source = tensor::impl_of("cast", *this, "tensor");
  if (source.dtype == dtype) return *this;
  check_has_value("cast", {"tensor", source}, dtype);
  Tensor result = make_empty("cast", source.shape, dtype, source);
  tensor::launch_copy(*result.impl(), source);
  if (!is_floating(dtype) && !is_complex(dtype)) return result;
  return tensor::recorded("cast", result, *this, [from = source.dtype](const Tensor& grad) {
    return (is_complex(from) ? grad : real(grad)).cast(from);
  });
}

const Tensor& Tensor::copy_from(const Tensor& source, bool non_blocking) const {
  const TensorImpl& to = tensor::impl_of("copy_from", *this, "destination");
  const TensorImpl& from = tensor::impl_of("copy_from", source, "source");
  check_same_shape(to, from);
  check_has_value("copy_from", {"source", from}, to.dtype);
  check_same_runtime("copy_from", from, to.device());
  tensor::refuse_gradient("copy_from", {"source", from});
  tensor::check_destination("copy_from", to, "destination");
  const tensor::Overlap shared = tensor::overlap(to, from);
  if (shared == tensor::Overlap::kPartial) {
    base::raise(ErrorCode::kInvalidArgument,
                "[copy_from] destination and source overlap, and are not the same elements "
                "(destination: {}; source: {}). Clone the source first: source.clone().",
                describe(to), describe(from));
  }
  const bool crosses = &to.device() != &from.device() && !to.is_empty();
  if (crosses) {
    runtime::check_copy_allowed(to.device(), &from.buffer(), to.packed_bytes(), "copy_from");
  }
  to.buffer().count_version();
  if (crosses) {
    copy_across("copy_from", *this, source, non_blocking);
  } else if (shared == tensor::Overlap::kNone || to.dtype != from.dtype) {
    copy_on_device("copy_from", to, from);
  }
  return *this;
}

namespace {

/// The destination of an assignment. Errors: kInvalidArgument if nothing would see the write.
const TensorImpl& target_of(const Tensor& tensor) {
  if (!tensor.defined()) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[assign] the destination is undefined. Create it first; a gradient is set with set_grad.");
  }
  const TensorImpl& impl = *tensor.impl();
  const runtime::BufferState& buffer = impl.buffer();
  const bool is_alone = impl.references.load(std::memory_order_relaxed) == 1 &&
                        buffer.references.load(std::memory_order_relaxed) == 1;
  if (is_alone && !buffer.released) {  // lent memory is visible to the application
    base::raise(ErrorCode::kInvalidArgument,
                "[assign] the write would be lost, because the destination is a temporary that "
                "alone holds its storage (destination: {}). Give it a name and use copy_from, "
                "or assign to a view: slice, select or view.",
                describe(impl));
  }
  return impl;
}

void check_broadcasts(const TensorImpl& to, const TensorImpl& from) {
  bool fits = from.shape.rank() <= to.shape.rank();
  for (int i = 1; fits && i <= from.shape.rank(); ++i) {
    const std::int64_t extent = from.shape[from.shape.rank() - i];
    fits = extent == 1 || extent == to.shape[to.shape.rank() - i];
  }
  if (fits) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[assign] the source does not broadcast to the destination: expected {}, or 1 in "
              "some dimensions, got {} (destination: {}; source: {}). Reshape it.",
              to_string(to.shape), to_string(from.shape), describe(to), describe(from));
}

}  // namespace

// Self-assignment changes no elements.
// NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
Tensor Tensor::operator=(const Tensor& source) && {
  const TensorImpl& to = target_of(*this);
  const TensorImpl& from = tensor::impl_of("assign", source, "source");
  const tensor::NamedOperand destination{"destination", to}, given{"source", from};
  tensor::refuse_gradient("assign", given);
  const bool is_number = &to.device() != &from.device() && tensor::is_host_scalar(from, to);
  if (!is_number) tensor::check_same_device("assign", destination, given);
  tensor::check_same_dtype("assign", destination, given);
  check_broadcasts(to, from);
  tensor::check_no_partial_overlap("assign", destination, given);
  tensor::check_destination("assign", to, "destination");
  const tensor::Operand number{
      nullptr, is_number ? tensor::read_host_scalar("assign", from, to) : base::ElementBits()};
  to.buffer().count_version();
  if (is_number) {
    tensor::launch_fill(to, number);
  } else if (to.shape == from.shape) {
    if (tensor::overlap(to, from) == tensor::Overlap::kNone) copy_on_device("assign", to, from);
  } else if (!to.is_empty()) {
    tensor::launch_copy(to, from);
    runtime::record_kernel_copy(to.device(), to.packed_bytes());
  }
  return std::move(*this);
}

Tensor Tensor::operator=(const Scalar& value) && {
  static_cast<void>(target_of(*this));
  fill_(value);
  return std::move(*this);
}

}  // namespace patchbay
