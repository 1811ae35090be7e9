// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/distributed/local_group.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/cancellation.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/base/quiet_thread.h"
#include "core/base/stopped_at_end.h"
#include "core/distributed/host_operation.h"
#include "core/distributed/local_collectives.h"
#include "core/output/delivery.h"
#include "core/runtime/copy/copy.h"
#include "core/runtime/plugin/loader.h"
#include "core/runtime/plugin/process_end.h"
#include "core/tensor/base/tensor_impl.h"

namespace patchbay::distributed {
namespace {

using base::raise;

/// An operation that members ask for. It is open until all have come, and then waits for its turn.
/// It leaves the list under the lock: for the thread to carry it out, or because it is dead.
struct CollectiveState {
  std::shared_ptr<HostOperation> operation;
  std::uint64_t deadline_ns = UINT64_MAX;
  std::chrono::nanoseconds timeout{0};
  std::vector<std::optional<Request>> requests;  // by rank
  std::uint64_t num_before = 0;  // of a dead one: the operations that must end before it settles

  bool is_open() const {
    return !std::ranges::all_of(requests, [](const auto& each) { return each.has_value(); });
  }
};

struct MemberState {
  std::uint64_t num_calls = 0;
  bool is_lost = false;
  std::string reason;
};

/// Why the operations from a number on can't take place: a lost member, or a failure.
struct Cause {
  std::uint64_t from = 0;
  std::optional<std::size_t> lost_rank;
  std::exception_ptr failure;  // null if a member is lost
};

/// Shared by the members and the thread, which may outlive them: a device may hang. What makes an
/// operation impossible does so for all later ones, too. So the dead ones are always the last ones,
/// and the numbers of the others stay.
class Group : public std::enable_shared_from_this<Group> {
 public:
  Group(const std::vector<Device>& all, std::unique_ptr<Carrier> carries,
        std::chrono::nanoseconds limit)
      : devices(all),
        carrier(std::move(carries)),
        timeout_(limit),
        members_(all.size()),
        num_handles_(all.size()) {
    causes_.reserve(1);  // the first one needs no memory
  }

  std::shared_ptr<HostOperation> post(std::size_t rank, Request request);
  void abort(const std::string& reason);
  void lose(std::size_t rank, const std::string& reason);
  /// Loses the member; the last one ends the thread. Waits for it, but not for ever.
  void drop(std::size_t rank) noexcept;
  std::vector<MemberHealth> health();
  /// For those who wait for an operation: the thread may itself wait for a device.
  void keep_deadlines() noexcept;
  /// No driver is called any more. Waits a second at most for the operation that runs.
  void stop_at_process_end();

  const std::vector<Device> devices;
  const std::unique_ptr<Carrier> carrier;
  const base::HomeProcess home;

 private:
  std::string name_of(std::size_t rank) const {
    return fmt::format("rank {} ({})", carrier->first_rank() + rank, devices[rank].name());
  }
  Error loss_of(const char* operation, std::size_t rank) const;
  Error lateness_of(const CollectiveState& collective) const;
  std::exception_ptr failure_of(const char* operation, std::uint64_t number) const noexcept;
  std::string failure_text() const;
  std::shared_ptr<HostOperation> join(std::size_t rank, Request request);
  std::shared_ptr<HostOperation> add(std::size_t rank, Request& request);
  CollectiveState& collective_of(std::uint64_t number, const Request& request);
  void note_loss(std::size_t rank, std::string reason) noexcept;
  void fail_from(std::uint64_t number, std::exception_ptr failure) noexcept;
  void add_cause(Cause cause) noexcept;
  void end_late() noexcept;
  void end_dead() noexcept;
  std::uint64_t num_before(const CollectiveState& dead) const noexcept;
  void settle_dead() noexcept;

  void stop(std::unique_lock<std::mutex>& lock) noexcept;
  void run() noexcept;
  const MemberState* leaver() const noexcept;
  void leave(const MemberState& lost, std::unique_lock<std::mutex>& lock) noexcept;
  void wait(std::unique_lock<std::mutex>& lock);
  void carry_out_first(std::unique_lock<std::mutex>& lock) noexcept;
  void release(std::list<CollectiveState>& collectives,
               std::unique_lock<std::mutex>& lock) noexcept;

