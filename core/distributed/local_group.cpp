// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/distributed/local_group.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/base/quiet_thread.h"
#include "core/distributed/local_collectives.h"
#include "core/runtime/plugin/loader.h"
#include "core/tensor/base/tensor_impl.h"

namespace patchbay::distributed {
namespace {

using runtime::raise;

/// An operation that members ask for, and those that have come.
struct Meeting {
  std::shared_ptr<Operation> operation;
  std::uint64_t number = 0;
  std::uint64_t deadline_ns = UINT64_MAX;
  std::chrono::nanoseconds timeout{0};
  std::vector<std::optional<Request>> requests;  // by rank

  bool has_all() const {
    return std::ranges::all_of(requests, [](const auto& each) { return each.has_value(); });
  }
};

struct MemberState {
  std::uint64_t num_calls = 0;
  bool is_lost = false;
  std::string reason;
};

/// Shared by the members and the thread, which may outlive them by an operation.
class Group {
 public:
  Group(const std::vector<Device>& all, std::chrono::nanoseconds limit)
      : devices(all), timeout_(limit), members_(all.size()) {}

  std::shared_ptr<Operation> post(std::size_t rank, Request request);
  void abort(const std::string& reason);
  void lose(std::size_t rank, const std::string& reason);
  std::vector<MemberHealth> health();
  /// The thread's work.
  void run();
  /// Ends the thread once nothing is left to do. Called by the last member.
  void stop() noexcept;
  /// No driver is called any more. Waits a second at most for the operation that runs.
  void stop_at_process_end();

  const std::vector<Device> devices;
  const runtime::HomeProcess home;
  std::thread thread;  // started and joined under the rules of `post` and the last member

 private:
  Meeting& meeting_of(std::uint64_t number, const Request& request);
  std::optional<Error> failure_of(const Meeting& meeting) const;
  std::string name_of(std::size_t rank) const {
    return fmt::format("rank {} ({})", rank, devices[rank].name());
  }
  void wait(std::unique_lock<std::mutex>& lock);
  void end_first(std::unique_lock<std::mutex>& lock, std::exception_ptr failure);
  bool take_step(std::unique_lock<std::mutex>& lock);
  void carry_out_first(std::unique_lock<std::mutex>& lock);

