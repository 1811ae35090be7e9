// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/base/layout.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/size.h"

namespace patchbay::tensor {

using base::raise;

namespace {

void check_strides(const char* operation, const Shape& shape, const Shape& strides) {
  if (strides.rank() != shape.rank()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] wrong number of strides: expected {} for shape {}, got {}. Give one for each "
          "dimension.",
          operation, shape.rank(), to_string(shape), to_string(strides));
  }
  const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (int i = 0; i < shape.rank(); ++i) {
    if (strides[i] >= 0 || shape[i] == 1 || is_empty) continue;
    raise(
        ErrorCode::kInvalidArgument,
        "[{}] negative stride: expected 0 or more, got {} in dimension {} (shape {}, strides {}). "
        "Make a compact copy where the tensor comes from.",
        operation, strides[i], i, to_string(shape), to_string(strides));
  }
}

}  // namespace

Layout checked_layout(const char* operation, DType dtype, const Shape& shape, const Shape* given) {
  const std::int64_t elements = base::checked_num_elements(operation, shape);
  Layout layout{shape, contiguous_strides(shape), 0};
  const Shape strides = given != nullptr ? *given : layout.strides;
  check_strides(operation, shape, strides);
  if (elements == 0) return layout;
  std::int64_t last = 0, bytes = 0;
  bool overflows = false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) continue;
    std::int64_t reach = 0;
    layout.strides[i] = strides[i];
    overflows = overflows || __builtin_mul_overflow(shape[i] - 1, strides[i], &reach) ||
                __builtin_add_overflow(last, reach, &last);
  }
  const auto element_bytes = static_cast<std::int64_t>(size_bytes(dtype));
  overflows = overflows || __builtin_add_overflow(last, 1, &last) ||
              __builtin_mul_overflow(last, element_bytes, &bytes);
  if (overflows) {
    raise(ErrorCode::kOverflow,
          "[{}] too many bytes: expected at most 2^63 - 1 between the first and the last element, "
          "got more (shape {}, strides {}, {}). Check the strides, which count elements.",
          operation, to_string(shape), to_string(strides), to_string(dtype));
  }
  layout.extent_bytes = static_cast<std::size_t>(bytes);
  return layout;
}

void check_aligned(const char* operation, DType dtype, std::uint64_t address) {
  if (address % size_bytes(dtype) == 0) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] misaligned memory: expected a multiple of {} bytes for {}, got {:#x}. Copy the "
        "elements to where they are aligned.",
        operation, size_bytes(dtype), to_string(dtype), address);
}

}  // namespace patchbay::tensor
