// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The backward that a thread runs, for steps and their messages. autograd/engine.cpp runs it.
#ifndef PATCHBAY_CORE_TENSOR_DISPATCH_BACKWARD_SCOPE_H_
#define PATCHBAY_CORE_TENSOR_DISPATCH_BACKWARD_SCOPE_H_

#include "patchbay/tensor.h"

namespace patchbay::tensor {

/// Lives while this thread runs a graph backwards. Nests, for checkpoints.
class BackwardScope {
 public:
  /// `goes_to_leaves`: the run adds to the gradients of leaves.
  BackwardScope(const char* operation, BackwardOptions options, bool goes_to_leaves);
  ~BackwardScope();
  BackwardScope(const BackwardScope&) = delete;
  BackwardScope& operator=(const BackwardScope&) = delete;

  /// The operation that the program called; "backward" if this thread runs none.
  static const char* operation();
  /// The options of this thread's run.
  static BackwardOptions options();
  /// Whether this thread's run adds to the gradients of leaves. False if it runs none.
  static bool goes_to_leaves();

 private:
  static constinit thread_local const BackwardScope* current;

  const char* const operation_;
  const BackwardOptions options_;
  const bool goes_to_leaves_;
  const BackwardScope* const outer_;
};

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_DISPATCH_BACKWARD_SCOPE_H_
