// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The background threads of a loader.
#ifndef PATCHBAY_CORE_NN_DATA_WORKERS_H_
#define PATCHBAY_CORE_NN_DATA_WORKERS_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "patchbay/copy.h"
#include "patchbay/nn/data.h"

#include "core/base/cancellation.h"
#include "core/base/quiet_thread.h"

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
  Workers(int num_threads, std::function<Batch(const BatchRequest&)> make)
      : make_(std::move(make)) {
    threads_.reserve(static_cast<std::size_t>(num_threads));
    try {
      for (int i = 0; i < num_threads; ++i) {
        threads_.push_back(base::start_quiet_thread("DataLoader", [this] { run(); }));
      }
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(std::shared_ptr<Job> job) {
    {
      const std::scoped_lock lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    posted_.notify_one();
  }
  void wait(const Job& job) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return job.is_done; });
  }
  /// Forgets the jobs that no thread has begun.
  void forget() {
    std::deque<std::shared_ptr<Job>> jobs;
    const std::scoped_lock lock(mutex_);
    jobs.swap(jobs_);
  }

 private:
  void stop() {
    const base::CancellationOff not_cancelled;
    {
      const std::scoped_lock lock(mutex_);
      is_stopped_ = true;
    }
    posted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void run() {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        posted_.wait(lock, [&] { return is_stopped_ || !jobs_.empty(); });
        if (is_stopped_) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      try {
        const ThreadContext::Scope scope(job->context);
        job->batch = make_(job->request);
      } catch (...) {
        job->failure = std::current_exception();
      }
      {
        const std::scoped_lock lock(mutex_);
        job->is_done = true;
      }
      done_.notify_all();
    }
  }

  const std::function<Batch(const BatchRequest&)> make_;
  std::mutex mutex_;
  std::condition_variable posted_, done_;
  std::deque<std::shared_ptr<Job>> jobs_;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace patchbay::nn::data

#endif  // PATCHBAY_CORE_NN_DATA_WORKERS_H_
