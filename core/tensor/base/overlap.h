// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether two tensors share elements, and whether groups of tensors can be used in any order.
#ifndef PATCHBAY_CORE_TENSOR_BASE_OVERLAP_H_
#define PATCHBAY_CORE_TENSOR_BASE_OVERLAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

enum class Overlap : std::uint8_t {
  kNone,
  kExact,   // each element of one is the same element of the other
  kPartial  // anything else, or too costly to find out
};

/// The bytes from the start of a tensor that is not empty to the end of its last element.
std::int64_t span_bytes(const TensorImpl& t);

Overlap overlap_slowly(const TensorImpl& a, const TensorImpl& b);

/// Whether each stride is larger than the span of all smaller ones. Holds for views, except for
/// strides of 0, but not for every layout of the application's.
bool has_nested_strides(const Shape& shape, const Shape& strides);

inline Overlap overlap(const TensorImpl& a, const TensorImpl& b) {
  const runtime::BufferState& x = a.buffer();
  const runtime::BufferState& y = b.buffer();
  // Two storages share memory only if the application lent memory that was already in use.
  return &x == &y || may_share_bytes(x, y) ? overlap_slowly(a, b) : Overlap::kNone;
}

/// Whether two indices of the tensor may refer to one element, which no output may do.
inline bool repeats_elements(const TensorImpl& a) {
  return !a.is_contiguous && !has_nested_strides(a.shape, a.strides);
}

/// The memory that groups of tensors use, each tensor from its first element to its last.
class GroupRanges {
 public:
  explicit GroupRanges(std::size_t num_tensors) { ranges_.reserve(num_tensors); }

  /// The tensor is not empty.
  void add(std::size_t group, const TensorImpl& tensor, bool writes);
  /// Whether no range that a group writes meets a range of another group. Sorts the ranges.
  bool are_apart();

 private:
  struct Range {
    const void* device;
    const void* memory;  // what the offsets belong to; null for addresses
    std::uint64_t begin, end;
    std::size_t group;
    bool writes;

    bool is_comparable(const Range& other) const {
      return device == other.device && memory == other.memory;
    }
  };
  /// How far ranges reach: those of the group that reaches furthest, and those of all others.
  class Reach;

  std::vector<Range> ranges_;
};

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_BASE_OVERLAP_H_
