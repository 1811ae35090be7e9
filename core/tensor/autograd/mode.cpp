// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether a thread records.
#include "patchbay/autograd.h"

#include "core/runtime/error.h"
#include "core/tensor/autograd/record.h"

namespace patchbay {

namespace tensor {

namespace {

constinit thread_local bool recording = true;
constinit thread_local bool inference = false;

}  // namespace

bool is_recording() { return recording; }

void check_no_inference(const char* operation) {
  if (!inference) return;
  runtime::raise(
      ErrorCode::kInvalidArgument,
      "[{}] gradients inside an InferenceMode scope: expected none to be asked for, got a "
      "call that does. End the scope first, or use NoGrad in its place.",
      operation);
}

Recording::Recording(bool enabled) : previous_(std::exchange(recording, enabled)) {}
Recording::~Recording() { recording = previous_; }

}  // namespace tensor

bool is_grad_enabled() { return tensor::recording; }

GradMode::GradMode(bool enabled) : previous_(tensor::recording) {
  if (enabled) tensor::check_no_inference("GradMode");
  tensor::recording = enabled;
}
GradMode::~GradMode() { tensor::recording = previous_; }

InferenceMode::InferenceMode()
    : previous_grad_(std::exchange(tensor::recording, false)),
      previous_inference_(std::exchange(tensor::inference, true)) {}
InferenceMode::~InferenceMode() {
  tensor::recording = previous_grad_;
  tensor::inference = previous_inference_;
}

}  // namespace patchbay
