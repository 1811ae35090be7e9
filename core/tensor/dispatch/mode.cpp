// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether a thread records operations.
#include "patchbay/autograd.h"

#include "core/base/error.h"
#include "core/runtime/device/context.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay {

namespace tensor {

namespace {

// This file's part of runtime::carried_bits, which ThreadContext carries. 0: the thread records.
constexpr std::uint32_t kModeBits = 3, kInferenceBit = 4, kRecomputingBit = 8;

Mode mode_of(bool records) { return records ? Mode::kRecords : Mode::kOff; }

void set_mode(Mode mode) {
  runtime::carried_bits = (runtime::carried_bits & ~kModeBits) | static_cast<std::uint32_t>(mode);
}

void set_bit(std::uint32_t bit, bool value) {
  runtime::carried_bits = (runtime::carried_bits & ~bit) | (value ? bit : 0);
}

bool is_inference() { return (runtime::carried_bits & kInferenceBit) != 0; }
void set_inference(bool inference) { set_bit(kInferenceBit, inference); }

}  // namespace

bool is_recomputing() { return (runtime::carried_bits & kRecomputingBit) != 0; }

Recomputing::Recomputing() : previous_(is_recomputing()) { set_bit(kRecomputingBit, true); }
Recomputing::~Recomputing() { set_bit(kRecomputingBit, previous_); }

Mode recording_mode() { return static_cast<Mode>(runtime::carried_bits & kModeBits); }

void check_no_inference(const char* operation) {
  if (!is_inference()) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] gradients can't be asked for inside an InferenceMode scope. End the scope "
              "first, or use NoGrad in its place.",
              operation);
}

Recording::Recording(bool enabled) : Recording(mode_of(enabled)) {}
Recording::Recording(Mode enabled)
    : previous_(recording_mode()), previous_inference_(is_inference()) {
  set_mode(enabled);
  if (enabled == Mode::kRecords) set_inference(false);
}
Recording::~Recording() {
  set_mode(previous_);
  set_inference(previous_inference_);
}

}  // namespace tensor

bool is_grad_enabled() { return tensor::is_recording(); }

bool is_inference_mode() { return tensor::is_inference(); }

GradMode::GradMode(bool enabled) : previous_(static_cast<std::uint8_t>(tensor::recording_mode())) {
  if (enabled) tensor::check_no_inference("GradMode");
  tensor::set_mode(tensor::mode_of(enabled));
}
GradMode::~GradMode() { tensor::set_mode(static_cast<tensor::Mode>(previous_)); }

InferenceMode::InferenceMode()
    : previous_grad_(static_cast<std::uint8_t>(tensor::recording_mode())),
      previous_inference_(tensor::is_inference()) {
  tensor::set_mode(tensor::Mode::kOff);
  tensor::set_inference(true);
}
InferenceMode::~InferenceMode() {
  tensor::set_mode(static_cast<tensor::Mode>(previous_grad_));
  tensor::set_inference(previous_inference_);
}

}  // namespace patchbay
