// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tensors from one place, dtype or layout to another. Bytes between devices move through the
// runtime's router alone; strides are dealt with by kernels at either end.
#include <fmt/format.h>

#include "patchbay/tensor.h"

#include "core/runtime/copy.h"
#include "core/tensor/create.h"
#include "core/tensor/dispatch.h"
#include "core/tensor/operands.h"
#include "core/tensor/overlap.h"

namespace patchbay {

using tensor::describe;
using tensor::make_empty;
using tensor::TensorImpl;

namespace {

/// Both contiguous, of one dtype, on any devices.
void copy_packed(const char* operation, const TensorImpl& to, const TensorImpl& from,
                 bool non_blocking) {
  runtime::copy_bytes({&to.buffer(), to.offset_bytes, nullptr},
                      {&from.buffer(), from.offset_bytes, nullptr}, from.packed_bytes(),
                      non_blocking, operation);
}

/// On one device, with any strides and dtypes; queued like any operation.
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

Tensor packed(const char* operation, const Tensor& source) {
  return source.impl()->is_contiguous ? source : clone_of(operation, *source.impl());
}

/// Tensors of two runtimes never meet, not even in a copy: neither could order the other's work.
void check_same_runtime(const char* operation, const TensorImpl& source,
                        const runtime::DeviceState& target) {
  if (&source.device().runtime == &target.runtime) return;
  runtime::raise(ErrorCode::kDeviceMismatch,
                 "[{}] devices of two runtimes do not mix: expected {} of the tensor's runtime, "
                 "got that of another (tensor: {}). Take the values through the host with "
                 "to_vector and from_host.",
                 operation, target.name_text, describe(source));
}

void check_same_shape(const TensorImpl& to, const TensorImpl& from) {
  if (to.shape == from.shape) return;
  runtime::raise(ErrorCode::kShapeMismatch,
                 "[copy_from] shapes differ: expected a source of shape {}, got {} (destination: "
                 "{}; source: {}). Use expand, reshape or a slice.",
                 to_string(to.shape), to_string(from.shape), describe(to), describe(from));
}

/// From another device: packed and, where its device can, converted before the way; what is left
/// is done after it.
void copy_across(const TensorImpl& to, const Tensor& source, bool non_blocking) {
  runtime::check_copy_allowed(to.device(), &source.impl()->buffer(), to.packed_bytes(),
                              "copy_from");
  const bool convert_first = tensor::has_dtype(source.impl()->device(), to.dtype);
  const Tensor sent = packed("copy_from", convert_first ? source.cast(to.dtype) : source);
  if (to.is_contiguous && sent.dtype() == to.dtype) {
    copy_packed("copy_from", to, *sent.impl(), non_blocking);
    return;
  }
  const Tensor landed = make_empty("copy_from", to.shape, sent.dtype(), to);
  copy_packed("copy_from", *landed.impl(), *sent.impl(), /*non_blocking=*/true);
  tensor::launch_copy(to, *landed.impl());
  if (!non_blocking) to.buffer().wait_on_host(/*writes=*/false, "copy_from");
}

}  // namespace

Tensor Tensor::clone() const {
  return clone_of("clone", tensor::impl_of("clone", *this, "tensor"));
}

Tensor Tensor::contiguous() const {
  return tensor::impl_of("contiguous", *this, "tensor").is_contiguous
             ? *this
             : clone_of("contiguous", *impl_);
}

Tensor Tensor::to(const Device& device, ToOptions options) const {
  const TensorImpl& source = tensor::impl_of("to", *this, "tensor");
  if (&source.device() == &device.state()) {
    return options.copy ? clone_of("to", source) : *this;
  }
  check_same_runtime("to", source, device.state());
  tensor::check_device_has("to", device.state(), source.dtype);
  runtime::check_copy_allowed(device.state(), &source.buffer(), source.packed_bytes(), "to");
  const Tensor sent = packed("to", *this);
  Tensor result = make_empty("to", source.shape, source.dtype, device.shared_state());
  copy_packed("to", *result.impl(), *sent.impl(), options.non_blocking);
  return result;
}

Tensor Tensor::cast(DType dtype) const {
  const TensorImpl& source = tensor::impl_of("cast", *this, "tensor");
  if (source.dtype == dtype) return *this;
  Tensor result = make_empty("cast", source.shape, dtype, source);
  tensor::launch_copy(*result.impl(), source);
  return result;
}

const Tensor& Tensor::copy_from(const Tensor& source, bool non_blocking) const {
  const TensorImpl& to = tensor::impl_of("copy_from", *this, "destination");
  const TensorImpl& from = tensor::impl_of("copy_from", source, "source");
  check_same_shape(to, from);
  check_same_runtime("copy_from", from, to.device());
  tensor::check_destination("copy_from", to, "destination");
  const tensor::Overlap shared = tensor::overlap(to, from);
  if (shared == tensor::Overlap::kPartial) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[copy_from] destination and source overlap: expected the very same elements "
                   "or none, got some in common (destination: {}; source: {}). Clone the source "
                   "first: source.clone().",
                   describe(to), describe(from));
  }
  if (to.is_empty()) return *this;
  if (&to.device() != &from.device()) {
    copy_across(to, source, non_blocking);
  } else if (shared == tensor::Overlap::kNone || to.dtype != from.dtype) {
    copy_on_device("copy_from", to, from);
  }
  return *this;
}

const Tensor& Tensor::fill_(const Scalar& value) const {
  const TensorImpl& impl = tensor::impl_of("fill_", *this, "tensor");
  tensor::check_destination("fill_", impl, "tensor");
  tensor::launch_fill(impl, value.bits(impl.dtype, "fill_"));
  return *this;
}

}  // namespace patchbay
