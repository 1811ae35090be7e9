// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Access to the arguments of a launch on the host.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_OPERAND_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_OPERAND_HPP_

#include <cstdint>

#include "patchbay/plugin/types.h"

#include "kit/dtypes.hpp"

namespace patchbay::cpu {

/// Null if the memory is null.
inline char* address_of(patchbay_memory memory) noexcept {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(memory.base) +
                                 memory.offset_bytes);
}

inline char* data_of(const patchbay_argument& argument) noexcept {
  return address_of(argument.value.memory);
}

/// Signed, because it is added to offsets.
inline std::int64_t element_bytes(std::uint8_t dtype) noexcept {
  return static_cast<std::int64_t>(patchbay::element_bytes(dtype));
}

inline std::int64_t num_elements(const patchbay_argument& tensor) noexcept {
  std::int64_t n = 1;
  for (int d = 0; d < tensor.rank; ++d) n *= tensor.shape[d];
  return n;
}

/// Whether the elements are contiguous in row-major order.
inline bool is_contiguous(const patchbay_argument& tensor) noexcept {
  std::int64_t expected = 1;
  for (int d = tensor.rank - 1; d >= 0; --d) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected) return false;
    expected *= tensor.shape[d];
  }
  return true;
}

inline bool same_shape(const patchbay_argument& a, const patchbay_argument& b) noexcept {
  if (a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.shape[d] != b.shape[d]) return false;
  }
  return true;
}

/// The element offset of element number `index` in row-major order.
inline std::int64_t offset_of(const patchbay_argument& tensor, std::int64_t index) noexcept {
  std::int64_t offset = 0;
  for (int d = tensor.rank - 1; d >= 0; --d) {
    offset += index % tensor.shape[d] * tensor.strides[d];
    index /= tensor.shape[d];
  }
  return offset;
}

/// The bytes of a scalar in the type that a loop expects: a bool comes as a u8, and products of
/// 16-bit floats are computed in f32.
struct ScalarCell {
  alignas(8) std::uint64_t bits = 0;
};
/// A number as f32 or f64.
ScalarCell cell_of(std::uint8_t dtype, double value);
ScalarCell convert_scalar(const patchbay_argument& scalar, std::uint8_t to_dtype);

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_OPERANDS_OPERAND_HPP_
