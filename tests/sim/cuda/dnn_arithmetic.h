// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The arithmetic of the simulated cuDNN: plain loops.
#ifndef PATCHBAY_TESTS_SIM_CUDA_DNN_ARITHMETIC_H_
#define PATCHBAY_TESTS_SIM_CUDA_DNN_ARITHMETIC_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::sim {

/// A cross-correlation, or one of its gradients. Tensors have the axes N, C, and the spatial ones.
struct Convolution {
  enum Operand { kWeight, kImages, kWindows };
  using Extents = std::vector<std::int64_t>;

  /// The tensors' extents agree with each other and with the convolution.
  bool fits() const;
  /// fits() must hold.
  std::int64_t groups() const { return extents[kImages][1] / extents[kWeight][1]; }

  std::array<Extents, 3> extents;                           // by the operand
  Extents strides, dilations, pre_paddings, post_paddings;  // by the spatial axis
  Operand result = kWindows;                                // computed from the other two
  int type = 0;
  double alpha = 1, beta = 0;
};

/// How far an engine is from the plain sums.
struct Inexactness {
  bool rounds_to_tf32 = false;
  double error = 0;  // relative, of the result before alpha
};

/// Has two spatial axes. `operands` are dense and in this order: Convolution::Operand.
void convolve(const Convolution& convolution, const Inexactness& inexactness,
              const std::array<std::byte*, 3>& operands);

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

#endif  // PATCHBAY_TESTS_SIM_CUDA_DNN_ARITHMETIC_H_
