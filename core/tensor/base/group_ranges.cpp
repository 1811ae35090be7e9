// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/base/group_ranges.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/tensor/base/overlap.h"

namespace patchbay::tensor {

class GroupRanges::Reach {
 public:
  std::uint64_t of_others(std::size_t group) const { return group == group_ ? second_ : first_; }

  void extend(const Range& range) {
    if (range.group == group_) {
      first_ = std::max(first_, range.end);
    } else if (range.end > first_) {
      second_ = std::exchange(first_, range.end);
      group_ = range.group;
    } else {
      second_ = std::max(second_, range.end);
    }
  }

 private:
  std::uint64_t first_ = 0, second_ = 0;
  std::size_t group_ = 0;
};

void GroupRanges::add(std::size_t group, const TensorImpl& tensor, bool writes) {
  const runtime::BufferState& buffer = tensor.buffer();
  const bool has_address = buffer.has_address();
  const std::uint64_t start =
      has_address ? runtime::address_of(buffer) : buffer.memory.offset_bytes;
  const std::uint64_t begin = start + tensor.offset_bytes;
  ranges_.push_back({&tensor.device(), has_address ? nullptr : buffer.memory.base, begin,
                     begin + static_cast<std::uint64_t>(span_bytes(tensor)), group, writes});
}

bool GroupRanges::are_apart() {
  std::ranges::sort(ranges_, [](const Range& a, const Range& b) {
    return std::tie(a.device, a.memory, a.begin) < std::tie(b.device, b.memory, b.begin);
  });
  Reach written, used;
  const Range* previous = nullptr;
  for (const Range& range : ranges_) {
    if (previous != nullptr && !previous->is_comparable(range)) written = used = Reach();
    previous = &range;
    if (written.of_others(range.group) > range.begin) return false;
    if (range.writes && used.of_others(range.group) > range.begin) return false;
    used.extend(range);
    if (range.writes) written.extend(range);
  }
  return true;
}

}  // namespace patchbay::tensor
