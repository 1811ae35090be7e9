// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <utility>

#include "patchbay/copy.h"
#include "patchbay/handle.h"
#include "patchbay/nn/data.h"

#include "core/base/error.h"
#include "core/nn/data/foreign_errors.h"
#include "core/nn/data/permutation.h"
#include "core/nn/data/workers.h"

namespace patchbay::nn {

using base::raise;

namespace data {
namespace {

constexpr int kMostThreads = 256;

void check_options(const DataLoaderOptions& options) {
  if (options.batch_size < 1) {
    raise(ErrorCode::kInvalidArgument,
          "[DataLoader] a wrong batch size: expected at least 1, got {}", options.batch_size);
  }
  if (options.num_threads < 0 || options.num_threads > kMostThreads) {
    raise(ErrorCode::kInvalidArgument,
          "[DataLoader] a wrong number of threads: expected 0 to {}, got {}", kMostThreads,
          options.num_threads);
  }
  if (options.prefetch < 0) {
    raise(ErrorCode::kInvalidArgument,
          "[DataLoader] a wrong number of batches ahead: expected at least 0, got {}",
          options.prefetch);
  }
}

/// The calling thread makes a batch of a loader.
class Making {
 public:
  explicit Making(const LoaderState& loader) noexcept : loader_(&loader), outer_(innermost) {
    innermost = this;
  }
  ~Making() { innermost = outer_; }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  /// Whether this thread makes a batch of that loader. It may make several at once, because a
  /// dataset may read from another loader.
  static bool is_under_way(const LoaderState& loader) noexcept {
    const Making* one = innermost;
    while (one != nullptr && one->loader_ != &loader) one = one->outer_;
    return one != nullptr;
  }

 private:
  static inline thread_local const Making* innermost = nullptr;
  const LoaderState* loader_;
  const Making* outer_;
};

/// The calling thread's use of a loader.
class UseScope {
 public:
  UseScope(const LoaderState& loader, std::atomic_flag& taken) : taken_(taken) {
    if (Making::is_under_way(loader)) {
      raise(ErrorCode::kInUse,
            "[DataLoader] a dataset calls the loader that calls it. Give the dataset a loader of "
            "its own.");
    }
    if (!taken_.test_and_set(std::memory_order_acquire)) return;
    raise(ErrorCode::kInUse,
          "[DataLoader] another thread is making a batch. Give each thread a loader of its own.");
  }
  ~UseScope() { taken_.clear(std::memory_order_release); }
  UseScope(const UseScope&) = delete;
  UseScope& operator=(const UseScope&) = delete;

 private:
  std::atomic_flag& taken_;
};

}  // namespace

/// What a loader is made of. Jobs are those of the batches from the position on.
class LoaderState {
 public:
  LoaderState(AnyDataset dataset, DataLoaderOptions options)
      : dataset_(std::move(dataset)),
        options_(std::move(options)),
        num_samples_(dataset_->size()),
        position_{options_.seed, 0, 0} {
    check_options(options_);
    if (num_samples_ < 0) {
      raise(ErrorCode::kInvalidArgument,
            "[DataLoader] a dataset of a wrong size: expected at least 0, got {}", num_samples_);
    }
  }

  bool is_here() const { return getpid() == process_; }
  const Dataset& dataset() const { return *dataset_; }
  const DataLoaderOptions& options() const { return options_; }
  const DataLoader::State& position() const { return position_; }
  std::int64_t num_batches() const {
    const std::int64_t whole = num_samples_ / options_.batch_size;
    return whole + (!options_.drop_last && num_samples_ % options_.batch_size != 0 ? 1 : 0);
  }

  std::optional<Batch> next();
  void set_position(const DataLoader::State& position);

 private:
  void check_process() const;
  BatchRequest request_of(std::int64_t batch);
  Batch make(const BatchRequest& request) const;
  std::shared_ptr<Job> first_job();

