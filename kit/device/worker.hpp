// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_DEVICE_WORKER_HPP_
#define PATCHBAY_KIT_DEVICE_WORKER_HPP_

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace patchbay::device {

/// A thread that runs tasks in order.
class Worker {
 public:
  Worker();
  ~Worker() { end(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs what is queued, then ends the thread.
  void end();

  /// Tasks do not throw.
  using Task = std::function<void()>;
  void post(Task task) { post(std::list<Task>(1, std::move(task))); }
  /// Posts a task that is in a list, which needs no allocation.
  void post(std::list<Task> task) noexcept;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Task> tasks_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_WORKER_HPP_
