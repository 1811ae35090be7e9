// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/backward_scope.h"

#include <utility>

namespace patchbay::tensor {

constinit thread_local const BackwardScope* BackwardScope::current = nullptr;

BackwardScope::BackwardScope(const char* operation, BackwardOptions options, bool goes_to_leaves)
    : operation_(operation),
      options_(options),
      goes_to_leaves_(goes_to_leaves),
      outer_(std::exchange(current, this)) {}
BackwardScope::~BackwardScope() { current = outer_; }

const char* BackwardScope::operation() {
  return current != nullptr ? current->operation_ : "backward";
}

BackwardOptions BackwardScope::options() { return current->options_; }

bool BackwardScope::goes_to_leaves() { return current != nullptr && current->goes_to_leaves_; }

}  // namespace patchbay::tensor
