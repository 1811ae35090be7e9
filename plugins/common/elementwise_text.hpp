// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Kernel texts of the elementwise operators, made from the table in plugin/kernels/elementwise.h.
#ifndef PATCHBAY_PLUGINS_COMMON_ELEMENTWISE_TEXT_HPP_
#define PATCHBAY_PLUGINS_COMMON_ELEMENTWISE_TEXT_HPP_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::elementwise {

/// out = op(a) or op(a, b).
struct TextSpec {
  std::string_view op;         // "add", without the version
  std::uint8_t dtype = 0;      // of the operands, patchbay_dtype
  std::vector<bool> is_value;  // for each operand: a number instead of a tensor
  int rank = 0;                // of the strided form, 1 to 8
  bool is_flat = true;         // all tensors are contiguous, in one shape
};

/// The name of the kernel in each text.
inline constexpr std::string_view kKernelName = "elementwise";

/// The text, or an empty one if the table has no such operator for the dtype and operands. Its
/// kernel takes the output, the operands, and i64 values: the number of elements and, in the
/// strided form, the extents, then the strides (in elements) of the output and of each operand that
/// is a tensor. A work-item makes one element. A bool as a value travels as u8.
std::string make_text(const TextSpec& spec);

/// An operator of the table.
struct Operator {
  std::string_view name;
  int num_operands;
  bool gives_bool;
  std::string_view floats, integers, bools;  // expressions; empty where there is none
};
std::span<const Operator> operators();

}  // namespace patchbay::elementwise

#endif  // PATCHBAY_PLUGINS_COMMON_ELEMENTWISE_TEXT_HPP_
