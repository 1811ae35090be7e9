// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/stream_scope.h"

#include <memory>
#include <utility>

#include "patchbay/copy.h"
#include "patchbay/stream.h"

#include "core/base/error.h"
#include "core/runtime/device/context.h"

namespace patchbay {

namespace runtime {

constinit thread_local const ScopedStream* scoped_streams = nullptr;
constinit const ScopedStream kInCallback{};

std::shared_ptr<const ScopedStream> exchange_streams(std::shared_ptr<const ScopedStream> streams) {
  if (scoped_streams != &kInCallback) scoped_streams = streams.get();
  return std::exchange(context().streams, std::move(streams));
}

StreamState& find_scoped_stream(DeviceState& device, std::string_view operation) {
  check_no_callback(operation);
  for (const ScopedStream* scope = scoped_streams; scope != nullptr; scope = scope->outer.get()) {
    if (scope->stream && &scope->stream->device == &device) return *scope->stream;
  }
  return *device.default_stream;
}

Recorder* find_recorder(bool also_paused) {
  if (scoped_streams == &kInCallback) return nullptr;
  for (const ScopedStream* scope = scoped_streams; scope != nullptr; scope = scope->outer.get()) {
    if (scope->is_pause && !also_paused) return nullptr;
    if (scope->recorder != nullptr) return scope->recorder;
  }
  return nullptr;
}

void raise_in_callback(std::string_view operation) {
  base::raise(
      ErrorCode::kInvalidArgument,
      "[{}] a stream's callback called the runtime: expected a callback that only notes what it "
      "is told or wakes another thread. Make the call on that thread.",
      operation);
}

void check_not_recording_slowly(std::string_view operation) {
  if (find_recorder() == nullptr) return;
  base::raise(
      ErrorCode::kInvalidArgument,
      "[{}] a graph is being recorded, which only notes what is to be done: expected operations "
      "on tensors and copies between devices. Do this before the recording, or after a replay.",
      operation);
}

}  // namespace runtime

StreamScope::StreamScope(const Stream& stream)
    : previous_(runtime::exchange_streams(std::make_shared<runtime::ScopedStream>(
          runtime::ScopedStream{stream.shared_state(), runtime::context().streams}))) {}

StreamScope::~StreamScope() { runtime::exchange_streams(std::move(previous_)); }

// Carries the state of a thread to another one.

using runtime::context;

ThreadContext ThreadContext::current() {
  runtime::check_not_recording("ThreadContext");  // the recording can't move to another thread
  ThreadContext result;
  result.device_ = context().device;
  result.tag_ = context().tag;
  result.guard_ = context().guard;
  result.streams_ = context().streams;
  result.bits_ = runtime::carried_bits;
  return result;
}

ThreadContext::Scope::Scope(const ThreadContext& carried)
    : previous_(std::make_unique<ThreadContext>(current())) {
  context() = {carried.device_, carried.tag_, carried.guard_, context().streams};
  runtime::exchange_streams(carried.streams_);
  runtime::carried_bits = carried.bits_;
}
ThreadContext::Scope::~Scope() {
  context() = {std::move(previous_->device_), std::move(previous_->tag_), previous_->guard_,
               context().streams};
  runtime::exchange_streams(std::move(previous_->streams_));
  runtime::carried_bits = previous_->bits_;
}

}  // namespace patchbay