  const std::chrono::nanoseconds timeout_;
  std::mutex mutex_;
  std::condition_variable changed_, ended_;
  std::vector<MemberState> members_;
  std::deque<Meeting> meetings_;
  std::uint64_t first_ = 0;  // the number of the first meeting
  std::optional<Error> failure_;
  bool stops_ = false, is_busy_ = false;
};

/// The groups to stop when the process ends.
struct AllGroups {
  std::mutex mutex;
  std::vector<std::weak_ptr<Group>> groups;
};
constinit runtime::OfProcess<AllGroups> all_groups;

/// Drivers were loaded before the first group, so their exit handlers run after this one.
void stop_at_process_end(const std::shared_ptr<Group>& group) {
  static const int registered = std::atexit([] {
    AllGroups* const all = all_groups.find();
    if (all == nullptr) return;
    std::unique_lock lock(all->mutex);
    const auto groups = all->groups;
    lock.unlock();
    for (const std::weak_ptr<Group>& each : groups) {
      if (const auto held = each.lock()) held->stop_at_process_end();
    }
  });
  static_cast<void>(registered);
  AllGroups& all = all_groups.get();
  const std::scoped_lock lock(all.mutex);
  std::erase_if(all.groups, [](const auto& each) { return each.expired(); });
  all.groups.push_back(group);
}

// -------------------------------------------------------------------------------- members ---

/// Operations of other groups on the tensor come first: this thread waits for them.
void finish_other_groups(const Group& group, const Tensor& tensor, bool writes,
                         const char* operation) {
  if (!tensor.defined()) return;
  for (const runtime::Position& use : tensor.impl()->buffer().uses_before(writes)) {
    const auto* const other = dynamic_cast<const Operation*>(use.queue.get());
    if (other == nullptr || other->is_of(&group)) continue;
    use.inherited ? use.queue->finish_quietly() : use.queue->wait_on_host(use.sequence, operation);
  }
}

void note_use(const std::shared_ptr<Operation>& operation, const Tensor& tensor, bool writes) {
  if (!tensor.defined()) return;
  tensor.impl()->buffer().note_use(operation, Operation::kPosition, writes);
}

Meeting& Group::meeting_of(std::uint64_t number, const Request& request) {
  if (number - first_ == meetings_.size()) {
    Meeting& made = meetings_.emplace_back();
    made.operation = std::make_shared<Operation>(to_string(request.kind), this);
    made.number = number;
    made.timeout = request.timeout.value_or(timeout_);
    made.deadline_ns = runtime::deadline_after(made.timeout.count());
    made.requests.resize(devices.size());
  }
  return meetings_[number - first_];
}

std::shared_ptr<Operation> Group::post(std::size_t rank, Request request) {
  const char* const name = to_string(request.kind);
  home.check(name, devices[rank].name());
  const bool reads_and_writes = request.in.defined() && request.out.defined();
  finish_other_groups(*this, request.in, /*writes=*/false, name);
  finish_other_groups(*this, request.out, /*writes=*/true, name);
  const std::scoped_lock lock(mutex_);
  if (failure_) throw Error(*failure_);
  if (stops_) raise(ErrorCode::kInternal, "[{}] the process is ending.", name);
  Meeting& meeting = meeting_of(members_[rank].num_calls, request);
  if (const auto failure = failure_of(meeting)) throw Error(*failure);
  if (!thread.joinable()) {
    thread = runtime::start_quiet_thread(name, [this] { run(); });
  }
  const bool is_same = reads_and_writes && request.in.is_same(request.out);
  if (!is_same) note_use(meeting.operation, request.in, /*writes=*/false);
  note_use(meeting.operation, request.out, /*writes=*/true);
  meeting.requests[rank] = std::move(request);
  ++members_[rank].num_calls;
  changed_.notify_all();
  return meeting.operation;
}

void Group::abort(const std::string& reason) {
  home.check("abort", devices[0].name());
  const std::scoped_lock lock(mutex_);
  if (failure_) return;
  failure_ = Error(ErrorCode::kLaunchFailed,
                   fmt::format("[ProcessGroup] the group was aborted: {}. Make a new group.",
                               reason.empty() ? "no reason was given" : reason));
  changed_.notify_all();
}

void Group::lose(std::size_t rank, const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  MemberState& member = members_[rank];
  if (std::exchange(member.is_lost, true)) return;
  member.reason = reason.empty() ? "no reason was given" : reason;
  changed_.notify_all();
}

std::vector<MemberHealth> Group::health() {
  home.check("health", devices[0].name());
  const std::scoped_lock lock(mutex_);
  std::vector<MemberHealth> result;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const MemberState& member = members_[i];
    result.push_back(
        {static_cast<int>(i), devices[i], member.is_lost, member.reason, member.num_calls});
  }
  return result;
}

// --------------------------------------------------------------------------------- thread ---

/// Why the operation can't be carried out any more.
std::optional<Error> Group::failure_of(const Meeting& meeting) const {
  const char* const name = meeting.operation->name();
  std::string missing;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (meeting.requests[i]) continue;
    const MemberState& member = members_[i];
    if (member.is_lost && member.num_calls <= meeting.number) {
      return Error(ErrorCode::kLaunchFailed,
                   fmt::format("[{}] {} is lost: {}. Make a new group without it.", name,
                               name_of(i), member.reason));
    }
    missing += (missing.empty() ? "" : ", ") + name_of(i);
  }
  if (missing.empty()) return {};
  if (failure_) return failure_;
  if (runtime::now_ns() < meeting.deadline_ns) return {};
  return Error(
      ErrorCode::kTimedOut,
      fmt::format("[{}] members did not come: expected all {} within {} ms, got none of "
                  "{}. Make the same calls on all members, and a new group.",
                  name, devices.size(),
                  std::chrono::duration_cast<std::chrono::milliseconds>(meeting.timeout).count(),
                  missing));
}

void Group::wait(std::unique_lock<std::mutex>& lock) {
  if (meetings_.empty() || meetings_.front().deadline_ns == UINT64_MAX) return changed_.wait(lock);
  const std::uint64_t now = runtime::now_ns(), deadline = meetings_.front().deadline_ns;
  constexpr std::uint64_t kMost = 1'000'000'000;  // against overflow
  if (now < deadline) {
    changed_.wait_for(lock, std::chrono::nanoseconds(std::min(deadline - now, kMost)));
  }
}

/// Ends the operation before its tensors, whose ends would wait for it.
void Group::end_first(std::unique_lock<std::mutex>& lock, std::exception_ptr failure) {
  Meeting ended = std::move(meetings_.front());
  meetings_.pop_front();
  ++first_;
  lock.unlock();
  ended.operation->end(std::move(failure));
  ended.requests.clear();
  lock.lock();
}

