// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/print/fetch.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "patchbay/tensor.h"

#include "core/base/element.h"
#include "core/base/small_float.h"
#include "core/runtime/copy/copy.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay {

namespace tensor {

void fetch(const char* operation, const Tensor& source, const std::function<void*()>& make) {
  void* data = nullptr;
  try {
    data = make();
  } catch (const std::exception&) {  // no memory, or too large for a container
    const TensorImpl& impl = *source.impl();
    raise(ErrorCode::kOutOfMemory,
          "[{}] out of host memory: requested {} bytes for the values (tensor: {}). Take them in "
          "slices.",
          operation, impl.packed_bytes(), describe(impl));
  }
  fetch(operation, source, data);
}

void fetch(const char* operation, const Tensor& source, void* data) {
  const TensorImpl& impl = *source.impl();
  const std::size_t size_bytes = impl.packed_bytes();
  if (impl.is_contiguous) {
    runtime::copy_bytes({nullptr, 0, data}, {&impl.buffer(), impl.offset_bytes, nullptr},
                        size_bytes, false, operation);
    return;
  }
  runtime::check_not_recording(operation);
  runtime::check_fetch_allowed(impl.buffer(), size_bytes, operation);
  const Tensor packed = make_empty(operation, impl.shape, impl.dtype, impl);
  launch_copy(*packed.impl(), impl);
  fetch(operation, packed, data);
}

// ------------------------------------------------------------------- values of wider types

namespace {

const kernels::Dtype& record_of(DType dtype) {
  return *kernels::find_dtype(static_cast<std::uint8_t>(dtype));
}

/// The dtype holds all integers of this many binary digits.
int digits_of(const kernels::Dtype& dtype) {
  switch (dtype.kind) {
    case kernels::DtypeKind::kFloat: return dtype.size_bytes == 4 ? 24 : 53;
    case kernels::DtypeKind::kSigned: return 8 * dtype.size_bytes - 1;
    case kernels::DtypeKind::kUnsigned: return 8 * dtype.size_bytes;
    case kernels::DtypeKind::kHalf:
    case kernels::DtypeKind::kBool: break;
  }
  return 1;
}

/// Whether `asked`, the dtype of a C++ type, holds every value of `stored`.
bool holds(DType asked, DType stored) {
  if (asked == stored) return !is_small(stored);
  if (is_complex(asked) || is_complex(stored)) {
    return is_complex(asked) && is_complex(stored) && size_bytes(asked) > size_bytes(stored);
  }
  if (is_small(asked) || asked == DType::boolean) return false;
  const kernels::Dtype &to = record_of(asked), &from = record_of(stored);
  if (is_floating(stored)) return is_floating(asked) && to.size_bytes > from.size_bytes;
  const bool has_sign = from.kind == kernels::DtypeKind::kSigned;
  return digits_of(to) >= digits_of(from) &&
         !(has_sign && to.kind == kernels::DtypeKind::kUnsigned);
}

/// The C++ types that hold the values: "f32 or f64".
std::string holders_of(DType stored) {
  DTypes holders = 0;
  for (const DType dtype : kDTypes) {
    if (holds(dtype, stored)) holders |= dtypes_of(dtype);
  }
  return to_string(holders, " or ");
}

void check_value_type(const char* operation, const TensorImpl& impl, DType dtype) {
  if (holds(dtype, impl.dtype)) [[likely]]
    return;
  raise(ErrorCode::kDtypeMismatch,
        "[{}] wrong type of value: expected {}, got a request for {} (tensor: {}). Ask for a type "
        "that holds all its values, or cast it.",
        operation, holders_of(impl.dtype), patchbay::to_string(dtype), describe(impl));
}

/// Reads a value of a dtype that another type can hold. A double can hold it too.
static_assert(kSmallFloats == dtypes_of(DType::f16, DType::bf16), "what decodes the others?");
double read_number(DType dtype, const std::byte* from) {
  return with_element(dtype, [&](auto element) {
    std::memcpy(&element, from, sizeof(element));
    if (dtype == DType::f16) return decode(base::kHalf, static_cast<std::uint16_t>(element));
    if (dtype == DType::bf16) return decode(base::kBrain, static_cast<std::uint16_t>(element));
    return static_cast<double>(element);
  });
}

void write_number(DType dtype, double number, std::byte* to) {
  with_element(dtype, [&](auto element) {
    element = static_cast<decltype(element)>(number);
    std::memcpy(to, &element, sizeof(element));
  });
}

/// Fetches values of `asked` into memory from `make`. Narrower values are placed at its end and
/// widened from the front, so that none is overwritten before it is read.
void fetch_as(const char* operation, const Tensor& source, DType asked,
              const std::function<void*()>& make) {
  const TensorImpl& impl = *source.impl();
  check_value_type(operation, impl, asked);
  const auto count = static_cast<std::size_t>(impl.num_elements);
  const std::size_t stored_bytes = size_bytes(impl.dtype), asked_bytes = size_bytes(asked);
  std::byte *first = nullptr, *stored = nullptr;
  fetch(operation, source, [&] {
    first = static_cast<std::byte*>(make());
    return stored = first + count * (asked_bytes - stored_bytes);
  });
  if (asked == impl.dtype) return;
  const std::size_t parts = is_complex(asked) ? 2 : 1;
  const DType to = real_dtype(asked), from = real_dtype(impl.dtype);
  for (std::size_t i = 0; i < count * parts; ++i) {
    const double number = read_number(from, stored + i * size_bytes(from));
    write_number(to, number, first + i * size_bytes(to));
  }
}

}  // namespace
}  // namespace tensor

void Tensor::item(DType dtype, void* value) const {
  const tensor::TensorImpl& impl = tensor::impl_of("item", *this, "tensor");
  if (impl.num_elements != 1) {
    base::raise(ErrorCode::kShapeMismatch,
                "[item] not a single value: expected 1 element, got {} (tensor: {}). Use "
                "to_vector, or index the tensor first.",
                impl.num_elements, tensor::describe(impl));
  }
  tensor::fetch_as("item", *this, dtype, [&] { return value; });
}

void Tensor::to_vector(DType dtype, void* (*make)(void* user, std::size_t count),
                       void* user) const {
  const tensor::TensorImpl& impl = tensor::impl_of("to_vector", *this, "tensor");
  tensor::fetch_as("to_vector", *this, dtype,
                   [&] { return make(user, static_cast<std::size_t>(impl.num_elements)); });
}

}  // namespace patchbay
