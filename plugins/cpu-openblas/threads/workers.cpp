// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/workers.hpp"

#include <utility>

#include "cpu-openblas/threads/futex.hpp"
#include "cpu-openblas/threads/thread_pool.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::uint64_t kSpinNs = 30'000;

/// Waits until the phase differs from `old` and returns it.
std::uint32_t wait_while(std::atomic<std::uint32_t>& phase, std::uint32_t old) noexcept {
  std::uint32_t seen = old;
  const auto changed = [&] { return (seen = phase.load(std::memory_order_acquire)) != old; };
  if (spin_until(kSpinNs, changed)) return seen;
  while (!changed()) futex_wait(phase, old);
  return seen;
}

void change(std::atomic<std::uint32_t>& phase, std::uint32_t next) noexcept {
  phase.store(next, std::memory_order_release);
  futex_wake(phase, 1);
}

}  // namespace

LeadThread::~LeadThread() {
  if (thread_.empty()) return;
  change(phase_, kStopping);
  thread_.front().join();
}

void LeadThread::run_task(Task task, const void* context) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (thread_.empty()) {
    const auto body = [](void* self) { static_cast<LeadThread*>(self)->main(); };
    if (!start_quiet_thread(thread_, subnormals_, body, this)) return task(context);
    pin_thread(thread_.front(), core_);
  }
  task_ = task;
  context_ = context;
  change(phase_, kPosted);
  wait_while(phase_, kPosted);
  phase_.store(kIdle, std::memory_order_relaxed);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void LeadThread::main() noexcept {
  for (std::uint32_t phase = kIdle; phase != kStopping;) {
    if (phase == kPosted) {
      try {
        task_(context_);
      } catch (...) {
        failure_ = std::current_exception();
      }
      change(phase_, kDone);
      phase = wait_while(phase_, kDone);
    } else {
      phase = wait_while(phase_, phase);
    }
  }
}

}  // namespace patchbay::cpu
