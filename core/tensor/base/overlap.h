// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether two tensors share elements.
#ifndef PATCHBAY_CORE_TENSOR_BASE_OVERLAP_H_
#define PATCHBAY_CORE_TENSOR_BASE_OVERLAP_H_

#include <cstdint>

#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

enum class Overlap : std::uint8_t {
  kNone,
  kExact,   // each element of the one is that element of the other
  kPartial  // anything else, and what takes too long to find out
};

/// From the first byte of a tensor that is not empty to behind its last.
std::int64_t span_bytes(const TensorImpl& t);

Overlap overlap_slowly(const TensorImpl& a, const TensorImpl& b);

/// Whether each stride is larger than all that the smaller ones span together. Strides of views
/// are, unless they are 0; those of the application may be anything.
bool has_nested_strides(const Shape& shape, const Shape& strides);

inline Overlap overlap(const TensorImpl& a, const TensorImpl& b) {
  const runtime::BufferState& x = a.buffer();
  const runtime::BufferState& y = b.buffer();
  // Two storages share memory only where the application lent what was in use already.
  return &x == &y || may_share_bytes(x, y) ? overlap_slowly(a, b) : Overlap::kNone;
}

/// Whether two indices of the tensor may lead to one element: no output may be so.
inline bool repeats_elements(const TensorImpl& a) {
  return !a.is_contiguous && !has_nested_strides(a.shape, a.strides);
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_BASE_OVERLAP_H_