/// What the operation throws; null if it succeeds.
std::exception_ptr failure_in(const std::vector<Request>& requests,
                              const std::vector<Device>& devices) noexcept {
  try {
    if (const auto why = mismatch(requests, devices)) throw Error(*why);
    carry_out(requests);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

void Group::carry_out_first(std::unique_lock<std::mutex>& lock) {
  std::vector<Request> requests;
  for (auto& each : meetings_.front().requests) requests.push_back(*each);
  is_busy_ = true;
  lock.unlock();
  std::exception_ptr failure = failure_in(requests, devices);
  requests.clear();
  lock.lock();
  is_busy_ = false;
  ended_.notify_all();
  end_first(lock, std::move(failure));
}

/// Deals with the first operation, or waits. False if the thread is to end.
bool Group::take_step(std::unique_lock<std::mutex>& lock) {
  if (meetings_.empty()) {
    if (stops_) return false;
    wait(lock);
  } else if (const std::optional<Error> failure = failure_of(meetings_.front())) {
    // Later operations would be mixed up with one that did not take place.
    if (!failure_ && failure->code() == ErrorCode::kTimedOut) failure_ = failure;
    end_first(lock, std::make_exception_ptr(*failure));
  } else if (meetings_.front().has_all()) {
    carry_out_first(lock);
  } else {
    wait(lock);
  }
  return true;
}

void Group::run() {
  const Operation::Running running;
  std::unique_lock lock(mutex_);
  for (;;) {
    try {
      if (!take_step(lock)) return;
    } catch (const std::bad_alloc&) {
      if (!meetings_.empty()) end_first(lock, std::current_exception());
    }
  }
}

void Group::stop() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
    changed_.notify_all();
  }
  if (!thread.joinable()) return;
  runtime::process_is_ending() ? thread.detach() : thread.join();
}

void Group::stop_at_process_end() {
  if (!home.is_here()) return;
  std::unique_lock lock(mutex_);
  stops_ = true;
  if (!failure_) failure_ = Error(ErrorCode::kInternal, "[ProcessGroup] the process is ending.");
  changed_.notify_all();
  ended_.wait_for(lock, std::chrono::seconds(1), [this] { return !is_busy_; });
}

// --------------------------------------------------------------------------------- handle ---

/// Joins the thread with the last member. Left alone in a child of fork, which has no such thread.
std::shared_ptr<Group> make_group(const std::vector<Device>& devices,
                                  std::chrono::nanoseconds timeout) {
  return {new Group(devices, timeout), [](Group* group) {
            if (!group->home.is_here()) return;
            group->stop();
            if (!runtime::process_is_ending()) delete group;
          }};
}

class LocalMember final : public Member {
 public:
  LocalMember(std::shared_ptr<Group> group, std::size_t rank)
      : group_(std::move(group)), rank_(rank) {}
  ~LocalMember() override {
    if (!group_->home.is_here()) return;
    try {
      group_->lose(rank_, "its handle was dropped");
    } catch (const std::bad_alloc&) {
      // The others' deadlines remain.
    }
  }

  int rank() const override { return static_cast<int>(rank_); }
  const std::vector<Device>& devices() const override { return group_->devices; }

  std::shared_ptr<Operation> post(Request request) override {
    struct Entry {
      explicit Entry(std::atomic<bool>& flag) : is_inside(flag), is_first(!flag.exchange(true)) {}
      ~Entry() {
        if (is_first) is_inside.store(false);
      }
      std::atomic<bool>& is_inside;
      const bool is_first;
    } const entry(is_inside_);
    if (!entry.is_first) {
      raise(ErrorCode::kInUse,
            "[{}] two threads use one member at once: expected one thread for rank {} ({}), got "
            "another one inside a call. The order of their calls would be undefined.",
            to_string(request.kind), rank_, group_->devices[rank_].name());
    }
    return group_->post(rank_, std::move(request));
  }
  void abort(const std::string& reason) override { group_->abort(reason); }
  void leave(const std::string& reason) override {
    group_->home.check("leave", group_->devices[rank_].name());
    group_->lose(rank_, reason);
  }
  std::vector<MemberHealth> health() override { return group_->health(); }

 private:
  const std::shared_ptr<Group> group_;
  const std::size_t rank_;
  std::atomic<bool> is_inside_{false};
};

}  // namespace

std::vector<std::shared_ptr<Member>> make_local_group(const std::vector<Device>& devices,
                                                      std::chrono::nanoseconds timeout) {
  const std::shared_ptr<Group> group = make_group(devices, timeout);
  stop_at_process_end(group);
  std::vector<std::shared_ptr<Member>> members;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    members.push_back(std::make_shared<LocalMember>(group, i));
  }
  return members;
}

}  // namespace patchbay::distributed
