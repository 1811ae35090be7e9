// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/parallel/worker.h"

#include <unistd.h>

#include <csignal>
#include <system_error>
#include <utility>

#include "core/base/error.h"

namespace patchbay::nn::parallel {
namespace {

/// Blocks the signals of threads that are started inside, so that the application's stay with it.
class QuietStart {
 public:
  QuietStart() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~QuietStart() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  QuietStart(const QuietStart&) = delete;
  QuietStart& operator=(const QuietStart&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Worker::Worker() : process_(getpid()), state_(std::make_unique<State>()) {
  const QuietStart quiet;
  try {
    thread_ = std::make_unique<std::thread>([state = state_.get()] { state->run(); });
  } catch (const std::system_error& error) {
    runtime::raise(ErrorCode::kInternal,
                   "[DataParallel] a thread can't be started: {}. End other threads, or raise "
                   "their limit.",
                   error.code().message());
  }
}

Worker::~Worker() {
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
