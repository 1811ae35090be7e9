// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A thread that runs one job after the other.
#ifndef PATCHBAY_CORE_NN_PARALLEL_WORKER_H_
#define PATCHBAY_CORE_NN_PARALLEL_WORKER_H_

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace patchbay::nn::parallel {

class Worker {
 public:
  /// Starts the thread, which takes no signals but faults. Errors: kInternal if it can't be
  /// started.
  Worker();
  /// Waits for the job.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs the job on the thread; it throws nothing. The job before it was finished.
  void start(std::function<void()> job);
  /// Blocks until the job has ended.
  void finish();
  /// False in a child of fork, which has no such thread.
  bool is_here() const;
  /// Whether the caller is a job of this worker.
  bool is_this_thread() const { return thread_->get_id() == std::this_thread::get_id(); }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> job;  // null if none is waiting or running
    bool stops = false;
    void run();
  };

  const pid_t process_;
  // Left alone in a child of fork.
  std::unique_ptr<State> state_;
  std::unique_ptr<std::thread> thread_;
};

}  // namespace patchbay::nn::parallel

#endif  // PATCHBAY_CORE_NN_PARALLEL_WORKER_H_
