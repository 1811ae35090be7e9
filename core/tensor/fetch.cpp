// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/fetch.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/runtime/copy.h"
#include "core/tensor/operands.h"
#include "core/tensor/small_float.h"

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

/// No type of C++ is that of f16 and bf16: they come as float or double, which hold all of theirs.
bool is_widened(DType stored, DType asked) {
  return is_small(stored) && (asked == DType::f32 || asked == DType::f64);
}

/// As elements of `asked`.
void widen(DType stored, const std::vector<std::uint16_t>& values, DType asked, void* to) {
  const SmallFloat format = stored == DType::f16 ? kHalf : kBrain;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = decode(format, values[i]);
    if (asked == DType::f32) {
      static_cast<float*>(to)[i] = static_cast<float>(value);
    } else {
      static_cast<double*>(to)[i] = value;
    }
  }
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
  if (tensor::is_widened(impl.dtype, dtype)) {
    std::vector<std::uint16_t> stored(1);
    tensor::fetch("item", *this, stored.data());
    return tensor::widen(impl.dtype, stored, dtype, value);
  }
  tensor::check_value_type("item", impl, dtype);
  tensor::fetch("item", *this, value);
}

void Tensor::copy_elements_to(DType dtype, void* (*make)(void* user, std::size_t count),
                              void* user) const {
  const tensor::TensorImpl& impl = tensor::impl_of("to_vector", *this, "tensor");
  const auto count = static_cast<std::size_t>(impl.num_elements);
  if (tensor::is_widened(impl.dtype, dtype)) {
    std::vector<std::uint16_t> stored;
    void* values = nullptr;
    tensor::fetch("to_vector", *this, [&] {
      values = make(user, count);
      stored.resize(count);
      return stored.data();
    });
    return tensor::widen(impl.dtype, stored, dtype, values);
  }
  tensor::check_value_type("to_vector", impl, dtype);
  tensor::fetch("to_vector", *this, [&] { return make(user, count); });
}

}  // namespace patchbay
