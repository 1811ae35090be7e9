// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/index_check.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/runtime/copy/copy.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/stream/recorder.h"

namespace patchbay::tensor {
namespace {

/// What to check, and the layout of the index. Repeated dimensions are left out.
struct IndexCheck {
  IndexCheck(const char* name, const TensorImpl& index, int along, std::int64_t size)
      : operation(name), dim(along), extent(size), dtype(index.dtype) {
    for (int i = 0; i < index.shape.rank(); ++i) {
      if (index.strides[i] == 0) continue;
      shape.push_back(index.shape[i]);
      strides.push_back(index.strides[i]);
    }
    described = fmt::format("index: {} {} on {}", patchbay::to_string(dtype), to_string(shape),
                            index.device().info.name_text);
  }

  /// The bytes from the first element to the end of the last.
  std::size_t size_bytes() const {
    std::int64_t last = 0;
    for (int i = 0; i < shape.rank(); ++i) last += (shape[i] - 1) * strides[i];
    return static_cast<std::size_t>(last + 1) * patchbay::size_bytes(dtype);
  }

  void look(std::span<const std::byte> bytes) const {
    for (std::int64_t number = 0; number < num_elements(shape); ++number) {
      const Shape place = place_of(number, shape);
      std::int64_t at = 0;
      for (int i = 0; i < shape.rank(); ++i) at += place[i] * strides[i];
      const std::int64_t value = value_at(bytes, at);
      if (value >= 0 && value < extent) continue;
      base::raise(ErrorCode::kInvalidArgument,
                  "[{}] index {} at {} is out of range: expected 0 to {} for dimension {}, got "
                  "{} ({}). Use indices that the dimension has.",
                  operation, value, to_string(place), extent - 1, dim, value, described);
    }
  }

  std::int64_t value_at(std::span<const std::byte> bytes, std::int64_t at) const {
    const auto read = [&](auto value) {
      std::memcpy(&value, bytes.data() + static_cast<std::size_t>(at) * sizeof value, sizeof value);
      return std::int64_t{value};
    };
    return dtype == DType::i32 ? read(std::int32_t{}) : read(std::int64_t{});
  }

  const char* operation;
  int dim;
  std::int64_t extent;
  DType dtype;
  std::string described;
  Shape shape, strides;
};

}  // namespace

Shape place_of(std::int64_t number, const Shape& shape) {
  Shape place = shape;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    place[i] = number % shape[i];
    number /= shape[i];
  }
  return place;
}

void check_index(const char* operation, const TensorImpl& index, int dim, std::int64_t extent) {
  const runtime::DeviceState& device = index.device();
  if (!device.runtime.validates || device.info.properties.completes_inline) [[likely]]
    return;
  const IndexCheck check(operation, index, dim, extent);
  if (num_elements(check.shape) == 0) return;
  const auto look = [check](std::span<const std::byte> bytes) { check.look(bytes); };
  if (runtime::Recorder* const recorder = runtime::current_recorder()) {
    return recorder->look(index.buffer(), index.offset_bytes, check.size_bytes(), operation, look);
  }
  runtime::look_at({&index.buffer(), index.offset_bytes, nullptr}, check.size_bytes(), operation,
                   look);
}

}  // namespace patchbay::tensor
