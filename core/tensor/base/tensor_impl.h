// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The object behind a Tensor handle: a storage and the layout of the elements in it.
#ifndef PATCHBAY_CORE_TENSOR_BASE_TENSOR_IMPL_H_
#define PATCHBAY_CORE_TENSOR_BASE_TENSOR_IMPL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "patchbay/buffer.h"
#include "patchbay/dtype.h"
#include "patchbay/shape.h"

#include "core/runtime/device/device_state.h"
#include "core/runtime/memory/buffer_state.h"

namespace patchbay::tensor {

struct GradState;
/// Null is allowed.
void destroy(GradState* state) noexcept;

/// Constant except for the elements and the gradient state. Counted by Tensor handles.
struct TensorImpl {
  /// The caller has checked the shape and that the elements lie within the storage.
  TensorImpl(Buffer memory, std::size_t offset, DType type, const Shape& extents,
             const Shape& steps);

  ~TensorImpl() {
    if (grad_state != nullptr) [[unlikely]]
      destroy(grad_state);
  }
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  runtime::BufferState& buffer() const { return *storage.state(); }
  runtime::DeviceState& device() const { return *buffer().device; }
  bool is_empty() const { return num_elements == 0; }
  /// The size of the elements without gaps or repeats.
  std::size_t packed_bytes() const {
    return static_cast<std::size_t>(num_elements) * size_bytes(dtype);
  }

  std::atomic<std::uint32_t> references{1};
  GradState* grad_state = nullptr;  // owned; null: no gradient
  const DType dtype;
  const bool is_contiguous;  // row-major without gaps, or empty
  const std::int64_t num_elements;
  const std::size_t offset_bytes;
  const Buffer storage;
  const Shape shape, strides;
};

bool has_contiguous_strides(const Shape& shape, const Shape& strides);

inline TensorImpl::TensorImpl(Buffer memory, std::size_t offset, DType type, const Shape& extents,
                              const Shape& steps)
    : dtype(type),
      is_contiguous(has_contiguous_strides(extents, steps)),
      num_elements([&] {
        std::int64_t product = 1;
        for (const std::int64_t extent : extents) product *= extent;
        return product;
      }()),
      offset_bytes(offset),
      storage(std::move(memory)),
      shape(extents),
      strides(steps) {}

inline bool has_contiguous_strides(const Shape& shape, const Shape& strides) {
  std::int64_t expected = 1;
  bool matches = true;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;  // this stride is never used
    matches = matches && strides[i] == expected;
    expected *= shape[i];
  }
  return matches;
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_BASE_TENSOR_IMPL_H_
