// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A simulated stream: tasks in order, on a thread of its own.
#ifndef PATCHBAY_TESTS_SIM_QUEUE_H_
#define PATCHBAY_TESTS_SIM_QUEUE_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace patchbay::sim {

class Queue {
 public:
  /// `lazy`: tasks start only when somebody waits, or releases them.
  explicit Queue(bool lazy) : lazy_(lazy), thread_([this] { run(); }) {}
  ~Queue() { finish(); }

  /// The task's number.
  std::uint64_t post(std::function<void()> task);
  std::uint64_t last() const;
  bool is_done(std::uint64_t number) const;
  void wait(std::uint64_t number);
  /// Lets the tasks so far begin.
  void release();
  /// Runs what is queued and takes no more.
  void finish();

 private:
  void run();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  const bool lazy_;
  std::uint64_t posted_ = 0, released_ = 0, done_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_QUEUE_H_