  const std::chrono::nanoseconds timeout_;
  std::mutex mutex_;  // for all that follows; taken before an operation's
  std::condition_variable changed_, ended_;
  std::vector<MemberState> members_;
  std::size_t num_handles_;
  std::list<CollectiveState> collectives_, running_;  // running: one at most
  std::uint64_t first_ = 0;                           // the number of the first collective
  std::list<CollectiveState> dead_, settled_;         // settled: the thread releases their tensors
  std::vector<Cause> causes_;  // by time; each begins at a lower number than the last
  std::thread thread_;         // started by the first call
  bool is_running_ = false, stops_ = false, has_left_ = false;
};

// -------------------------------------------------------------------------------- members ---

/// The error that `make` returns; another one if there is no memory.
template <class Make>
std::exception_ptr made(Make make) noexcept {
  try {
    return std::make_exception_ptr(make());
  } catch (...) {
    return std::current_exception();
  }
}

/// Operations of other groups on the tensor come first: this thread waits for them.
void finish_other_groups(const Group& group, const Tensor& tensor, bool writes,
                         const char* operation) {
  if (!tensor.defined()) return;
  for (const runtime::Position& use : tensor.impl()->buffer().uses_before(writes)) {
    const auto* const other = dynamic_cast<const HostOperation*>(use.queue.get());
    if (other == nullptr || other->is_of(&group)) continue;
    if (use.inherited) {
      use.queue->finish_quietly();
    } else {
      use.queue->wait_on_host(use.sequence, operation, PATCHBAY_NO_DEADLINE);
    }
  }
}

void note_use(const std::shared_ptr<HostOperation>& operation, const Tensor& tensor, bool writes) {
  if (!tensor.defined()) return;
  tensor.impl()->buffer().note_use(operation, HostOperation::kPosition, writes);
}

/// Adds nothing if it fails.
CollectiveState& Group::collective_of(std::uint64_t number, const Request& request) {
  const std::uint64_t index = number - first_;
  if (index < collectives_.size()) {
    return *std::next(collectives_.begin(), static_cast<std::ptrdiff_t>(index));
  }
  std::list<CollectiveState> made(1);
  CollectiveState& collective = made.back();
  collective.timeout = request.timeout.value_or(timeout_);
  collective.deadline_ns = base::deadline_after(collective.timeout.count());
  collective.requests.resize(devices.size());
  collective.operation = std::make_shared<HostOperation>(
      to_string(request.kind), this, collective.deadline_ns, [group = weak_from_this()] {
        if (const auto held = group.lock()) held->keep_deadlines();
      });
  collectives_.splice(collectives_.end(), made);
  return collective;
}

std::shared_ptr<HostOperation> Group::post(std::size_t rank, Request request) {
  const base::CancellationOff not_cancelled;
  const char* const name = to_string(request.kind);
  home.check(name, devices[rank].name());
  try {
    finish_other_groups(*this, request.in, /*writes=*/false, name);
    finish_other_groups(*this, request.out, /*writes=*/true, name);
  } catch (...) {
    Request refused;
    refused.kind = request.kind;
    refused.refusal = own_current_exception();
    static_cast<void>(join(rank, std::move(refused)));
    throw;
  }
  return join(rank, std::move(request));
}

/// If the call can't be noted, the group fails from that number on. Otherwise the other members'
/// calls would be paired with this member's next one.
std::shared_ptr<HostOperation> Group::join(std::size_t rank, Request request) {
  const Kind kind = request.kind;
  const std::scoped_lock lock(mutex_);
  const std::uint64_t number = members_[rank].num_calls;
  if (const auto failure = failure_of(to_string(kind), number)) throw_own(failure);
  try {
    return add(rank, request);
  } catch (...) {
    fail_from(number, made([&] {
                const Error why = refusal_of(kind, name_of(rank), std::current_exception());
                return Error(why.code(), fmt::format("{} Make a new group.", why.what()));
              }));
    throw;
  }
}

/// The caller holds the lock.
std::shared_ptr<HostOperation> Group::add(std::size_t rank, Request& request) {
  MemberState& member = members_[rank];
  if (!is_running_) {
    thread_ = base::start_quiet_thread(to_string(request.kind),
                                       [self = shared_from_this()] { self->run(); });
    is_running_ = true;
  }
  CollectiveState& collective = collective_of(member.num_calls, request);
  const bool reads_and_writes = request.in.defined() && request.out.defined();
  const bool is_same = reads_and_writes && request.in.is_same(request.out);
  if (!is_same) note_use(collective.operation, request.in, /*writes=*/false);
  note_use(collective.operation, request.out, /*writes=*/true);
  collective.requests[rank] = std::move(request);
  ++member.num_calls;
  if (!collective.is_open()) collective.operation->all_have_come.store(true);
  changed_.notify_all();
  return collective.operation;
}

void Group::abort(const std::string& reason) {
  home.check("abort", devices[0].name());
  const Error error(ErrorCode::kLaunchFailed,
                    fmt::format("[ProcessGroup] the group was aborted: {}. Make a new group.",
                                reason.empty() ? "no reason was given" : base::one_line(reason)));
  {
    const std::scoped_lock lock(mutex_);
    fail_from(first_, std::make_exception_ptr(error));
  }
  carrier->interrupt(reason);
}

void Group::lose(std::size_t rank, const std::string& reason) {
  std::string text = reason.empty() ? "no reason was given" : base::one_line(reason);
  std::unique_lock lock(mutex_);
  note_loss(rank, text);
  changed_.notify_all();
  if (is_running_) return;  // the thread leaves, after the operations that can still take place
  lock.unlock();
  carrier->leave(text);
}

std::vector<MemberHealth> Group::health() {
  home.check("health", devices[0].name());
  const std::scoped_lock lock(mutex_);
  const std::string failure = failure_text();
  std::vector<MemberHealth> result = carrier->members();
  for (MemberHealth& each : result) each.group_failure = failure;
  for (std::size_t i = 0; i < members_.size(); ++i) {  // those of this process
    MemberHealth& own = result[carrier->first_rank() + i];
    own.is_lost = members_[i].is_lost;
    own.reason = members_[i].reason;
    own.num_calls = members_[i].num_calls;
  }
  return result;
}

// ------------------------------------------------------------------------------- failures ---

Error Group::loss_of(const char* operation, std::size_t rank) const {
  return {ErrorCode::kLaunchFailed, fmt::format("[{}] {} is lost: {}. Make a new group without it.",
                                                operation, name_of(rank), members_[rank].reason)};
}

Error Group::lateness_of(const CollectiveState& collective) const {
  std::string missing;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!collective.requests[i]) missing += (missing.empty() ? "" : ", ") + name_of(i);
  }
  return {
      ErrorCode::kTimedOut,
      fmt::format("[{}] members did not come within {} ms: {}. Make the same calls on all members, "
                  "and a new group.",
                  collective.operation->name(),
                  std::chrono::duration_cast<std::chrono::milliseconds>(collective.timeout).count(),
                  missing)};
}

