// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TENSOR_OR_SCALAR_H_
#define PATCHBAY_TENSOR_OR_SCALAR_H_

#include <type_traits>
#include <utility>

#include "patchbay/scalar.h"
#include "patchbay/tensor.h"

namespace patchbay {

/// An argument of a fused function or of your own kernel: a tensor, or a number, which takes the
/// dtype that it meets.
class TensorOrScalar {
 public:
  TensorOrScalar(Tensor tensor)  // NOLINT(google-explicit-constructor): f(x, 2)
      : tensor_(std::move(tensor)), is_tensor_(true) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  TensorOrScalar(T value) : scalar_(value) {}              // NOLINT(google-explicit-constructor)
  TensorOrScalar(const Scalar& value) : scalar_(value) {}  // NOLINT(google-explicit-constructor)

  bool is_tensor() const { return is_tensor_; }
  /// Undefined for a number.
  const Tensor& tensor() const { return tensor_; }
  /// 0 for a tensor.
  const Scalar& scalar() const { return scalar_; }

 private:
  Tensor tensor_;
  Scalar scalar_ = 0;
  bool is_tensor_ = false;
};

}  // namespace patchbay

#endif  // PATCHBAY_TENSOR_OR_SCALAR_H_
