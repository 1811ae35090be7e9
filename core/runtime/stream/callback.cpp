// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/callback.h"

#include <utility>

#include "core/base/cancellation.h"
#include "core/base/status.h"
#include "core/output/delivery.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay::runtime {
namespace {

/// An exception of the plugin's has no caller in this thread.
patchbay_status* wait_for(const EventState& event) noexcept {
  try {
    return event.device.plugin.tables.event.wait(event.handle, PATCHBAY_NO_DEADLINE);
  } catch (...) {
    return base::make_status(PATCHBAY_INTERNAL,
                             "the plugin's wait of the event table threw an exception");
  }
}

}  // namespace

CallbackThread::~CallbackThread() {
  const base::CancellationOff not_cancelled;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  // If a callback calls exit(), a static object's destructor may destroy the stream in this thread.
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void CallbackThread::add(std::shared_ptr<EventState> event, void* user) {
  {
    const std::scoped_lock lock(mutex_);
    pending_.push_back({std::move(event), user});
  }
  changed_.notify_one();
}

void CallbackThread::run() {
  const output::ServiceThread service;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
    if (pending_.empty()) return;
    Pending next = std::move(pending_.front());
    pending_.pop_front();
    lock.unlock();
    PendingCall::make(next.user, wait_for(*next.event));
    next.event.reset();
    lock.lock();
  }
}

}  // namespace patchbay::runtime
