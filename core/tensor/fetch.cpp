// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fetch.h"

#include "core/runtime/copy.h"
#include "core/tensor/operands.h"

namespace patchbay {

namespace tensor {

void fetch(const char* operation, const Tensor& source, const std::function<void*()>& make) {
  void* data = nullptr;
  try {
    data = make();
  } catch (const std::exception&) {  // no memory, or more than a container can have
    const TensorImpl& impl = *source.impl();
    raise(ErrorCode::kOutOfMemory,
          "[{}] out of host memory: requested {} bytes for the values (tensor: {}). Take them in "
          "slices.",
          operation, impl.packed_bytes(), describe(impl));
  }
  fetch(operation, source, data);
}

void fetch(const char* operation, const Tensor& source, void* data) {
  const Tensor packed = source.contiguous();
  const TensorImpl& impl = *packed.impl();
  runtime::copy_bytes({nullptr, 0, data}, {&impl.buffer(), impl.offset_bytes, nullptr},
                      impl.packed_bytes(), false, operation);
}

namespace {

void check_value_type(const char* operation, const TensorImpl& impl, DType dtype) {
  if (impl.dtype == dtype) return;
  raise(ErrorCode::kDtypeMismatch,
        "[{}] wrong type of value: expected {}, got a request for {} (tensor: {}). Ask for the "
        "tensor's own type, or cast it.",
        operation, patchbay::to_string(impl.dtype), patchbay::to_string(dtype), describe(impl));
}

}  // namespace
}  // namespace tensor

void Tensor::item_bytes(DType dtype, void* value) const {
  const tensor::TensorImpl& impl = tensor::impl_of("item", *this, "tensor");
  if (impl.num_elements != 1) {
    runtime::raise(ErrorCode::kShapeMismatch,
                   "[item] not a single value: expected 1 element, got {} (tensor: {}). Use "
                   "to_vector, or index the tensor first.",
                   impl.num_elements, tensor::describe(impl));
  }
  tensor::check_value_type("item", impl, dtype);
  tensor::fetch("item", *this, value);
}

void Tensor::copy_elements_to(DType dtype, void* (*make)(void* user, std::size_t count),
                              void* user) const {
  const tensor::TensorImpl& impl = tensor::impl_of("to_vector", *this, "tensor");
  tensor::check_value_type("to_vector", impl, dtype);
  tensor::fetch("to_vector", *this,
                [&] { return make(user, static_cast<std::size_t>(impl.num_elements)); });
}

}  // namespace patchbay
