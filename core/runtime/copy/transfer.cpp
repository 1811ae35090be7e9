// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy/transfer.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "patchbay/plugin/host.h"

#include "core/base/cancellation.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/quiet_thread.h"
#include "core/base/stopped_at_end.h"
#include "core/output/delivery.h"
#include "core/runtime/copy/staging.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/memory/buffer_state.h"
#include "core/runtime/plugin/loader.h"

namespace patchbay::runtime {
namespace {

thread_local const TransferJob* current_job = nullptr;

/// Allocated early, while there is memory.
const FaultPtr& unknown_fault() {
  static const auto* const fault = new FaultPtr(std::make_shared<const Fault>(
      Fault{ErrorCode::kInternal, 0, "a copy failed, and no memory was left to say why"}));
  return *fault;
}

}  // namespace

// ------------------------------------------------------------------------------- one copy

TransferJob::TransferJob(Buffer to, Buffer from, Route route, std::size_t size_bytes,
                         std::function<void()> work)
    : Queue(to.device().name()),
      to_(std::move(to)),
      from_(std::move(from)),
      to_device_(to_.state()->device.get()),
      from_device_(from_.state()->device.get()),
      route_(route),
      size_bytes_(size_bytes),
      work_(std::move(work)) {}

void TransferJob::wait_on_host(std::uint64_t sequence, std::string_view operation,
                               std::uint64_t deadline_ns) {
  if (!home.is_here()) [[unlikely]]
    home.check(operation, describe());
  if (!ends_by(deadline_ns)) {
    base::raise(ErrorCode::kTimedOut,
                "[{}] the deadline passed during {}. Nothing is lost: wait again.", operation,
                describe());
  }
  if (const FaultPtr fault = progress->fault_at(sequence)) throw memory_error(*fault, operation);
}

bool TransferJob::is_ordered_here() const noexcept { return Transfer::current() != nullptr; }

void TransferJob::finish_quietly() noexcept {
  const base::CancellationOff not_cancelled;
  if (home.is_here()) ends_by(PATCHBAY_NO_DEADLINE);
}

bool TransferJob::ends_by(std::uint64_t deadline_ns) {
  std::unique_lock lock(mutex_);
  while (!is_ended_) {
    if (base::now_ns() >= deadline_ns) return false;
    base::wait_until(ended_, lock, deadline_ns);
  }
  return true;
}

bool TransferJob::has_ended() {
  const std::scoped_lock lock(mutex_);
  return is_ended_;
}

void TransferJob::attempt() {
  for (const auto& job : after) {
    if (job->fault_) {
      fault_ = job->fault_;
      return;
    }
  }
  try {
    work_();
  } catch (const Error& error) {
    fail(error);
  } catch (const std::bad_alloc&) {
    fail({ErrorCode::kOutOfMemory, "no memory is left on the host"});
  } catch (const std::exception& error) {
    fail({ErrorCode::kInternal, "an exception: " + base::one_line(error.what())});
  } catch (...) {
    fail({ErrorCode::kInternal, "an exception of an unknown type"});
  }
}

void TransferJob::fail(const Error& error) {
  fault_ = std::make_shared<const Fault>(fault_of_step(error, describe(), to_device_->is_lost()));
}

std::string TransferJob::describe() const {
  return fmt::format("the copy of {} bytes from {} to {} ({})", size_bytes_,
                     from_device_->info.name_text, to_device_->info.name_text, to_string(route_));
}

/// Called by `run` alone.
void TransferJob::release() noexcept {
  work_ = nullptr;
  after.clear();
  from_ = Buffer();
  to_ = Buffer();
}

/// So that waiters do not wait for ever once the process is ending.
void TransferJob::cancel() noexcept {
  try {
    fault_ = std::make_shared<const Fault>(
        Fault{ErrorCode::kInternal, 0, "the process ended before " + describe()});
  } catch (const std::bad_alloc&) {
    fault_ = unknown_fault();
  }
  end();
}

void TransferJob::end() noexcept {
  const std::scoped_lock lock(mutex_);
  if (fault_) progress->fail(fault_);
  progress->pass(kPosition);
  is_ended_ = true;
  ended_.notify_all();
}

void TransferJob::run() noexcept {
  current_job = this;
  try {
    attempt();
  } catch (...) {  // no memory for the text, or an exception of another library
    fault_ = unknown_fault();
  }
  end();  // first, because the ends of the buffers would wait for this copy
  release();
  current_job = nullptr;
}

// ------------------------------------------------------------------------------- the queue

struct Transfer::State {
  std::mutex mutex;
  std::condition_variable added, ended;
  std::deque<std::shared_ptr<TransferJob>> jobs;  // if is_busy, the first one is being made
  std::weak_ptr<StagingRing> last_ring;
  std::uint64_t num_ended = 0;
  bool is_busy = false, stops = false, is_stopped_at_exit = false;

