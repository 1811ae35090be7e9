// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/parallel/worker.h"

#include <unistd.h>

#include <utility>

#include "core/base/cancellation.h"
#include "core/base/quiet_thread.h"

namespace patchbay::nn::parallel {
Worker::Worker()
    : process_(getpid()),
      state_(std::make_unique<State>()),
      thread_(std::make_unique<std::thread>(
          base::start_quiet_thread("DataParallel", [state = state_.get()] { state->run(); }))) {}

Worker::~Worker() {
  const base::CancellationOff not_cancelled;
  if (!is_here()) {
    static_cast<void>(state_.release());
    static_cast<void>(thread_.release());
    return;
  }
  {
    const std::scoped_lock lock(state_->mutex);
    state_->stops = true;
    state_->changed.notify_all();
  }
  thread_->join();
}

bool Worker::is_here() const { return getpid() == process_; }

void Worker::start(std::function<void()> job) {
  const std::scoped_lock lock(state_->mutex);
  state_->job = std::move(job);
  state_->changed.notify_all();
}

void Worker::finish() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !state_->job; });
}

void Worker::State::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return stops || job; });
    if (!job) return;
    lock.unlock();
    job();
    lock.lock();
    job = nullptr;
    changed.notify_all();
  }
}

}  // namespace patchbay::nn::parallel