  const AnyDataset dataset_;
  const DataLoaderOptions options_;
  const std::int64_t num_samples_;
  const pid_t process_ = getpid();
  std::atomic_flag is_used_;
  DataLoader::State position_;
  std::vector<std::int64_t> order_;  // of the samples in this epoch; empty: not drawn yet
  std::deque<std::shared_ptr<Job>> jobs_;
  std::unique_ptr<Workers> workers_;  // from the first call of next() on
};

void DeleteLoader::operator()(LoaderState* state) const noexcept {
  // A child of fork has no threads that it could wait for.
  if (state->is_here()) delete state;
}

void LoaderState::check_process() const {
  if (options_.num_threads == 0 || is_here()) return;
  raise(ErrorCode::kDeviceLost,
        "[DataLoader] the threads of a loader are used in a forked process: expected process {}, "
        "which made it, got {}. Make a loader in the child.",
        process_, getpid());
}

BatchRequest LoaderState::request_of(std::int64_t batch) {
  if (options_.shuffle && order_.empty()) {
    order_ = permutation(num_samples_, position_.seed, static_cast<std::uint64_t>(position_.epoch));
  }
  const std::int64_t begin = batch * options_.batch_size;
  const std::int64_t end = begin + std::min(options_.batch_size, num_samples_ - begin);
  BatchRequest request{position_.epoch, batch, {}};
  request.indices.reserve(static_cast<std::size_t>(end - begin));
  for (std::int64_t i = begin; i < end; ++i) {
    request.indices.push_back(options_.shuffle ? order_[static_cast<std::size_t>(i)] : i);
  }
  return request;
}

/// Called by several threads at once.
Batch LoaderState::make(const BatchRequest& request) const {
  const Making making(*this);
  Batch batch =
      with_own_errors([&] { return dataset_->get_batch(request.indices); },
                      [&] {
                        return fmt::format("[DataLoader] batch {} of epoch {} can't be made",
                                           request.batch, request.epoch);
                      });
  if (options_.device) {
    const CopyTag tag("data");
    for (Tensor& tensor : batch) tensor = tensor.to(*options_.device, {.non_blocking = true});
  }
  return batch;
}

/// The job of the next batch; those of the batches ahead of it are posted too.
std::shared_ptr<Job> LoaderState::first_job() {
  if (workers_ == nullptr) {
    workers_ = std::make_unique<Workers>(
        options_.num_threads, [this](const BatchRequest& request) { return make(request); });
  }
  const std::int64_t most =
      std::min<std::int64_t>(num_batches() - position_.batch, std::int64_t{options_.prefetch} + 1);
  while (std::ssize(jobs_) < most) {
    auto job = std::make_shared<Job>();
    job->request = request_of(position_.batch + std::ssize(jobs_));
    job->context = ThreadContext::current();
    workers_->post(job);
    jobs_.push_back(std::move(job));
  }
  return jobs_.front();
}

std::optional<Batch> LoaderState::next() {
  check_process();
  const UseScope use(*this, is_used_);
  if (position_.batch == num_batches()) {
    ++position_.epoch;
    position_.batch = 0;
    order_.clear();
    return std::nullopt;
  }
  if (options_.num_threads == 0) {
    const BatchRequest request = request_of(position_.batch);
    ++position_.batch;
    return make(request);
  }
  const std::shared_ptr<Job> job = first_job();
  workers_->wait(*job);  // a thread that is cancelled here has taken no batch
  jobs_.pop_front();
  ++position_.batch;
  // Not a copy: the worker, which may have the job a little longer, must not be the one to end it.
  if (job->failure) std::rethrow_exception(std::exchange(job->failure, nullptr));
  return std::move(job->batch);
}

void LoaderState::set_position(const DataLoader::State& position) {
  check_process();
  const UseScope use(*this, is_used_);
  constexpr std::int64_t kMostEpochs = std::numeric_limits<std::int64_t>::max() - 1;
  if (position.epoch < 0 || position.epoch > kMostEpochs) {
    raise(ErrorCode::kInvalidArgument, "[DataLoader] a wrong epoch: expected 0 to {}, got {}",
          kMostEpochs, position.epoch);
  }
  if (position.batch < 0 || position.batch > num_batches()) {
    raise(ErrorCode::kInvalidArgument, "[DataLoader] no such batch: expected 0 to {}, got {}",
          num_batches(), position.batch);
  }
  if (workers_ != nullptr) workers_->forget();
  jobs_.clear();
  order_.clear();
  position_ = position;
}

}  // namespace data

DataLoader::DataLoader(const AnyDataset& dataset, DataLoaderOptions options)
    : state_(new data::LoaderState(dataset, std::move(options))) {}

data::LoaderState& DataLoader::held() const {
  if (state_ == nullptr) runtime::raise_moved_from("DataLoader");
  return *state_;
}

std::int64_t DataLoader::num_batches() const { return held().num_batches(); }
const Dataset& DataLoader::dataset() const { return held().dataset(); }
const DataLoaderOptions& DataLoader::options() const { return held().options(); }
std::optional<Batch> DataLoader::next() { return held().next(); }
DataLoader::State DataLoader::state() const { return held().position(); }
void DataLoader::set_state(const State& state) { held().set_position(state); }

}  // namespace patchbay::nn
