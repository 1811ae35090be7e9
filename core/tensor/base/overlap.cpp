// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/base/overlap.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "core/runtime/memory/view.h"

namespace patchbay::tensor {
namespace {

std::int64_t first_byte(const TensorImpl& t) {
  return static_cast<std::int64_t>(runtime::address_of(t.buffer()) + t.offset_bytes);
}

/// The values of the dimensions whose extent is not 1.
Shape walked(const TensorImpl& t, const Shape& values) {
  Shape kept;
  for (int i = 0; i < t.shape.rank(); ++i) {
    if (t.shape[i] != 1) kept.push_back(values[i]);
  }
  return kept;
}

bool is_same_walk(const TensorImpl& a, const TensorImpl& b) {
  return size_bytes(a.dtype) == size_bytes(b.dtype) && walked(a, a.shape) == walked(b, b.shape) &&
         walked(a, a.strides) == walked(b, b.strides);
}

bool shares_a_byte(const TensorImpl& a, const TensorImpl& b, std::int64_t distance) {
  runtime::DistanceSearch search;
  const auto size_a = static_cast<std::int64_t>(size_bytes(a.dtype));
  const auto size_b = static_cast<std::int64_t>(size_bytes(b.dtype));
  search.add(1, 1 - size_b, size_a - 1);  // any byte of either element
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (a.strides[i] != 0) search.add(a.strides[i] * size_a, 0, a.shape[i] - 1);
  }
  for (int i = 0; i < b.shape.rank(); ++i) {
    if (b.strides[i] != 0) search.add(b.strides[i] * size_b, 1 - b.shape[i], 0);
  }
  return search.can_reach(distance);
}

}  // namespace

std::int64_t span_bytes(const TensorImpl& t) {
  std::int64_t last = 0;
  for (int i = 0; i < t.shape.rank(); ++i) last += (t.shape[i] - 1) * t.strides[i];
  return (last + 1) * static_cast<std::int64_t>(size_bytes(t.dtype));
}

Overlap overlap_slowly(const TensorImpl& a, const TensorImpl& b) {
  if (a.is_empty() || b.is_empty()) return Overlap::kNone;
  const std::int64_t distance = first_byte(b) - first_byte(a);
  if (distance >= span_bytes(a) || -distance >= span_bytes(b)) return Overlap::kNone;
  if (distance == 0 && is_same_walk(a, b)) return Overlap::kExact;
  return shares_a_byte(a, b, distance) ? Overlap::kPartial : Overlap::kNone;
}

bool has_nested_strides(const Shape& shape, const Shape& strides) {
  // An insertion sort by stride: there are eight at most.
  Shape extents, steps;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) continue;
    int at = 0;
    while (at < steps.rank() && steps[at] <= strides[i]) ++at;
    steps.insert(at, strides[i]);
    extents.insert(at, shape[i]);
  }
  std::int64_t spanned = 0;
  for (int i = 0; i < steps.rank(); ++i) {
    if (steps[i] <= spanned) return false;
    spanned += (extents[i] - 1) * steps[i];
  }
  return true;
}

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
