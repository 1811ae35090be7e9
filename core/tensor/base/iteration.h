// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A walk over several tensors of one shape, in as few dimensions as their strides allow.
#ifndef PATCHBAY_CORE_TENSOR_BASE_ITERATION_H_
#define PATCHBAY_CORE_TENSOR_BASE_ITERATION_H_

#include <array>
#include <cstdint>

#include "patchbay/shape.h"

#include "core/tensor/base/tensor_impl.h"

namespace patchbay::tensor {

class Iteration {
 public:
  static constexpr int kMaxTensors = 4;

  /// A walk over `shape`, which is not empty.
  explicit Iteration(const Shape& shape) : extents_(shape) {}

  /// Adds a tensor whose shape broadcasts to the walk's; a repeated dimension gets stride 0.
  void add(const Shape& shape, const Shape& strides);
  void add(const TensorImpl& tensor) { add(tensor.shape, tensor.strides); }

  /// Orders the dimensions by the first tensor's strides, so that a transposed walk collapses like
  /// a plain one.
  void sort();
  /// Drops dimensions of extent 1 and merges dimensions that every tensor walks as one. Keeps at
  /// least one.
  void collapse();

  int rank() const { return extents_.rank(); }
  const Shape& extents() const { return extents_; }
  const Shape& strides(int tensor) const { return strides_[static_cast<std::size_t>(tensor)]; }

 private:
  bool can_merge(int outer, int inner) const;
  void move(int from, int to);

  Shape extents_;
  std::array<Shape, kMaxTensors> strides_;
  int num_tensors_ = 0;
};

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_BASE_ITERATION_H_