  /// Makes the first copy. Called by the thread that set is_busy.
  void make_first(std::unique_lock<std::mutex>& lock) noexcept {
    const std::shared_ptr<TransferJob> job = jobs.front();
    lock.unlock();
    job->run();
    lock.lock();
    is_busy = false;
    jobs.pop_front();
    ++num_ended;
    ended.notify_all();
    if (!jobs.empty()) added.notify_one();
  }

  /// No driver may be called then. Waits a second at most for a copy that is running.
  void stop_at_process_end() {
    std::unique_lock lock(mutex);
    stops = true;
    added.notify_all();
    ended.wait_for(lock, std::chrono::seconds(1), [this] { return !is_busy; });
    // The other copies keep their buffers, but waiters are released.
    for (std::size_t i = is_busy ? 1 : 0; i < jobs.size(); ++i) jobs[i]->cancel();
    ended.notify_all();
  }
};

const TransferJob* Transfer::current() { return current_job; }

Transfer::Transfer() : state_(std::make_shared<State>()) { unknown_fault(); }

Transfer::~Transfer() {
  if (!thread_.joinable()) return;
  const base::CancellationOff not_cancelled;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->stops = true;
    state_->added.notify_all();
  }
  // If the last copy kept the runtime alive, this is the thread itself.
  if (thread_.get_id() == std::this_thread::get_id() || process_is_ending()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void Transfer::run_all(const std::shared_ptr<State>& state) {
  const output::ServiceThread service;
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->added.wait(
        lock, [&state] { return state->stops || (!state->jobs.empty() && !state->is_busy); });
    if (state->stops) return;
    state->is_busy = true;
    state->make_first(lock);
  }
}

/// The caller holds the mutex.
void Transfer::check_open() {
  if (state_->stops) {
    base::raise(ErrorCode::kInternal, "[copy] the process is ending: nothing is staged any more.");
  }
  if (!std::exchange(state_->is_stopped_at_exit, true)) base::StoppedAtEnd<State>::add(state_);
}

void Transfer::add(std::shared_ptr<TransferJob> job, const std::shared_ptr<StagingRing>& ring) {
  const std::scoped_lock lock(state_->mutex);
  check_open();
  if (!thread_.joinable()) {
    thread_ = base::start_quiet_thread("copy", [state = state_] { run_all(state); });
  }
  state_->jobs.push_back(std::move(job));
  if (ring) state_->last_ring = ring;
  state_->added.notify_one();
}

std::optional<Transfer::OwnCopy> Transfer::take_over(const std::shared_ptr<TransferJob>& job,
                                                     const std::shared_ptr<StagingRing>& ring) {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->jobs.empty()) return std::nullopt;
  check_open();
  state_->jobs.push_back(job);
  state_->is_busy = true;
  if (ring) state_->last_ring = ring;
  return OwnCopy(state_);
}

Transfer::OwnCopy::~OwnCopy() {
  if (state_ == nullptr) return;
  const base::CancellationOff not_cancelled;
  std::unique_lock lock(state_->mutex);
  state_->make_first(lock);
}

/// The number of the last queued copy that concerns the device, counted over all copies.
std::uint64_t Transfer::number_of_last(const DeviceState* device) const {
  std::uint64_t last = 0, number = state_->num_ended;
  for (const auto& job : state_->jobs) {
    ++number;
    if (job->concerns(device)) last = number;
  }
  return last;
}

void Transfer::finish_for_memory(const DeviceState& device) {
  if (current_job != nullptr) return;
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLook(5), kLongest(500);
  std::unique_lock lock(state_->mutex);
  const std::uint64_t wanted = number_of_last(&device);
  std::uint64_t seen = state_->num_ended;
  auto since = Clock::now();
  while (state_->num_ended < wanted && !state_->stops) {
    if (state_->num_ended != seen || !state_->jobs.front()->has_ended()) {
      seen = state_->num_ended;
      since = Clock::now();
    } else if (Clock::now() - since > kLongest) {
      return;
    }
    state_->ended.wait_for(lock, kLook);
  }
}

bool Transfer::finish(const DeviceState* device, std::uint64_t deadline_ns) {
  if (current_job != nullptr) return true;
  std::unique_lock lock(state_->mutex);
  const std::uint64_t wanted = number_of_last(device);
  while (state_->num_ended < wanted && !state_->stops) {
    if (base::now_ns() >= deadline_ns) return false;
    base::wait_until(state_->ended, lock, deadline_ns);
  }
  return true;
}

std::shared_ptr<StagingRing> Transfer::last_ring() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->last_ring.lock();
}

}  // namespace patchbay::runtime
