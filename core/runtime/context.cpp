// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/context.h"

#include <pthread.h>

#include <memory>
#include <new>
#include <utility>

#include "patchbay/device.h"

namespace patchbay {

namespace runtime {

constinit thread_local std::uint32_t carried_bits = 0;

namespace {

constinit thread_local Context* own = nullptr;

/// At the end of a thread. A thread_local object with a destructor would do, but for one thing:
/// where there is no memory to note the destructor, the C library ends the process.
void end_context(void* ended) {
  if (own == ended) own = nullptr;
  delete static_cast<Context*>(ended);
}

pthread_key_t context_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (pthread_key_create(&made, end_context) != 0) throw std::bad_alloc();
    return made;
  }();
  return key;
}

Context& make_context() {
  auto made = std::make_unique<Context>();
  if (pthread_setspecific(context_key(), made.get()) != 0) throw std::bad_alloc();
  own = made.release();
  return *own;
}

}  // namespace

Context& context() { return own != nullptr ? *own : make_context(); }

std::string_view current_tag() noexcept {
  return own != nullptr ? std::string_view(own->tag) : std::string_view();
}

}  // namespace runtime

using runtime::context;

Device default_device() {
  auto& scoped = context().device;
  return scoped ? Device(scoped) : Device();
}

DefaultDeviceScope::DefaultDeviceScope(const Device& device)
    : previous_(std::exchange(context().device, device.shared_state())) {}
DefaultDeviceScope::~DefaultDeviceScope() { context().device = std::move(previous_); }

CopyTag::CopyTag(std::string tag) : previous_(std::exchange(context().tag, std::move(tag))) {}
CopyTag::~CopyTag() { context().tag = std::move(previous_); }

CopyGuard::CopyGuard(Mode mode) : previous_(std::exchange(context().guard, mode)) {}
CopyGuard::~CopyGuard() { context().guard = previous_; }

ThreadContext ThreadContext::current() {
  runtime::check_not_recording("ThreadContext");  // what it carries would record elsewhere
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
