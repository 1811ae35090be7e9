// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/data/workers.h"

#include <cstddef>
#include <utility>

#include "core/base/cancellation.h"
#include "core/base/quiet_thread.h"

namespace patchbay::nn::data {

Workers::Workers(int num_threads, std::function<Batch(const BatchRequest&)> make)
    : make_(std::move(make)) {
  threads_.reserve(static_cast<std::size_t>(num_threads));
  try {
    for (int i = 0; i < num_threads; ++i) {
      threads_.push_back(runtime::start_quiet_thread("DataLoader", [this] { run(); }));
    }
  } catch (...) {
    stop();
    throw;
  }
}

Workers::~Workers() { stop(); }

void Workers::stop() {
  const runtime::CancellationOff not_cancelled;
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
  }
  posted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::post(std::shared_ptr<Job> job) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  posted_.notify_one();
}

void Workers::wait(const Job& job) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return job.is_done; });
}

void Workers::forget() {
  std::deque<std::shared_ptr<Job>> jobs;
  const std::scoped_lock lock(mutex_);
  jobs.swap(jobs_);
}

void Workers::run() {
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

}  // namespace patchbay::nn::data
