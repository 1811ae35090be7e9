// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/tensor.h"

#include <fmt/format.h>

#include "core/runtime/stream/stream_scope.h"
#include "core/tensor/base/named.h"

namespace patchbay {

using tensor::impl_of;

Tensor::Tensor(const Tensor& other) noexcept : impl_(other.impl_) {
  if (impl_ != nullptr) impl_->retain();
}

void Tensor::release() noexcept { impl_->release(); }

const Shape& Tensor::shape() const { return impl_of("shape", *this, "tensor").shape; }
const Shape& Tensor::strides() const { return impl_of("strides", *this, "tensor").strides; }

std::int64_t Tensor::size(Dim dim) const {
  const tensor::TensorImpl& impl = impl_of("size", *this, "tensor");
  return impl.shape[tensor::resolve_dim("size", {"tensor", impl}, dim)];
}

std::int64_t Tensor::num_elements() const {
  return impl_of("num_elements", *this, "tensor").num_elements;
}
std::size_t Tensor::size_bytes() const {
  return impl_of("size_bytes", *this, "tensor").packed_bytes();
}
DType Tensor::dtype() const { return impl_of("dtype", *this, "tensor").dtype; }
Device Tensor::device() const { return Device(impl_of("device", *this, "tensor").buffer().device); }
bool Tensor::is_contiguous() const {
  return impl_of("is_contiguous", *this, "tensor").is_contiguous;
}
Buffer Tensor::buffer() const { return impl_of("buffer", *this, "tensor").storage; }
std::size_t Tensor::offset_bytes() const {
  return impl_of("offset_bytes", *this, "tensor").offset_bytes;
}

bool Tensor::is_same(const Tensor& other) const {
  if (impl_ == other.impl_) return true;
  if (!defined() || !other.defined()) return false;
  return impl_->storage == other.impl_->storage &&
         impl_->offset_bytes == other.impl_->offset_bytes && impl_->dtype == other.impl_->dtype &&
         impl_->shape == other.impl_->shape && impl_->strides == other.impl_->strides;
}

void* Tensor::data(DType dtype) const {
  const tensor::TensorImpl& impl = tensor::impl_of("data", *this, "tensor");
  if (impl.dtype != dtype) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[data] wrong type of elements: expected {}, got a pointer to {} (tensor: {}). "
                "Ask for the tensor's own type, or cast it.",
                to_string(impl.dtype), to_string(dtype), tensor::describe(impl));
  }
  runtime::BufferState& buffer = impl.buffer();
  if (!buffer.host_addressable) {
    base::raise(ErrorCode::kUnsupported,
                "[data] the host can't address the memory of {} (tensor: {}). Fetch it with "
                "to_vector, or copy it: tensor.to(\"cpu\").",
                impl.device().info.name_text, tensor::describe(impl));
  }
  runtime::check_not_recording("data");
  buffer.expose();
  buffer.wait_on_host(true, "data");
  buffer.check_readable("data");
  if (buffer.memory.base == nullptr) return nullptr;  // no bytes
  return static_cast<char*>(buffer.memory.base) + buffer.memory.offset_bytes + impl.offset_bytes;
}

}  // namespace patchbay
