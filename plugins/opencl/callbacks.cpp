// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "callbacks.hpp"

#include "error.hpp"

namespace patchbay::opencl {

struct Callbacks::Pending {
  std::shared_ptr<Callbacks> owner;
  Position position;
  plugin::Host host;
  Call call;
  void* user;
};

void Callbacks::add(const Symbols& cl, cl_event event, const Position& position, plugin::Host host,
                    Call call, void* user) {
  auto pending = std::make_unique<Pending>(Pending{shared_from_this(), position, host, call, user});
  count(1);
  const cl_int code =
      cl.clSetEventCallback(event, static_cast<cl_int>(kComplete), run, pending.get());
  if (code != kSuccess) {
    count(-1);
    fail("clSetEventCallback", code);
  }
  (void)pending.release();  // run() has it now
}

void Callbacks::run(cl_event, cl_int, void* user) {
  const std::unique_ptr<Pending> pending(static_cast<Pending*>(user));
  patchbay_status* const status =
      plugin::detail::guarded(pending->host.table(), [&] { pending->position.check(); });
  pending->call(pending->user, status);
  pending->owner->count(-1);
}

void Callbacks::count(int change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  num_pending_ += change;
  changed_.notify_all();
}

void Callbacks::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return num_pending_ == 0; });
}

}  // namespace patchbay::opencl
