// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_NN_PARAMETER_H_
#define PATCHBAY_NN_PARAMETER_H_

#include <memory>

#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

namespace module {
struct ParameterState;
}

/// A tensor of a module, which can be replaced by another one: when the module is moved, for
/// example. A shared handle: copies are the same parameter, so an optimiser that has one sees the
/// new tensor. Use it wherever a tensor is expected. Not thread-safe while it is changed.
class PATCHBAY_API Parameter {
 public:
  /// Without a tensor.
  Parameter();
  /// Without one yet, which is to have this dtype (f32 unless given) and device (default_device()
  /// of now): a lazy layer sets it at the first forward.
  explicit Parameter(const TensorOptions& options);
  /// Has the elements of this tensor: the same storage. Asks for gradients unless `is_trained` is
  /// false, or inside an InferenceMode scope. Errors:
  /// kInvalidArgument for an undefined tensor; those of Tensor::requires_grad_.
  explicit Parameter(const Tensor& value, bool is_trained = true);

  bool defined() const;
  /// Valid until it is replaced. Errors: kInvalidArgument if the parameter has no tensor yet.
  const Tensor& value() const;
  operator const Tensor&() const { return value(); }  // NOLINT(google-explicit-constructor)
  const Tensor& operator*() const { return value(); }
  const Tensor* operator->() const { return &value(); }
  /// Replaces the tensor, which may have another shape, dtype and device. The gradient is not kept.
  /// Errors: as of the constructor.
  void set(const Tensor& value) const;

  /// Those of the tensor, or those that it is to have.
  Device device() const;
  DType dtype() const;
  /// Whether it asks for gradients: not so for buffers.
  bool is_trained() const;

  /// Whether both are the same parameter.
  friend bool operator==(const Parameter& a, const Parameter& b) { return a.state_ == b.state_; }

  module::ParameterState& state() const { return *state_; }

 private:
  runtime::ObjectHandle<module::ParameterState, "Parameter"> state_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_PARAMETER_H_
