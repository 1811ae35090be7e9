// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Carries the state of a thread to another one.
#include <memory>
#include <utility>

#include "patchbay/copy.h"

#include "core/runtime/device/context.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay {

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