/// Why the operation with that number can't take place; null if it can. The first cause is the one
/// to name: members that see the group fail give up, and are lost later.
std::exception_ptr Group::failure_of(const char* operation, std::uint64_t number) const noexcept {
  for (const Cause& each : causes_) {
    if (number < each.from) continue;
    return each.lost_rank ? made([&] { return loss_of(operation, *each.lost_rank); })
                          : each.failure;
  }
  return nullptr;
}

/// Why some operation will fail; empty if none will.
std::string Group::failure_text() const {
  const std::exception_ptr failure = failure_of("ProcessGroup", UINT64_MAX);
  if (failure == nullptr) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

void Group::note_loss(std::size_t rank, std::string reason) noexcept {
  MemberState& member = members_[rank];
  if (std::exchange(member.is_lost, true)) return;
  member.reason = std::move(reason);
  add_cause({.from = member.num_calls, .lost_rank = rank, .failure = nullptr});
}

/// Fails the operations from that number on, unless they fail already.
void Group::fail_from(std::uint64_t number, std::exception_ptr failure) noexcept {
  add_cause({.from = number, .lost_rank = {}, .failure = std::move(failure)});
}

/// Operations that fail already keep their cause. Without memory the last cause is extended to the
/// new operations.
void Group::add_cause(Cause cause) noexcept {
  if (!causes_.empty() && cause.from >= causes_.back().from) return;
  try {
    causes_.push_back(std::move(cause));
  } catch (const std::bad_alloc&) {
    causes_.back().from = cause.from;
  }
  end_dead();
}

/// The first open operation whose deadline has passed fails. Later ones would be mixed up with it.
void Group::end_late() noexcept {
  const std::uint64_t now = base::now_ns();
  std::uint64_t number = first_;
  for (const CollectiveState& each : collectives_) {
    if (now >= each.deadline_ns && each.is_open()) {
      return fail_from(number, made([&] { return lateness_of(each); }));
    }
    ++number;
  }
}

/// Called after each change that may make operations impossible. Leaves their tensors to the
/// thread, because releasing one may wait for a device.
void Group::end_dead() noexcept {
  const std::size_t num_known = dead_.size();
  while (!collectives_.empty()) {
    const HostOperation& last = *collectives_.back().operation;
    const auto failure = failure_of(last.name(), first_ + collectives_.size() - 1);
    if (failure == nullptr) break;
    collectives_.back().operation->end(failure);
    dead_.splice(dead_.begin(), collectives_, std::prev(collectives_.end()));
  }
  if (dead_.size() == num_known) return;
  for (CollectiveState& each : dead_) each.num_before = num_before(each);
  settle_dead();
  changed_.notify_all();
}

/// Whether the failure of a dead operation would stay with memory that the other one uses.
bool spoils(const CollectiveState& dead, const CollectiveState& other) noexcept {
  const auto uses = [](const Tensor& tensor, const Tensor& written) {
    return tensor.defined() && &tensor.impl()->buffer() == &written.impl()->buffer();
  };
  for (const auto& from : dead.requests) {
    if (!from || !from->out.defined()) continue;
    for (const auto& to : other.requests) {
      if (to && (uses(to->in, from->out) || uses(to->out, from->out))) return true;
    }
  }
  return false;
}

/// How many operations, counted from the group's first one, are to end before this one settles.
std::uint64_t Group::num_before(const CollectiveState& dead) const noexcept {
  std::uint64_t number = first_ + collectives_.size();
  for (auto each = collectives_.rbegin(); each != collectives_.rend(); ++each, --number) {
    if (spoils(dead, *each)) return number;
  }
  return !running_.empty() && spoils(dead, running_.front()) ? first_ : 0;
}

/// Earlier operations that go on do not find the failures of later ones in their tensors.
void Group::settle_dead() noexcept {
  const std::uint64_t num_ended = first_ - running_.size();
  for (auto each = dead_.begin(); each != dead_.end();) {
    const auto dead = each++;
    if (num_ended < dead->num_before) continue;
    dead->operation->settle();
    settled_.splice(settled_.end(), dead_, dead);
  }
}

void Group::keep_deadlines() noexcept {
  const std::scoped_lock lock(mutex_);
  end_late();
}

// --------------------------------------------------------------------------------- thread ---

/// Waits for a change or the next deadline.
void Group::wait(std::unique_lock<std::mutex>& lock) {
  std::uint64_t next_ns = UINT64_MAX;
  for (const CollectiveState& each : collectives_) {
    if (each.deadline_ns < next_ns && each.is_open()) next_ns = each.deadline_ns;
  }
  base::wait_until(changed_, lock, next_ns);
}

/// What the operation throws; null if it succeeds.
std::exception_ptr failure_in(const CollectiveState& collective, const std::vector<Device>& devices,
                              Carrier& carrier) noexcept {
  try {
    std::vector<Request> requests;
    for (const auto& each : collective.requests) requests.push_back(*each);
    if (const auto why = mismatch(requests, carrier.first_rank(), devices)) {
      carrier.refuse(*why);
      throw Error(*why);
    }
    carrier.carry_out(requests, {collective.deadline_ns, collective.timeout});
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// The operation ends before its tensors, whose ends would wait for it.
void Group::carry_out_first(std::unique_lock<std::mutex>& lock) noexcept {
  running_.splice(running_.begin(), collectives_, collectives_.begin());
  ++first_;
  lock.unlock();
  const CollectiveState& collective = running_.front();  // changed by this thread alone
  const std::exception_ptr failure = failure_in(collective, devices, *carrier);
  collective.operation->end(failure);
  collective.operation->settle();
  lock.lock();
  if (carrier->is_broken() && failure != nullptr) fail_from(first_, failure);
  release(running_, lock);
  settle_dead();
}

void Group::release(std::list<CollectiveState>& collectives,
                    std::unique_lock<std::mutex>& lock) noexcept {
  std::list<CollectiveState> released;
  released.swap(collectives);
  lock.unlock();
  released.clear();
  lock.lock();
}

void Group::run() noexcept {
  const HostOperation::Running running;
  const output::ServiceThread service;
  std::unique_lock lock(mutex_);
  for (;;) {
    end_late();
    if (!settled_.empty()) {
      release(settled_, lock);
    } else if (!collectives_.empty() && !collectives_.front().is_open()) {
      carry_out_first(lock);
    } else if (const MemberState* const lost = leaver()) {
      leave(*lost, lock);
    } else if (stops_) {
      break;  // without members, none is open
    } else {
      wait(lock);
    }
  }
  is_running_ = false;
  ended_.notify_all();
}

/// A lost member of this process, if the others have not been told.
const MemberState* Group::leaver() const noexcept {
  if (has_left_) return nullptr;
  const auto lost = std::ranges::find_if(members_, &MemberState::is_lost);
  return lost == members_.end() ? nullptr : &*lost;
}

/// The reason does not change any more.
void Group::leave(const MemberState& lost, std::unique_lock<std::mutex>& lock) noexcept {
  has_left_ = true;
  lock.unlock();
  carrier->leave(lost.reason);
  lock.lock();
}

void Group::drop(std::size_t rank) noexcept {
  std::string reason = "dropped";
  try {
    reason = "its handle was dropped";
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the short text needs no memory
  }
  std::unique_lock lock(mutex_);
  note_loss(rank, std::move(reason));
  if (--num_handles_ == 0) stop(lock);
}

/// A thread that does not end, because a device hangs or this is the thread, is left alone: it
/// keeps the group.
void Group::stop(std::unique_lock<std::mutex>& lock) noexcept {
  const base::CancellationOff not_cancelled;
  stops_ = true;
  changed_.notify_all();
  if (!thread_.joinable()) return;
  std::thread ending = std::move(thread_);
  const bool waits = ending.get_id() != std::this_thread::get_id() && !runtime::process_is_ending();
  const auto has_ended = [this] { return !is_running_; };
  const bool ends = waits && ended_.wait_for(lock, runtime::kPatience, has_ended);
  lock.unlock();
  if (!ends && waits) carrier->interrupt("its handle was dropped");
  ends ? ending.join() : ending.detach();
}

void Group::stop_at_process_end() {
  std::unique_lock lock(mutex_);
  stops_ = true;
  const Error error(ErrorCode::kInternal, "[ProcessGroup] the process is ending.");
  fail_from(first_, std::make_exception_ptr(error));
  changed_.notify_all();
  ended_.wait_for(lock, std::chrono::seconds(1), [this] { return !is_running_; });
}

// --------------------------------------------------------------------------------- handle ---

/// Left alone in a child of fork, and while the process ends.
std::shared_ptr<Group> make_group(const std::vector<Device>& devices,
                                  std::unique_ptr<Carrier> carrier,
                                  std::chrono::nanoseconds timeout) {
  return {new Group(devices, std::move(carrier), timeout), [](Group* group) {
            if (group->home.is_here() && !runtime::process_is_ending()) delete group;
          }};
}

class LocalMember final : public Member {
 public:
  LocalMember(std::shared_ptr<Group> group, std::size_t rank)
      : group_(std::move(group)), rank_(rank) {}
  ~LocalMember() override {
    if (group_->home.is_here()) group_->drop(rank_);
  }

  int rank() const override { return static_cast<int>(group_->carrier->first_rank() + rank_); }
  int size() const override { return static_cast<int>(group_->carrier->size()); }
  Device device() const override { return own(); }

  void check_guard(const char* operation, const Tensor& tensor) const override {
    const tensor::TensorImpl& impl = *tensor.impl();
    if (group_->carrier->size() > group_->devices.size()) {
      runtime::check_fetch_allowed(impl.buffer(), impl.packed_bytes(), operation);
      return;
    }
    const auto other =
        std::ranges::find_if(group_->devices, [&](const Device& each) { return each != own(); });
    if (other == group_->devices.end()) return;
    runtime::check_copy_allowed(other->state(), &impl.buffer(), impl.packed_bytes(), operation);
  }

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
            "[{}] two threads use one member at once, rank {} ({}): the order of their calls would "
            "be undefined. Use one thread for each member.",
            to_string(request.kind), rank(), own().name());
    }
    return group_->post(rank_, std::move(request));
  }
  void abort(const std::string& reason) override { group_->abort(reason); }
  void leave(const std::string& reason) override {
    group_->home.check("leave", own().name());
    group_->lose(rank_, reason);
  }
  std::vector<MemberHealth> health() override { return group_->health(); }

 private:
  const Device& own() const { return group_->devices[rank_]; }

  const std::shared_ptr<Group> group_;
  const std::size_t rank_;
  std::atomic<bool> is_inside_{false};
};

}  // namespace

std::vector<std::shared_ptr<Member>> make_local_group(const std::vector<Device>& devices,
                                                      std::unique_ptr<Carrier> carrier,
                                                      std::chrono::nanoseconds timeout) {
  const std::shared_ptr<Group> group = make_group(devices, std::move(carrier), timeout);
  base::StoppedAtEnd<Group>::add(group);
  std::vector<std::shared_ptr<Member>> members;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    members.push_back(std::make_shared<LocalMember>(group, i));
  }
  return members;
}

}  // namespace patchbay::distributed
