// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The background threads of a loader.
#ifndef PATCHBAY_CORE_NN_DATA_WORKERS_H_
#define PATCHBAY_CORE_NN_DATA_WORKERS_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "patchbay/copy.h"
#include "patchbay/nn/data.h"

namespace patchbay::nn::data {

/// Which batch of which epoch, and its samples.
struct BatchRequest {
  std::int64_t epoch = 0, batch = 0;
  std::vector<std::int64_t> indices;
};

/// A batch that is being made.
struct Job {
  BatchRequest request;
  ThreadContext context;  // of the thread that asked for it
  // Written by the worker before is_done.
  Batch batch;
  std::exception_ptr failure;
  bool is_done = false;  // under the mutex of the workers
};

/// Threads that work jobs off in their order. The destructor waits for the calls that run.
class Workers {
 public:
  /// Errors: kOutOfMemory if a thread can't be started.
  Workers(int num_threads, std::function<Batch(const BatchRequest&)> make);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(std::shared_ptr<Job> job);
  void wait(const Job& job);
  /// Forgets the jobs that no thread has begun.
  void forget();

 private:
  void run();
  void stop();

  const std::function<Batch(const BatchRequest&)> make_;
  std::mutex mutex_;
  std::condition_variable posted_, done_;
  std::deque<std::shared_ptr<Job>> jobs_;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace patchbay::nn::data

#endif  // PATCHBAY_CORE_NN_DATA_WORKERS_H_
