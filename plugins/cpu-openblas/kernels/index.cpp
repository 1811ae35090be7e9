// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/kernels/index.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "patchbay/plugin/kit/error.hpp"

#include "cpu-openblas/operands/loop_nest.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kGrain = 1024;  // elements of a row that are checked together

/// Visits each element once, in the order of memory.
LoopNest nest_of(const patchbay_argument& index) {
  LoopNest nest(1);
  for (int d = 0; d < index.rank; ++d) {
    if (index.strides[d] != 0) nest.add(index.shape[d], {index.strides[d]});
  }
  nest.collapse();
  return nest;
}

template <class I>
bool row_is_in_range(const I* index, std::int64_t n, std::int64_t stride, std::int64_t extent) {
  // As unsigned, a negative index is larger than any extent.
  const auto most = static_cast<std::uint64_t>(extent);
  bool is_outside = false;
  if (stride == 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      is_outside |= static_cast<std::uint64_t>(std::int64_t{index[i]}) >= most;
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      is_outside |= static_cast<std::uint64_t>(std::int64_t{index[i * stride]}) >= most;
    }
  }
  return !is_outside;
}

}  // namespace

void check_index_shapes(const char* op, const patchbay_argument& elements,
                        const patchbay_argument& table, const patchbay_argument& index, int dim) {
  bool fits = same_shape(elements, index) && table.rank == index.rank && dim < index.rank;
  for (int d = 0; fits && d < index.rank; ++d) {
    fits = d == dim || table.shape[d] == index.shape[d];
  }
  if (fits) return;
  plugin::invalid_argument(std::string(op) +
                           ": expected index and elements of one shape, and a table that differs "
                           "from it in dimension dim alone");
}

bool are_in_range(Workers& workers, const patchbay_argument& index, std::int64_t extent) {
  const LoopNest nest = nest_of(index);
  const std::int64_t n = nest.inner_size(), rows = nest.num_rows();
  const std::int64_t parts = (n + kGrain - 1) / kGrain;
  std::atomic<bool> is_outside{false};
  with_indices(index, [&](const auto* data) {
    const std::int64_t bytes = rows * n * element_bytes(index.dtype);
    workers.split(rows * parts, 1, bytes, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t unit = begin; unit < end; ++unit) {
        std::int64_t offset = 0;
        offsets_of(nest, unit / parts, &offset);
        const std::int64_t first = unit % parts * kGrain, stride = nest.inner_stride(0);
        if (row_is_in_range(data + offset + first * stride, std::min(kGrain, n - first), stride,
                            extent)) {
          continue;
        }
        is_outside.store(true, std::memory_order_relaxed);
        return;
      }
    });
  });
  return !is_outside.load(std::memory_order_relaxed);
}

void raise_out_of_range(const patchbay_argument& index, std::int64_t extent, std::int64_t dim) {
  const std::int64_t count = num_elements(index);
  std::int64_t number = 0, value = 0;
  with_indices(index, [&](const auto* data) {
    for (; number < count; ++number) {
      value = data[offset_of(index, number)];
      if (value < 0 || value >= extent) break;
    }
  });
  // The position, along the dimensions that do not repeat.
  std::string position;
  for (int d = index.rank - 1; d >= 0; --d) {
    if (index.strides[d] != 0) {
      if (!position.empty()) position.insert(0, ", ");
      position.insert(0, std::to_string(number % index.shape[d]));
    }
    number /= index.shape[d];
  }
  plugin::invalid_argument("index " + std::to_string(value) + " at [" + position +
                           "] is out of range: expected 0 to " + std::to_string(extent - 1) +
                           " for dimension " + std::to_string(dim) + ", got " +
                           std::to_string(value));
}

}  // namespace patchbay::cpu
