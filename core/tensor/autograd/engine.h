// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs recorded graphs backwards.
#ifndef PATCHBAY_CORE_TENSOR_AUTOGRAD_ENGINE_H_
#define PATCHBAY_CORE_TENSOR_AUTOGRAD_ENGINE_H_

#include <memory>
#include <utility>
#include <vector>

#include "core/tensor/base/grad_state.h"

namespace patchbay::tensor {

/// Runs the graph backwards from `roots`, given with their gradients. With `wanted`, runs only
/// towards these nodes and returns their gradients (undefined if none); else adds to the leaves.
struct BackwardRun {
  const char* operation;  // for messages
  std::vector<std::pair<std::shared_ptr<Node>, Tensor>> roots = {};
  std::vector<std::shared_ptr<Node>> wanted = {};
  bool retains_graph = false;  // keeps the graph for another run
  bool creates_graph = false;  // makes the gradients differentiable

  std::vector<Tensor> run() const;
};

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_AUTOGRAD_ENGINE_H_
