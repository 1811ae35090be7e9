// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The attention of the simulated cuDNN: plain loops.
#ifndef PATCHBAY_TESTS_SIM_CUDA_DNN_ATTENTION_H_
#define PATCHBAY_TESTS_SIM_CUDA_DNN_ATTENTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::sim {

/// out = softmax(scale query key^T) value, of tensors with the axes batch, head, row, column.
struct Attention {
  enum Operand { kQuery, kKey, kValue, kOut };
  using Axes = std::vector<std::int64_t>;

  /// The extents agree with each other.
  bool fits() const;
  /// What the fast kernels compute: 16-bit floats, rows without gaps, few features.
  bool is_supported() const;

  std::array<Axes, 4> extents, strides;  // by the operand
  int type = 0;
};

/// The probabilities are rounded to 16 bits, as those kernels do. `operands` are in the order of
/// Attention::Operand.
void attend(const Attention& attention, float scale, const std::array<std::byte*, 4>& operands);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_CUDA_DNN_ATTENTION_H_
