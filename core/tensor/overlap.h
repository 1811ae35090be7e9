// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether two tensors share elements.
#ifndef PATCHBAY_CORE_TENSOR_OVERLAP_H_
#define PATCHBAY_CORE_TENSOR_OVERLAP_H_

#include <cstdint>

#include "core/tensor/tensor_impl.h"

namespace patchbay::tensor {

enum class Overlap : std::uint8_t {
  kNone,
  kExact,   // each element of the one is that element of the other
  kPartial  // anything else, and what takes too long to find out
};

Overlap overlap_slowly(const TensorImpl& a, const TensorImpl& b);

inline Overlap overlap(const TensorImpl& a, const TensorImpl& b) {
  const runtime::BufferState& x = a.buffer();
  const runtime::BufferState& y = b.buffer();
  // Two storages share memory only where the application lent what was in use already.
  const bool may_share = (x.released || y.released) && x.host_addressable && y.host_addressable;
  return &x == &y || may_share ? overlap_slowly(a, b) : Overlap::kNone;
}

/// Whether two indices of the tensor lead to one element: no output may be so.
inline bool repeats_elements(const TensorImpl& a) {
  if (a.is_contiguous) return false;
  // Views are made by slicing, permuting and expanding, so that only stride 0 repeats.
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (a.strides[i] == 0 && a.shape[i] > 1) return true;
  }
  return false;
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_OVERLAP_H_
