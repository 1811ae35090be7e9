// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An engine whose "processes" are the runtimes of one process, for groups that a test controls. The
// settings of a runtime are its place and a script of what goes wrong:
//
//   sim_engine_hub     a name that the runtimes of a group have in common
//   sim_engine_rank, sim_engine_size
//   sim_engine_script  events, separated by ';': `<what> <call>`, where calls of this member are
//                      counted from 0, the first being the one that joins
//     end 3        the process ends instead of starting call 3: all others see it at once
//     stop 3       it stops: it starts nothing from call 3 on, and does not answer
//     skip 3       it answers, and its call 3 does not reach the others
//     delay 3 20   call 3 reaches the others 20 ms later
//     after 3 4    call 3 is done for this member only after call 4 has been started
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/collective.hpp"

namespace patchbay::sim {
namespace {

using plugin::StatusError;

struct Event {
  std::string what;
  std::uint64_t call = 0, argument = 0;
};

std::vector<Event> read_script(const std::string& script) {
  std::vector<Event> events;
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line, ';');) {
    std::istringstream words(line);
    Event event;
    if (!(words >> event.what)) continue;
    if (!(words >> event.call)) plugin::invalid_argument("sim_engine_script: " + line);
    words >> event.argument;
    events.push_back(std::move(event));
  }
  return events;
}

std::size_t size_of(std::uint8_t dtype) {
#define PATCHBAY_SIZE(name, printed, NAME, number, size_bytes, kind, type, dlpack_code) \
  case number: return size_bytes;
  switch (dtype) { PATCHBAY_DTYPES(PATCHBAY_SIZE) }
#undef PATCHBAY_SIZE
  plugin::invalid_argument("no such dtype");
}

struct Failure {
  std::int32_t code;
  std::string message;
  std::optional<std::uint32_t> rank;
};

/// What one member has started under a number.
struct Started {
  std::vector<patchbay_transfer> transfers;
  std::string text;
  std::uint64_t arrives_ns = 0;  // where the others see it
  bool is_written = false;       // its memory has its elements
};

struct Member {
  std::uint64_t num_calls = 0;
  std::uint32_t state = PATCHBAY_MEMBER_WELL;
  std::string reason;
  std::uint64_t leaves_at = UINT64_MAX;
  bool answers = true;
  std::map<std::uint64_t, Started> calls;
};

/// All members of a group. One mutex is for all; waits poll, because calls arrive by time.
struct Hub {
  explicit Hub(std::size_t size) : members(size) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Member> members;
  std::size_t num_joined = 0;
  std::optional<Failure> failure;
};

struct Hubs {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Hub>> by_name;
};
Hubs& hubs() {
  static Hubs all;
  return all;
}

char* at(const patchbay_memory& memory, std::size_t offset) {
  return static_cast<char*>(memory.base) + memory.offset_bytes + offset;
}

void copy(const patchbay_memory& to, std::size_t to_offset, const patchbay_memory& from,
          std::size_t from_offset, std::size_t bytes) {
  if (bytes == 0 || at(to, to_offset) == at(from, from_offset)) return;
  std::memcpy(at(to, to_offset), at(from, from_offset), bytes);
}

/// The place of the `number`-th transfer of that kind with that peer.
const patchbay_transfer* find(const Started& started, int kind, std::uint32_t peer,
                              std::size_t number) {
  for (const patchbay_transfer& each : started.transfers) {
    if (each.kind == kind && each.peer == peer && number-- == 0) return &each;
  }
  return nullptr;
}

/// Makes what the transfers of all members write in member `own`'s memory.
void carry_out(const std::vector<const Started*>& all, std::uint32_t own) {
  std::map<std::uint32_t, std::size_t> received;
  for (std::size_t i = 0; i < all[own]->transfers.size(); ++i) {
    const patchbay_transfer& mine = all[own]->transfers[i];
    const std::size_t bytes = mine.kind == PATCHBAY_BARRIER ? 0 : mine.count * size_of(mine.dtype);
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
      const patchbay_transfer& theirs =
          all[rank]->transfers[std::min(i, all[rank]->transfers.size() - 1)];
      if (mine.kind == PATCHBAY_ALL_GATHER) copy(mine.to, rank * bytes, theirs.from, 0, bytes);
      if (mine.kind == PATCHBAY_ALL_TO_ALL) {
        copy(mine.to, rank * bytes, theirs.from, own * bytes, bytes);
      }
      if (mine.kind == PATCHBAY_BROADCAST && rank == mine.peer && rank != own) {
        copy(mine.to, 0, theirs.from, 0, bytes);
      }
      if (mine.kind == PATCHBAY_RECEIVE && rank == mine.peer) {
        const auto* const sent = find(*all[rank], PATCHBAY_SEND, own, received[rank]++);
        if (sent == nullptr || sent->count != mine.count) {
          plugin::invalid_argument("what is received is not what is sent");
        }
        copy(mine.to, 0, sent->from, 0, bytes);
      }
    }
  }
}

