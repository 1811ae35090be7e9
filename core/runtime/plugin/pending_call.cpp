// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/pending_call.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/fork.h"
#include "core/base/status.h"

namespace patchbay::runtime {
namespace {

/// The last number given. A child of fork goes on from its parent's, so that no number is given
/// twice.
constinit std::atomic<std::uintptr_t> last_number{0};

class Bodies {
 public:
  std::uintptr_t add(PendingCall::Body body, const void* owner) {
    const std::uintptr_t number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::scoped_lock lock(mutex_);
    open_.emplace(number, Open{std::move(body), owner});
    return number;
  }
  /// Empty if it was taken before.
  PendingCall::Body take(std::uintptr_t number) {
    const std::scoped_lock lock(mutex_);
    const auto taken = open_.extract(number);
    return taken ? std::move(taken.mapped().body) : PendingCall::Body();
  }
  /// The oldest of the owner; empty if there is none.
  PendingCall::Body take_of(const void* owner) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const auto& one) { return one.second.owner == owner; });
    if (found == open_.end()) return {};
    return std::move(open_.extract(found).mapped().body);
  }

 private:
  struct Open {
    PendingCall::Body body;
    const void* owner;
  };

  std::mutex mutex_;
  std::map<std::uintptr_t, Open> open_;  // by number, so that the oldest is first
};
constinit base::OfProcess<Bodies> all_bodies;

/// Empty if it was taken before, or added by another process.
PendingCall::Body take(std::uintptr_t number) {
  Bodies* const bodies = all_bodies.find();
  return bodies != nullptr ? bodies->take(number) : PendingCall::Body();
}

}  // namespace

PendingCall::PendingCall(Body body, const void* owner)
    : number_(all_bodies.get().add(std::move(body), owner)) {}

PendingCall::~PendingCall() {
  if (number_ != 0) static_cast<void>(take(number_));
}

void* PendingCall::user() const { return std::bit_cast<void*>(number_); }

void PendingCall::make(void* user, patchbay_status* status) {
  const Body body = take(std::bit_cast<std::uintptr_t>(user));
  if (!body) return base::release_status(status);
  body(status);
}

PendingCall::Body PendingCall::take_back(const void* owner) {
  Bodies* const bodies = all_bodies.find();
  return bodies != nullptr ? bodies->take_of(owner) : Body();
}

}  // namespace patchbay::runtime
