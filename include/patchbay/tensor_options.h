// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the functions that make, move and derive tensors may be told.
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

/// Where and of what dtype a tensor is made: `zeros({2, 3}, {DType::i32, device})`, or
/// `zeros({2, 3}, "gpu:0")`. What is not given is f32 (i64 for randint, and for arange
/// of integers) and default_device().
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
  bool copy = false;          // new storage even if the tensor is there already
  bool non_blocking = false;  // return at once; reads through a tensor wait
};

struct BackwardOptions {
  bool retain_graph = false;  // the graph may be run once more; else it is freed on the way
  bool create_graph = false;  // gradients are recorded, to be derived again; retains the graph
};

class Tensor;
/// Sees a tensor's gradient; what it returns, if defined, takes its place.
using GradientHook = std::function<Tensor(const Tensor& gradient)>;

}  // namespace patchbay

#endif  // PATCHBAY_TENSOR_OPTIONS_H_