/// A member's side of the group, which its calls may outlive.
class Side : public std::enable_shared_from_this<Side> {
 public:
  Side(std::shared_ptr<Hub> hub, std::uint32_t rank, std::vector<Event> script, plugin::Host host)
      : hub_(std::move(hub)), rank_(rank), script_(std::move(script)), host_(host) {}

  std::unique_ptr<plugin::Work> start(const patchbay_call& call);

  void leave(std::string_view reason) noexcept {
    const std::scoped_lock lock(hub_->mutex);
    Member& own = hub_->members[rank_];
    own.leaves_at = own.num_calls;
    if (own.state == PATCHBAY_MEMBER_WELL) {
      own.state = PATCHBAY_MEMBER_LOST;
      own.reason = std::string(reason);
    }
    hub_->changed.notify_all();
  }
  void abort(std::string_view reason) noexcept {
    const std::scoped_lock lock(hub_->mutex);
    if (!hub_->failure) hub_->failure = Failure{PATCHBAY_LAUNCH_FAILED, std::string(reason), {}};
    hub_->changed.notify_all();
  }
  void health(const std::function<void(const plugin::MemberInfo&)>& found) const {
    const std::scoped_lock lock(hub_->mutex);
    for (std::uint32_t i = 0; i < hub_->members.size(); ++i) {
      const Member& each = hub_->members[i];
      found({i, each.state, each.num_calls, each.reason});
    }
  }

  /// Whether the call has ended for this member. Throws why it has failed. The caller has the lock.
  bool has_ended(std::uint64_t number, std::uint64_t deadline_ns);
  Hub& hub() const { return *hub_; }

 private:
  [[noreturn]] void raise() const {
    const Failure& failure = *hub_->failure;
    throw StatusError(failure.code, failure.message, failure.rank ? *failure.rank + 1 : 0);
  }
  void fail(std::int32_t code, std::uint32_t rank, std::uint32_t state, std::string reason) {
    Member& member = hub_->members[rank];
    member.state = state;
    member.reason = std::move(reason);
    if (!hub_->failure) {
      hub_->failure = Failure{code, "rank " + std::to_string(rank) + ": " + member.reason, rank};
    }
    hub_->changed.notify_all();
  }
  const Event* event(std::string_view what, std::uint64_t call) const {
    for (const Event& each : script_) {
      if (each.what == what && each.call == call) return &each;
    }
    return nullptr;
  }

  const std::shared_ptr<Hub> hub_;
  const std::uint32_t rank_;
  const std::vector<Event> script_;
  const plugin::Host host_;
};

class SimWork final : public plugin::Work {
 public:
  SimWork(std::shared_ptr<Side> side, std::uint64_t number, std::uint64_t deadline_ns)
      : side_(std::move(side)), number_(number), deadline_ns_(deadline_ns) {}

  bool is_unused() override {
    const std::scoped_lock lock(side_->hub().mutex);
    look();
    return has_ended_ || failure_.has_value();
  }
  void check() override {
    if (failure_) throw StatusError(*failure_);
  }
  bool wait(std::uint64_t deadline_ns) override {
    std::unique_lock lock(side_->hub().mutex);
    for (;;) {
      look();
      check();
      if (has_ended_) return true;
      if (host().now_ns() >= deadline_ns) return false;
      side_->hub().changed.wait_for(lock, std::chrono::milliseconds(1));
    }
  }

 private:
  void look() {
    if (has_ended_ || failure_) return;
    try {
      has_ended_ = side_->has_ended(number_, deadline_ns_);
    } catch (const StatusError& error) {
      failure_ = error;
    }
  }

  const std::shared_ptr<Side> side_;
  const std::uint64_t number_, deadline_ns_;
  bool has_ended_ = false;
  std::optional<StatusError> failure_;
};

std::unique_ptr<plugin::Work> Side::start(const patchbay_call& call) {
  const std::scoped_lock lock(hub_->mutex);
  if (hub_->failure) raise();
  Member& own = hub_->members[rank_];
  const std::uint64_t number = own.num_calls++;
  if (event("end", number) != nullptr) {
    fail(PATCHBAY_LAUNCH_FAILED, rank_, PATCHBAY_MEMBER_LOST, "its process has ended");
  }
  if (event("stop", number) != nullptr) own.answers = false;
  if (own.answers && event("skip", number) == nullptr) {
    Started started;
    started.transfers.assign(call.transfers, call.transfers + call.num_transfers);
    started.text = std::string(plugin::from_abi(call.text));
    const Event* const delay = event("delay", number);
    started.arrives_ns = host_.now_ns() + (delay != nullptr ? delay->argument * 1'000'000 : 0);
    own.calls.emplace(number, std::move(started));
  }
  hub_->changed.notify_all();
  return std::make_unique<SimWork>(shared_from_this(), number, call.deadline_ns);
}

