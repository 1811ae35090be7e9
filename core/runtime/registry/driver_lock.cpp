// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/registry/driver_lock.h"

#include <atomic>
#include <thread>

#include "core/base/fork.h"

namespace patchbay::runtime {
namespace {

struct LockState {
  output::NoDeliveryMutex mutex;
  std::atomic<std::thread::id> thread{};  // that has the lock
};
constinit base::OfProcess<LockState> state;

}  // namespace

DriverLock::DriverLock() : lock_(state.get().mutex) {
  state.get().thread = std::this_thread::get_id();
}

DriverLock::~DriverLock() {
  if (LockState* const made = state.find()) made->thread = std::thread::id();
}

bool DriverLock::is_here() noexcept {
  LockState* const made = state.find();
  return made != nullptr && made->thread.load() == std::this_thread::get_id();
}

}  // namespace patchbay::runtime
