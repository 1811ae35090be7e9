// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Options of the functions that create, move and differentiate tensors.
#ifndef PATCHBAY_TENSOR_OPTIONS_H_
#define PATCHBAY_TENSOR_OPTIONS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "patchbay/device.h"
#include "patchbay/dtype.h"

namespace patchbay {

/// The dtype and device of a new tensor: `zeros({2, 3}, {DType::i32, device})`, or
/// `zeros({2, 3}, "gpu:0")`. The dtype is f32 unless given (i64 for randint, and for arange of
/// integers), the device default_device().
struct TensorOptions {
  TensorOptions() = default;
  TensorOptions(DType d) : dtype(d) {}                // NOLINT
  TensorOptions(Device d) : device(std::move(d)) {}   // NOLINT
  TensorOptions(const char* d) : device(d) {}         // NOLINT
  TensorOptions(const std::string& d) : device(d) {}  // NOLINT
  TensorOptions(std::nullptr_t) = delete;             // NOLINT: 0 is no device
  TensorOptions(DType t, Device d) : dtype(t), device(std::move(d)) {}
  TensorOptions(Device d, DType t) : dtype(t), device(std::move(d)) {}
  std::optional<DType> dtype;
  std::optional<Device> device;
};

struct ToOptions {
  bool copy = false;          // new storage even if the tensor is on that device
  bool non_blocking = false;  // return when the copy is queued; reads through a tensor wait
};

struct BackwardOptions {
  bool retain_graph = false;  // keep the record for another backward; else it is freed
  bool create_graph = false;  // record the gradients too; implies retain_graph
};

class Tensor;
/// Receives a tensor's gradient. If it returns a defined tensor, that replaces the gradient.
using GradientHook = std::function<Tensor(const Tensor& gradient)>;

}  // namespace patchbay

#endif  // PATCHBAY_TENSOR_OPTIONS_H_
