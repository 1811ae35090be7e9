// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/threads/thread_pool.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "cpu-openblas/threads/futex.hpp"

namespace patchbay::cpu {
namespace {

// Long enough to meet a program's next operation, short enough not to waste noticeable time.
constexpr std::uint64_t kHelperSpinNs = 50'000;
constexpr std::uint64_t kCallerSpinNs = 50'000;

std::uint32_t next_part(std::uint64_t state) { return (state >> 16) & 0xffff; }
std::uint32_t num_parts(std::uint64_t state) { return state & 0xffff; }

}  // namespace

ThreadPool::ThreadPool(int num_threads, std::vector<int> cores, Subnormals subnormals)
    : num_threads_(num_threads), subnormals_(subnormals), cores_(std::move(cores)) {
  if (cores_.size() < static_cast<std::size_t>(num_threads)) cores_.clear();
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  wake_count_.fetch_add(1);
  futex_wake(wake_count_, num_threads_);
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadPool::run(Task task, const void* context, int parts) noexcept {
  if (parts <= 1 || num_threads_ <= 1 || busy_.exchange(true, std::memory_order_acquire)) {
    for (int part = 0; part < parts; ++part) task(context, part);
    return;
  }
  if (!started_) start_helpers();
  make_room_for_caller();
  task_ = task;
  context_ = context;
  publish(parts);
  std::uint32_t done_here = 0;
  for (int part = 0; claim(part); ++done_here) task(context, part);
  wait_for_helpers(static_cast<std::uint32_t>(parts) - done_here);
  busy_.store(false, std::memory_order_release);
}

void ThreadPool::publish(int parts) noexcept {
  finished_.store(0, std::memory_order_relaxed);
  ++generation_;
  state_.store(std::uint64_t{generation_} << 32 | static_cast<std::uint64_t>(parts));
  // A helper counts itself as a sleeper before it last reads state_, so one side sees the other.
  if (sleepers_.load() > 0) {
    wake_count_.fetch_add(1);
    futex_wake(wake_count_, parts - 1);
  }
}

bool ThreadPool::has_work() const noexcept {
  const std::uint64_t state = state_.load();
  return next_part(state) < num_parts(state);
}

bool ThreadPool::claim(int& part) noexcept {
  std::uint64_t state = state_.load(std::memory_order_acquire);
  while (next_part(state) < num_parts(state)) {
    if (state_.compare_exchange_weak(state, state + (1u << 16), std::memory_order_acq_rel)) {
      part = static_cast<int>(next_part(state));
      return true;
    }
  }
  return false;
}

void ThreadPool::wait_for_helpers(std::uint32_t expected) noexcept {
  const auto all_done = [&] { return finished_.load(std::memory_order_acquire) == expected; };
  if (expected == 0 || spin_until(kCallerSpinNs, all_done)) return;
  caller_sleeps_.store(1);
  for (std::uint32_t seen = finished_.load(); seen != expected; seen = finished_.load()) {
    futex_wait(finished_, seen);
  }
  caller_sleeps_.store(0);
}

void ThreadPool::helper_main() noexcept {
  while (!stopping_.load()) {
    int part = 0;
    while (claim(part)) {
      task_(context_, part);
      finished_.fetch_add(1);
      if (caller_sleeps_.load() != 0) futex_wake(finished_, 1);
    }
    if (!spin_until(kHelperSpinNs, [&] { return has_work() || stopping_.load(); })) sleep();
  }
}

void ThreadPool::sleep() noexcept {
  const std::uint32_t seen = wake_count_.load();
  sleepers_.fetch_add(1);
  if (!has_work() && !stopping_.load()) futex_wait(wake_count_, seen);
  sleepers_.fetch_sub(1);
}

void ThreadPool::start_helpers() noexcept {
  started_ = true;
  const auto body = [](void* pool) { static_cast<ThreadPool*>(pool)->helper_main(); };
  for (std::size_t helper = 1; helper < static_cast<std::size_t>(num_threads_); ++helper) {
    // If not all helpers start, the caller does the remaining parts.
    if (!start_quiet_thread(helpers_, subnormals_, body, this)) return;
    if (!cores_.empty()) pin_thread(helpers_.back(), cores_[helper]);
  }
}

void ThreadPool::make_room_for_caller() noexcept {
  const int here = sched_getcpu();
  if (cores_.empty() || cores_[0] == here) return;
  const auto place = std::find(cores_.begin(), cores_.end(), here);
  if (place == cores_.end()) return;
  const auto index = static_cast<std::size_t>(place - cores_.begin());
  std::swap(cores_[0], cores_[index]);
  if (index <= helpers_.size()) pin_thread(helpers_[index - 1], cores_[index]);
}

void pin_thread(std::thread& thread, int core) noexcept {
  cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(core) + 1);
  if (set == nullptr) return;
  const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(core) + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(static_cast<std::size_t>(core), size, set);
  pthread_setaffinity_np(thread.native_handle(), size, set);
  CPU_FREE(set);
}

bool start_quiet_thread(std::vector<std::thread>& threads, Subnormals subnormals,
                        void (*body)(void*), void* context) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  // Keep these signals, so that a fault in a kernel reaches the application's crash handler.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    threads.emplace_back([=] {
      subnormals.apply();
      body(context);
    });
  } catch (...) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace patchbay::cpu