bool Side::has_ended(std::uint64_t number, std::uint64_t deadline_ns) {
  const std::uint64_t now = host_.now_ns();
  std::vector<const Started*> all;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t i = 0; i < hub_->members.size(); ++i) {
    const auto found = hub_->members[i].calls.find(number);
    const bool is_there = found != hub_->members[i].calls.end() && now >= found->second.arrives_ns;
    if (is_there) {
      all.push_back(&found->second);
    } else {
      missing.push_back(i);
    }
  }
  // A call reads this member's memory until every member has what it wrote there.
  const bool all_written = missing.empty() && std::ranges::all_of(all, [](const Started* each) {
                             return each->is_written;
                           });
  if (all_written) return true;
  if (hub_->failure) raise();
  for (const std::uint32_t i : missing) {
    const Member& each = hub_->members[i];
    if (each.leaves_at <= number) {
      throw StatusError(PATCHBAY_LAUNCH_FAILED, "a member has left: " + each.reason, i + 1);
    }
  }
  if (!missing.empty()) {
    if (now < deadline_ns) return false;
    for (const std::uint32_t i : missing) {
      const bool answers = hub_->members[i].answers;
      fail(PATCHBAY_TIMED_OUT, i, answers ? PATCHBAY_MEMBER_LATE : PATCHBAY_MEMBER_LOST,
           answers ? "it answers, and has not come" : "it does not answer");
    }
    raise();
  }
  for (std::uint32_t i = 1; i < all.size(); ++i) {
    if (all[i]->text == all[0]->text) continue;
    hub_->failure = Failure{PATCHBAY_INVALID_ARGUMENT,
                            "members ask for different calls: rank 0 for " + all[0]->text +
                                ", rank " + std::to_string(i) + " for " + all[i]->text,
                            {}};
    raise();
  }
  const Event* const after = event("after", number);
  if (after != nullptr && hub_->members[rank_].num_calls <= after->argument) return false;
  Started& mine = hub_->members[rank_].calls.at(number);
  if (mine.is_written) return false;
  carry_out(all, rank_);
  mine.is_written = true;
  hub_->changed.notify_all();
  return false;  // the next look says
}

class SimGroup final : public plugin::Group {
 public:
  explicit SimGroup(std::shared_ptr<Side> side) : side_(std::move(side)) {}
  std::unique_ptr<plugin::Work> start(const patchbay_call& call) override {
    return side_->start(call);
  }
  void leave(std::string_view reason) noexcept override { side_->leave(reason); }
  void abort(std::string_view reason) noexcept override { side_->abort(reason); }
  void health(const std::function<void(const plugin::MemberInfo&)>& found) override {
    side_->health(found);
  }

 private:
  const std::shared_ptr<Side> side_;
};

class SimEngine final : public plugin::Engine {
 public:
  explicit SimEngine(plugin::Host host)
      : host_(host), rank_(number("sim_engine_rank")), size_(number("sim_engine_size")) {
    if (rank_ >= size_) plugin::invalid_argument("sim_engine_rank is too large");
  }

  patchbay_collective_properties describe() override {
    patchbay_collective_properties properties{};
    properties.size = sizeof(properties);
    properties.capabilities = PATCHBAY_COLLECTIVE_SEES_LOSS;
    for (const int kind : {PATCHBAY_ALL_GATHER, PATCHBAY_BROADCAST, PATCHBAY_ALL_TO_ALL,
                           PATCHBAY_SEND, PATCHBAY_RECEIVE, PATCHBAY_BARRIER}) {
      properties.kinds |= std::uint64_t{1} << kind;
    }
    properties.launched_rank = rank_;
    properties.launched_size = size_;
    properties.library = plugin::to_abi("simulated engine");
    return properties;
  }

  std::unique_ptr<plugin::Group> join(const patchbay_join& join) override {
    const std::string name = host_.option("sim_engine_hub").value_or("hub");
    std::shared_ptr<Hub> hub;
    {
      const std::scoped_lock lock(hubs().mutex);
      hub = hubs().by_name[name].lock();
      if (hub == nullptr) hubs().by_name[name] = hub = std::make_shared<Hub>(size_);
    }
    std::unique_lock lock(hub->mutex);
    ++hub->num_joined;
    hub->changed.notify_all();
    while (hub->num_joined < size_) {
      if (host_.now_ns() >= join.deadline_ns) {
        throw StatusError(PATCHBAY_TIMED_OUT, std::to_string(size_ - hub->num_joined) + " of " +
                                                  std::to_string(size_) +
                                                  " processes did not come");
      }
      hub->changed.wait_for(lock, std::chrono::milliseconds(1));
    }
    lock.unlock();
    return std::make_unique<SimGroup>(std::make_shared<Side>(
        hub, rank_, read_script(host_.option("sim_engine_script").value_or("")), host_));
  }

 private:
  std::uint32_t number(std::string_view setting) const {
    const std::string text = host_.option(setting).value_or("");
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
      plugin::refuse_setting(setting, "a number", text);
    }
    return static_cast<std::uint32_t>(std::stoul(text));
  }

  const plugin::Host host_;
  const std::uint32_t rank_, size_;
};

}  // namespace
}  // namespace patchbay::sim

PATCHBAY_PLUGIN_SETTINGS("sim_engine_hub sim_engine_rank sim_engine_size sim_engine_script");
PATCHBAY_DEFINE_COLLECTIVE("sim-engine", "sim_engine", "1", patchbay::sim::SimEngine);
