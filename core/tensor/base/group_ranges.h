// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether groups of tensors can be used in any order.
#ifndef PATCHBAY_CORE_TENSOR_BASE_GROUP_RANGES_H_
#define PATCHBAY_CORE_TENSOR_BASE_GROUP_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

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

#endif  // PATCHBAY_CORE_TENSOR_BASE_GROUP_RANGES_H_
