// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/pending_call.h"

#include <bit>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/base/status.h"

namespace patchbay::runtime {
namespace {

class Bodies {
 public:
  static Bodies& instance() {
    static auto& bodies = *new Bodies;  // never destroyed: plugins may call late
    return bodies;
  }

  std::uintptr_t add(PendingCall::Body body) {
    const std::scoped_lock lock(mutex_);
    bodies_.emplace(last_number_ + 1, std::move(body));
    return ++last_number_;
  }
  /// Empty if it was taken before.
  PendingCall::Body take(std::uintptr_t number) {
    const std::scoped_lock lock(mutex_);
    const auto taken = bodies_.extract(number);
    return taken ? std::move(taken.mapped()) : PendingCall::Body();
  }

 private:
  std::mutex mutex_;
  std::uintptr_t last_number_ = 0;
  std::unordered_map<std::uintptr_t, PendingCall::Body> bodies_;
};

}  // namespace

PendingCall::PendingCall(Body body) : number_(Bodies::instance().add(std::move(body))) {}

PendingCall::~PendingCall() {
  if (number_ != 0) static_cast<void>(Bodies::instance().take(number_));
}

void* PendingCall::user() const { return std::bit_cast<void*>(number_); }

void PendingCall::make(void* user, patchbay_status* status) {
  const Body body = Bodies::instance().take(std::bit_cast<std::uintptr_t>(user));
  if (!body) return release_status(status);
  body(status);
}

}  // namespace patchbay::runtime
