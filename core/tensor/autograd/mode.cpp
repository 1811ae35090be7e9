// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether a thread records.
#include "patchbay/autograd.h"

#include "core/runtime/error.h"
#include "core/tensor/autograd/record.h"

namespace patchbay {

namespace tensor {

namespace {

constinit thread_local Mode mode = Mode::kRecords;
constinit thread_local bool inference = false;

Mode mode_of(bool records) { return records ? Mode::kRecords : Mode::kOff; }

}  // namespace

Mode recording_mode() { return mode; }

void check_no_inference(const char* operation) {
  if (!inference) return;
  runtime::raise(
      ErrorCode::kInvalidArgument,
      "[{}] gradients inside an InferenceMode scope: expected none to be asked for, got a "
      "call that does. End the scope first, or use NoGrad in its place.",
      operation);
}

Recording::Recording(bool enabled) : Recording(mode_of(enabled)) {}
Recording::Recording(Mode enabled)
    : previous_(std::exchange(mode, enabled)), previous_inference_(inference) {
  if (enabled == Mode::kRecords) inference = false;
}
Recording::~Recording() {
  mode = previous_;
  inference = previous_inference_;
}

}  // namespace tensor

bool is_grad_enabled() { return tensor::is_recording(); }

GradMode::GradMode(bool enabled) : previous_(static_cast<std::uint8_t>(tensor::mode)) {
  if (enabled) tensor::check_no_inference("GradMode");
  tensor::mode = tensor::mode_of(enabled);
}
GradMode::~GradMode() { tensor::mode = static_cast<tensor::Mode>(previous_); }

InferenceMode::InferenceMode()
    : previous_grad_(static_cast<std::uint8_t>(std::exchange(tensor::mode, tensor::Mode::kOff))),
      previous_inference_(std::exchange(tensor::inference, true)) {}
InferenceMode::~InferenceMode() {
  tensor::mode = static_cast<tensor::Mode>(previous_grad_);
  tensor::inference = previous_inference_;
}

}  // namespace patchbay
