// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "mpi/engine/network.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "patchbay/plugin/kit/error.hpp"

#include "kit/dtypes.hpp"

namespace patchbay::mpi {
namespace {

using plugin::StatusError;

constexpr std::uint64_t kMicrosecond = 1000, kMillisecond = 1'000'000;
constexpr std::uint64_t kSpinNs = 50 * kMicrosecond;  // before a wait begins to sleep
constexpr std::uint64_t kFirstNapNs = 20 * kMicrosecond, kLongestNapNs = kMillisecond;
constexpr std::uint64_t kIdleNapNs = 20 * kMillisecond;
constexpr std::uint64_t kPingAfterNs = 250 * kMillisecond;  // of silence
constexpr std::uint64_t kSilenceNs = 1000 * kMillisecond;   // without an answer, at a deadline
constexpr std::uint64_t kFarewellNs = 5000 * kMillisecond;  // of silence, before the end of MPI
constexpr std::size_t kPieceBytes = 1 << 20, kMostPieces = 4;
constexpr int kMessageTag = 0, kMostTag = 32000;               // the standard grants 32767
constexpr std::uint64_t kBetweenTwo = std::uint64_t{1} << 63;  // marks numbers of send and receive

/// The clock of the host, which ends before the network does.
std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

std::string milliseconds(std::uint64_t nanoseconds) {
  return std::to_string(nanoseconds / kMillisecond) + " ms";
}

bool is_between_two(const patchbay_call& call) {
  return std::all_of(call.transfers, call.transfers + call.num_transfers, [](const auto& each) {
    return each.kind == PATCHBAY_SEND || each.kind == PATCHBAY_RECEIVE;
  });
}

std::size_t bytes_of(const patchbay_transfer& transfer) {
  if (!is_known(transfer.dtype)) {
    plugin::invalid_argument("no such dtype: " + std::to_string(transfer.dtype));
  }
  return transfer.count * static_cast<std::size_t>(element_bytes(transfer.dtype));
}

char* address(const patchbay_memory& memory) {
  return static_cast<char*>(memory.base) + memory.offset_bytes;
}

/// Signals of the program are not for this thread.
std::thread start_thread(std::function<void()> body) {
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  std::thread thread(std::move(body));
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
  return thread;
}

/// FNV-1a; only to tell groups of a job apart.
std::uint64_t hash(const std::vector<int>& processes, std::uint64_t number) {
  std::uint64_t value = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t part) {
    for (int i = 0; i < 8; ++i, part >>= 8) value = (value ^ (part & 255)) * 0x100000001b3;
  };
  add(number);
  for (const int each : processes) add(static_cast<std::uint64_t>(each));
  return value;
}

}  // namespace

std::shared_ptr<Network> Network::make(std::unique_ptr<Mpi> mpi) {
  return std::shared_ptr<Network>(new Network(std::move(mpi)));
}

void Network::throw_failure(const Failure& failure) {
  throw StatusError(failure.code, failure.message,
                    failure.member ? static_cast<std::int64_t>(*failure.member) + 1 : 0);
}

// ------------------------------------------------------------------------------- connecting ---

void Network::connect(std::uint64_t deadline_ns) {
  std::unique_lock lock(mutex_);
  if (!has_started_) {
    // It keeps this: MPI_Init may block for ever.
    thread_ = start_thread([self = shared_from_this()] { self->run(); });
    has_started_ = true;
  }
  while (!is_connected_ && !failure_) {
    const std::uint64_t now = now_ns();
    if (now >= deadline_ns) {
      throw StatusError(PATCHBAY_TIMED_OUT, mpi_->name() +
                                                " did not start within the deadline: not all "
                                                "processes of the job have begun to join");
    }
    changed_.wait_for(lock, std::chrono::nanoseconds(std::min(deadline_ns - now, kIdleNapNs)));
  }
  if (failure_) throw_failure(*failure_);
}

/// On the thread. Without the mutex, because MPI may wait for the other processes.
void Network::open() {
  if (mpi_->is_finalized()) {
    plugin::unsupported("the program has ended MPI (MPI_Finalize), which can't begin again");
  }
  if (!mpi_->is_initialized()) {
    mpi_->initialize();
    is_ours_ = true;
  }
  const ThreadLevel level = mpi_->thread_level();
  const ThreadLevel least = is_ours_ ? ThreadLevel::kSerialized : ThreadLevel::kMultiple;
  if (level < least) {
    plugin::unsupported(mpi_->name() + " was initialised with " + to_string(level) +
                        ", and the engine's thread needs " + to_string(least) +
                        (is_ours_ ? "" : ": call MPI_Init_thread with it"));
  }
  mpi_->begin_communicator();
  while (!mpi_->has_communicator()) {
    {
      const std::scoped_lock lock(mutex_);
      if (stops_) plugin::unsupported("the engine was closed while it joined");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void Network::run() noexcept {
  try {
    open();
  } catch (const StatusError& error) {
    const std::scoped_lock lock(mutex_);
    failure_ = Failure{error.code(), error.what(), {}};
  } catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    failure_ = Failure{PATCHBAY_INTERNAL, error.what(), {}};
  }
  std::unique_lock lock(mutex_);
  if (!failure_) {
    try {
      rank_ = mpi_->rank();
      size_ = mpi_->size();
      processes_.resize(static_cast<std::size_t>(size_));
      for (int i = 0; i < size_; ++i) {
        if (i != rank_) listen(i);
      }
      is_connected_ = true;
    } catch (const std::exception& error) {
      fail_all(error.what());
    }
  }
  changed_.notify_all();
  std::uint64_t nap_ns = kFirstNapNs;
  while (!stops_ && !failure_) {
    step();
    bool has_calls = false;
    for_groups([&](const std::shared_ptr<GroupState>& group) {
      has_calls = has_calls || !group->calls.empty();
    });
    if (!has_calls || num_waiting_ > 0) {
      changed_.wait_for(lock, std::chrono::nanoseconds(kIdleNapNs));
      nap_ns = kFirstNapNs;
    } else if (now_ns() < busy_until_ns_) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
      nap_ns = kFirstNapNs;
    } else {
      changed_.wait_for(lock, std::chrono::nanoseconds(nap_ns));
      nap_ns = std::min(2 * nap_ns, kLongestNapNs);
    }
  }
  if (finalizes_) {
    lock.unlock();
    mpi_->finalize();
    lock.lock();
  }
  has_stopped_ = true;
  changed_.notify_all();
}

void Network::listen(int process) {
  Process& from = processes_[static_cast<std::size_t>(process)];
  from.incoming.resize(kMostMessage);
  Pending pending;
  pending.use = Use::kMessageIn;
  pending.process = process;
  const std::uint64_t message = add(std::move(pending));
  mpi_->receive(message, from.incoming.data(), from.incoming.size(), process, kMessageTag);
}

// --------------------------------------------------------------------------------- messages ---

std::uint64_t Network::add(Pending pending) {
  pending_.emplace(++last_message_, std::move(pending));
  return last_message_;
}

void Network::send(int process, const Message& message) {
  if (processes_[static_cast<std::size_t>(process)].is_lost) return;
  Pending pending;
  pending.process = process;
  pending.bytes = message.bytes();
  const std::uint64_t number = add(std::move(pending));
  const std::vector<char>& bytes = pending_[number].bytes;
  mpi_->send(number, bytes.data(), bytes.size(), process, kMessageTag);
}

void Network::send_to_others(const GroupState& group, const Message& message) {
  for (const MemberState& each : group.members) {
    if (each.process != rank_) send(each.process, message);
  }
}

/// Everything that can be done now. Never blocks.
void Network::step() {
  if (!is_connected_ || failure_ || has_stopped_) return;
  try {
    if (!is_ours_ && mpi_->is_finalized()) {
      plugin::unsupported("the program has ended MPI (MPI_Finalize) before the groups");
    }
    std::vector<Completion> completed;
    mpi_->poll(completed);
    for (const Completion& each : completed) {
      const auto at = pending_.find(each.message);
      if (at == pending_.end()) continue;
      Pending pending = std::move(at->second);
      pending_.erase(at);
      take(pending, each.error);
    }
    check_deadlines();
  } catch (const std::exception& error) {
    fail_all(error.what());
  }
}

/// The library itself fails: no group can go on.
void Network::fail_all(const char* why) {
  if (!failure_) failure_ = Failure{PATCHBAY_DRIVER_ERROR, why, {}};
  for_groups([&](const std::shared_ptr<GroupState>& group) { fail(*group, *failure_); });
  changed_.notify_all();
}

void Network::take(Pending& pending, int error) {
  const std::uint64_t now = now_ns();
  const bool is_lost = error != 0 && mpi_->means_lost(error);
  if (pending.use == Use::kPiece) {
    CallState& call = *pending.call;
    Lane& lane = call.lanes[pending.lane];
    --lane.num_pieces;
    --call.num_pieces;
    busy_until_ns_ = std::max(busy_until_ns_, now + kSpinNs + kPieceBytes);  // 1 GB/s
    if (error == 0 && !call.has_ended) {
      push(pending.call, pending.lane);
      end_if_done(call);
    } else if (error != 0 && !is_lost && !call.has_ended) {
      fail(*call.group, {PATCHBAY_DRIVER_ERROR, mpi_->text_of(error), {}});
    }
  } else if (pending.use == Use::kMessageIn && error == 0) {
    Process& from = processes_[static_cast<std::size_t>(pending.process)];
    from.heard_ns = now;
    from.pinged_ns = 0;
    busy_until_ns_ = std::max(busy_until_ns_, now + kSpinNs);
    auto message = Message::read(from.incoming);
    listen(pending.process);
    if (message) read(pending.process, std::move(*message));
  }
  // Without its messages nothing can be known of a process.
  if (is_lost || (pending.use == Use::kMessageIn && error != 0)) {
    lose(pending.process, mpi_->text_of(error));
  }
}

std::optional<std::size_t> Network::rank_in(const GroupState& group, int process) {
  const auto at = std::ranges::find(group.members, process, &MemberState::process);
  if (at == group.members.end()) return {};
  return static_cast<std::size_t>(at - group.members.begin());
}

/// The call of this process that a member's message belongs to; null if it has not started it.
std::shared_ptr<CallState> Network::find_call(const GroupState& group, std::size_t member,
                                              std::uint64_t number) {
  const auto is_it = [&](const std::shared_ptr<CallState>& call) {
    if ((number & kBetweenTwo) == 0) return call->number == number;
    return std::ranges::any_of(call->lanes, [&](const Lane& lane) {
      return !lane.sends && lane.member == member && !lane.is_open && lane.number == number;
    });
  };
  const auto at = std::ranges::find_if(group.calls, is_it);
  return at == group.calls.end() ? nullptr : *at;
}

void Network::read(int process, Message message) {
  const MessageHead& head = message.head;
  if (head.kind == MessageKind::kFarewell) return read_farewell(process);
  std::shared_ptr<GroupState> group;
  for_groups([&](const std::shared_ptr<GroupState>& each) {
    if (each->id == head.group) group = each;
  });
  if (head.kind == MessageKind::kPing) {
    Message answer;
    answer.head.kind = MessageKind::kPong;
    answer.head.group = head.group;
    answer.head.number = group ? group->num_calls : 0;
    return send(process, answer);
  }
  if (!group && head.kind == MessageKind::kCall) {  // of a group that is not made here yet
    early_.insert_or_assign(Key{head.group, head.number, process}, std::move(message));
    return;
  }
  const auto rank = group ? rank_in(*group, process) : std::nullopt;
  if (!rank) return;
  MemberState& member = group->members[*rank];
  const bool is_between_two = (head.number & kBetweenTwo) != 0;
  switch (head.kind) {
    case MessageKind::kCall:
      if (!is_between_two) member.num_calls = std::max(member.num_calls, head.number + 1);
      if (const auto call = find_call(*group, *rank, head.number)) {
        return read_call(call, *rank, message);
      }
      early_.insert_or_assign(Key{head.group, head.number, process}, std::move(message));
      break;
    case MessageKind::kPong: member.num_calls = std::max(member.num_calls, head.number); break;
    case MessageKind::kFail: read_failure(*group, message); break;
    case MessageKind::kLeave:
      member.num_calls = std::max(member.num_calls, head.number);
      note_leaving(*group, *rank, head.number, message.text);
      break;
    default: break;
  }
}

void Network::read_farewell(int process) {
  processes_[static_cast<std::size_t>(process)].said_farewell = true;
  for_groups([&](const std::shared_ptr<GroupState>& group) {
    const auto rank = rank_in(*group, process);
    if (!rank || group->members[*rank].leaves_at != UINT64_MAX) return;
    note_leaving(*group, *rank, group->members[*rank].num_calls, "its process is ending");
  });
  changed_.notify_all();
}

void Network::read_call(const std::shared_ptr<CallState>& call, std::size_t member,
                        const Message& message) {
  if (!call->texts[member]) {
    call->texts[member] = message.text;
    --call->num_missing;
  }
  for (std::size_t i = 0; i < call->lanes.size(); ++i) {
    Lane& lane = call->lanes[i];
    if (lane.sends || lane.member != member || lane.is_open) continue;
    const bool is_broken = message.head.tag == 0 && message.payload.size() != lane.total;
    if (lane.total != message.head.data_bytes || is_broken) {
      if ((message.head.number & kBetweenTwo) != 0) {
        fail(*call->group, {PATCHBAY_INVALID_ARGUMENT,
                            "rank " + std::to_string(member) + " sends " +
                                std::to_string(message.head.data_bytes) + " bytes, and " +
                                std::to_string(lane.total) + " are to be received",
                            {}});
      }
      break;  // the texts differ
    }
    lane.is_open = true;
    lane.tag = message.head.tag;
    if (lane.tag == 0) {
      const char* from = message.payload.data();
      for (const Segment& each : lane.segments) {
        std::memcpy(each.at, from, each.bytes);
        from += each.bytes;
      }
      lane.segment = lane.segments.size();
    }
    push(call, i);
    break;
  }
  end_if_done(*call);
}

/// Starts pieces of a lane while some may be under way and more is left.
void Network::push(const std::shared_ptr<CallState>& call, std::size_t index) {
  Lane& lane = call->lanes[index];
  if (!lane.is_open) return;
  const int process = call->group->members[lane.member].process;
  while (lane.has_more() && lane.num_pieces < kMostPieces) {
    const Segment& segment = lane.segments[lane.segment];
    const std::size_t size = std::min(kPieceBytes, segment.bytes - lane.offset);
    char* const at = segment.at + lane.offset;
    Pending pending;
    pending.use = Use::kPiece;
    pending.process = process;
    pending.call = call;
    pending.lane = index;
    const std::uint64_t number = add(std::move(pending));
    ++lane.num_pieces;
    ++call->num_pieces;
    if (lane.sends) {
      mpi_->send(number, at, size, process, lane.tag);
    } else {
      mpi_->receive(number, at, size, process, lane.tag);
    }
    lane.offset += size;
    if (lane.offset < segment.bytes) continue;
    ++lane.segment;
    lane.offset = 0;
  }
}

void Network::end_if_done(CallState& call) {
  if (call.has_ended || call.num_missing > 0) return;
  if (!call.is_between_two) {
    for (std::size_t i = 1; i < call.texts.size(); ++i) {
      if (*call.texts[i] == *call.texts[0]) continue;
      return fail(*call.group, {PATCHBAY_INVALID_ARGUMENT,
                                "members ask for different calls: rank 0 for " + *call.texts[0] +
                                    ", rank " + std::to_string(i) + " for " + *call.texts[i],
                                {}});
    }
  }
  if (!std::ranges::all_of(call.lanes, &Lane::is_done)) return;
  call.has_ended = true;
  std::erase_if(call.group->calls, [&](const auto& each) { return each.get() == &call; });
  changed_.notify_all();
}

// ------------------------------------------------------------------------------------ calls ---

std::shared_ptr<GroupState> Network::make_group(const std::vector<int>& processes) {
  const std::scoped_lock lock(mutex_);
  auto group = std::make_shared<GroupState>();
  group->id = hash(processes, num_made_[processes]++);
  for (const int each : processes) {
    if (each == rank_) group->own = group->members.size();
    MemberState member;
    member.process = each;
    group->members.push_back(std::move(member));
  }
  group->sent.resize(processes.size());
  group->received.resize(processes.size());
  std::erase_if(groups_, [](const auto& each) { return each.expired(); });
  groups_.push_back(group);
  return group;
}

void Network::add_lanes(CallState& call, const patchbay_call& asked) const {
  const GroupState& group = *call.group;
  const std::size_t size = group.members.size(), own = group.own;
  const auto lane_of = [&](std::size_t member, bool sends) -> Lane& {
    const auto at = std::ranges::find_if(
        call.lanes, [&](const Lane& each) { return each.member == member && each.sends == sends; });
    if (at != call.lanes.end()) return *at;
    Lane lane;
    lane.member = member;
    lane.sends = sends;
    return call.lanes.emplace_back(std::move(lane));
  };
  const auto add = [&](std::size_t member, bool sends, char* at, std::size_t bytes) {
    Lane& lane = lane_of(member, sends);
    if (bytes == 0) return;
    lane.segments.push_back({at, bytes});
    lane.total += bytes;
  };
  for (std::uint32_t i = 0; i < asked.num_transfers; ++i) {
    const patchbay_transfer& each = asked.transfers[i];
    if (each.kind == PATCHBAY_BARRIER) continue;
    const std::size_t bytes = bytes_of(each);
    char* const from = address(each.from);
    char* const to = address(each.to);
    const bool has_peer = each.kind == PATCHBAY_BROADCAST || each.kind == PATCHBAY_SEND ||
                          each.kind == PATCHBAY_RECEIVE;
    if (has_peer && each.peer >= size) plugin::invalid_argument("no such member");
    for (std::size_t member = 0; member < size; ++member) {
      const std::size_t part = member * bytes, own_part = own * bytes;
      switch (each.kind) {
        case PATCHBAY_ALL_GATHER:
          if (member != own) {
            add(member, true, from, bytes);
            add(member, false, to + part, bytes);
          } else if (to + own_part != from && bytes != 0) {
            std::memcpy(to + own_part, from, bytes);
          }
          break;
        case PATCHBAY_ALL_TO_ALL:
          if (member != own) {
            add(member, true, from + part, bytes);
            add(member, false, to + part, bytes);
          } else if (bytes != 0) {
            std::memcpy(to + own_part, from + own_part, bytes);
          }
          break;
        case PATCHBAY_BROADCAST:
          if (own == each.peer && member != own) add(member, true, from, bytes);
          if (own != each.peer && member == each.peer) add(member, false, to, bytes);
          break;
        case PATCHBAY_SEND:
        case PATCHBAY_RECEIVE:
          if (member != each.peer) break;
          if (member == own) plugin::invalid_argument("a member can't send to itself");
          each.kind == PATCHBAY_SEND ? add(member, true, from, bytes)
                                     : add(member, false, to, bytes);
          break;
        default: plugin::unsupported("the MPI engine does not add: all_to_all and all_gather do");
      }
    }
  }
}

std::shared_ptr<CallState> Network::start(const std::shared_ptr<GroupState>& group,
                                          const patchbay_call& asked) {
  const std::scoped_lock lock(mutex_);
  if (failure_) throw_failure(*failure_);
  if (group->failure) throw_failure(*group->failure);
  auto call = std::make_shared<CallState>();
  call->group = group;
  call->text = std::string(plugin::from_abi(asked.text));
  call->deadline_ns = asked.deadline_ns;
  call->started_ns = now_ns();
  call->is_between_two = asked.num_transfers > 0 && is_between_two(asked);
  call->texts.resize(group->members.size());
  call->texts[group->own] = call->text;
  add_lanes(*call, asked);
  if (!call->is_between_two) {
    call->number = group->num_calls;
    for (const MemberState& each : group->members) {
      if (each.leaves_at > call->number) continue;
      throw_failure(leaving(static_cast<std::size_t>(&each - group->members.data()), each.reason));
    }
    ++group->num_calls;
    group->members[group->own].num_calls = group->num_calls;
    call->num_missing = group->members.size() - 1;
  }
  group->calls.push_back(call);
  busy_until_ns_ = std::max(busy_until_ns_, call->started_ns + kSpinNs);
  try {
    announce(call);
    read_early(call);
    end_if_done(*call);
  } catch (const std::exception& error) {
    fail_all(error.what());  // the call ends with it, and its memory may be in use
  }
  step();
  changed_.notify_all();
  return call;
}

/// Tells the members that it concerns of a call, and starts what goes to them.
void Network::announce(const std::shared_ptr<CallState>& call) {
  const std::shared_ptr<GroupState>& group = call->group;
  for (std::size_t member = 0; member < group->members.size(); ++member) {
    if (member == group->own) continue;
    const int process = group->members[member].process;
    std::size_t out = call->lanes.size();
    for (std::size_t i = 0; i < call->lanes.size(); ++i) {
      Lane& lane = call->lanes[i];
      if (lane.member != member) continue;
      if (lane.sends) {
        out = i;
      } else if (call->is_between_two) {
        lane.number = kBetweenTwo | group->received[member]++;
        ++call->num_missing;
      } else {
        lane.number = call->number;
      }
    }
    const bool sends = out < call->lanes.size();
    if (call->is_between_two && !sends) continue;
    Message message;
    message.head.kind = MessageKind::kCall;
    message.head.group = group->id;
    message.head.number = call->is_between_two ? kBetweenTwo | group->sent[member]++ : call->number;
    message.text = call->text;
    if (sends) {
      Lane& lane = call->lanes[out];
      message.head.data_bytes = lane.total;
      lane.is_open = true;
      if (lane.total <= kMostPayload) {
        for (const Segment& each : lane.segments) {
          message.payload.insert(message.payload.end(), each.at, each.at + each.bytes);
        }
        lane.segment = lane.segments.size();
      } else {
        int& next = processes_[static_cast<std::size_t>(process)].next_tag;
        lane.tag = message.head.tag = next;
        next = next == kMostTag ? 1 : next + 1;
      }
    }
    send(process, message);
    if (sends) push(call, out);
  }
}

/// What others have sent before this process came.
void Network::read_early(const std::shared_ptr<CallState>& call) {
  const std::shared_ptr<GroupState>& group = call->group;
  for (std::size_t member = 0; member < group->members.size(); ++member) {
    if (member == group->own || call->has_ended) continue;
    std::uint64_t number = call->number;
    if (call->is_between_two) {
      const auto lane = std::ranges::find_if(
          call->lanes, [&](const Lane& each) { return !each.sends && each.member == member; });
      if (lane == call->lanes.end()) continue;
      number = lane->number;
    }
    const auto early = early_.extract(Key{group->id, number, group->members[member].process});
    if (early) read_call(call, member, early.mapped());
  }
}

bool Network::wait(const std::shared_ptr<CallState>& call, std::uint64_t deadline_ns) {
  std::unique_lock lock(mutex_);
  ++num_waiting_;
  struct Leaving {
    std::size_t& count;
    ~Leaving() { --count; }
  } const leaving{num_waiting_};
  for (std::uint64_t nap_ns = kFirstNapNs;;) {
    step();
    if (call->failure) throw_failure(*call->failure);
    if (call->has_ended) return true;
    if (failure_) throw_failure(*failure_);
    const std::uint64_t now = now_ns();
    if (now >= deadline_ns) return false;
    if (now < busy_until_ns_) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
      nap_ns = kFirstNapNs;
      continue;
    }
    changed_.wait_for(lock, std::chrono::nanoseconds(std::min(nap_ns, deadline_ns - now)));
    nap_ns = std::min(2 * nap_ns, kLongestNapNs);
  }
}

bool Network::is_unused(const CallState& call) {
  const std::scoped_lock lock(mutex_);
  if (!failure_) step();
  return call.has_ended && call.num_pieces == 0;
}

void Network::check(const CallState& call) {
  const std::scoped_lock lock(mutex_);
  if (call.failure) throw_failure(*call.failure);
  if (failure_) throw_failure(*failure_);
}

// --------------------------------------------------------------------------------- failures ---

void Network::note_leaving(GroupState& group, std::size_t member, std::uint64_t from,
                           const std::string& reason) {
  MemberState& leaver = group.members[member];
  leaver.leaves_at = from;
  leaver.state = PATCHBAY_MEMBER_LOST;
  leaver.reason = reason;
  fail_calls(group, leaving(member, reason), [&](const CallState& call) {
    // What it has sent before still arrives.
    return call.is_between_two ? call.expects(member) && !call.texts[member] : call.number >= from;
  });
}

Failure Network::leaving(std::size_t member, const std::string& reason) {
  return {PATCHBAY_LAUNCH_FAILED, "rank " + std::to_string(member) + " has left: " + reason,
          member};
}

/// Fails all calls, now and from now on.
void Network::fail(GroupState& group, const Failure& failure) {
  if (!group.failure) group.failure = failure;
  fail_calls(group, failure, [](const CallState&) { return true; });
}

template <class IsFailed>
void Network::fail_calls(GroupState& group, const Failure& failure, const IsFailed& is_failed) {
  for (auto at = group.calls.begin(); at != group.calls.end();) {
    CallState& call = **at;
    if (!is_failed(call)) {
      ++at;
      continue;
    }
    call.failure = failure;
    call.has_ended = true;
    for (const auto& [message, pending] : pending_) {
      if (pending.call.get() != &call || call.lanes[pending.lane].sends) continue;
      mpi_->cancel_receive(message);
    }
    at = group.calls.erase(at);
  }
  changed_.notify_all();
}

void Network::lose(int process, const std::string& reason) {
  Process& lost = processes_[static_cast<std::size_t>(process)];
  if (std::exchange(lost.is_lost, true)) return;
  for_groups([&](const std::shared_ptr<GroupState>& group) {
    const auto rank = rank_in(*group, process);
    if (!rank || group->members[*rank].state == PATCHBAY_MEMBER_LOST) return;
    group->members[*rank].state = PATCHBAY_MEMBER_LOST;
    group->members[*rank].reason = reason;
    fail_and_tell(*group, {PATCHBAY_LAUNCH_FAILED,
                           "rank " + std::to_string(*rank) + " is lost: " + reason, rank});
  });
}

/// What the other members are told of the group's failure, so that all name the same cause.
Message Network::failure_message(const GroupState& group) {
  const Failure& failure = *group.failure;
  Message message;
  message.head.kind = MessageKind::kFail;
  message.head.group = group.id;
  message.head.code = failure.code;
  message.text = failure.message;
  if (!failure.member) return message;
  const MemberState& first = group.members[*failure.member];
  message.text = first.reason;
  const auto add = [&](std::size_t rank) {
    const std::uint32_t states[] = {static_cast<std::uint32_t>(rank), first.state};
    const char* const bytes = reinterpret_cast<const char*>(states);
    if (message.payload.size() + sizeof(states) > kMostPayload) return;
    message.payload.insert(message.payload.end(), bytes, bytes + sizeof(states));
  };
  add(*failure.member);
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const MemberState& each = group.members[i];
    if (&each != &first && each.state == first.state && each.reason == first.reason) add(i);
  }
  return message;
}

void Network::fail_and_tell(GroupState& group, const Failure& failure) {
  if (group.failure) return;
  fail(group, failure);
  if (is_connected_ && !failure_ && !has_stopped_) send_to_others(group, failure_message(group));
}

void Network::read_failure(GroupState& group, const Message& message) {
  if (group.failure) return;
  std::string ranks;
  std::optional<std::size_t> first;
  for (std::size_t at = 0; at + 8 <= message.payload.size(); at += 8) {
    std::uint32_t states[2];
    std::memcpy(states, message.payload.data() + at, sizeof(states));
    if (states[0] == group.own) {
      return fail(group, {message.head.code,
                          "the others waited for this member in vain, until their deadline",
                          {}});
    }
    if (states[0] >= group.members.size()) continue;
    MemberState& member = group.members[states[0]];
    member.state = states[1];
    member.reason = message.text;
    ranks += (ranks.empty() ? "rank " : ", ") + std::to_string(states[0]);
    if (!first) first = states[0];
  }
  fail(group,
       {message.head.code, ranks.empty() ? message.text : ranks + ": " + message.text, first});
}

/// The deadline of the call has passed.
void Network::fail_late(GroupState& group, const CallState& call) {
  const std::uint64_t now = now_ns();
  std::string ranks, silent;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if (i == group.own) continue;
    MemberState& member = group.members[i];
    const bool is_behind = call.num_missing > 0
                               ? !call.texts[i] && call.expects(i)
                               : std::ranges::any_of(call.lanes, [&](const Lane& lane) {
                                   return lane.member == i && !lane.is_done();
                                 });
    if (!is_behind) continue;
    const Process& process = processes_[static_cast<std::size_t>(member.process)];
    const std::uint64_t silence = process.pinged_ns == 0 ? 0 : now - process.pinged_ns;
    const bool is_silent = process.is_lost || silence >= kSilenceNs;
    member.state = is_silent ? PATCHBAY_MEMBER_LOST : PATCHBAY_MEMBER_LATE;
    if (is_silent && silent.empty()) silent = "it has not answered for " + milliseconds(silence);
    member.reason = is_silent ? silent : "it answers, and has not come";
    ranks += (ranks.empty() ? "rank " : ", ") + std::to_string(i);
    if (!first) first = i;
  }
  const std::string reason = first ? group.members[*first].reason : "";
  fail_and_tell(group, {PATCHBAY_TIMED_OUT, ranks + ": " + reason, first});
}

void Network::check_deadlines() {
  const std::uint64_t now = now_ns();
  for_groups([&](const std::shared_ptr<GroupState>& group) { ask_silent(*group, now); });
  for_groups([&](const std::shared_ptr<GroupState>& group) {
    if (group->failure) return;
    const auto at = std::ranges::find_if(
        group->calls, [&](const auto& call) { return now >= call->deadline_ns; });
    if (at == group->calls.end()) return;
    const std::shared_ptr<CallState> late = *at;  // the failure takes it from the list
    fail_late(*group, *late);
  });
}

/// Pings members that others wait for and that have said nothing for a while.
void Network::ask_silent(const GroupState& group, std::uint64_t now) {
  if (group.calls.empty()) return;
  const CallState& call = *group.calls.front();
  if (now - call.started_ns < kPingAfterNs) return;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const int number = group.members[i].process;
    Process& process = processes_[static_cast<std::size_t>(number)];
    if (i == group.own || process.is_lost || process.pinged_ns != 0) continue;
    const std::uint64_t since = std::max(process.heard_ns, call.started_ns);
    if (now < since + kPingAfterNs) continue;
    Message ping;
    ping.head.group = group.id;
    process.pinged_ns = now;
    send(number, ping);
  }
}

void Network::leave(const std::shared_ptr<GroupState>& group, std::string_view reason) {
  const std::scoped_lock lock(mutex_);
  if (is_connected_ && !failure_ && !has_stopped_) {
    Message message;
    message.head.kind = MessageKind::kLeave;
    message.head.group = group->id;
    message.head.number = group->num_calls;
    message.text = std::string(reason);
    // Members that leave a group that has failed say why it has.
    send_to_others(*group, group->failure ? failure_message(*group) : message);
    step();
  }
  std::erase_if(early_, [&](const auto& each) { return std::get<0>(each.first) == group->id; });
  fail(*group, {PATCHBAY_LAUNCH_FAILED, "this member has left the group", {}});
}

void Network::abort(const std::shared_ptr<GroupState>& group, std::string_view reason) {
  const std::scoped_lock lock(mutex_);
  fail_and_tell(*group, {PATCHBAY_LAUNCH_FAILED, std::string(reason), {}});
  step();
}

std::vector<plugin::MemberInfo> Network::health(const GroupState& group) {
  const std::scoped_lock lock(mutex_);
  std::vector<plugin::MemberInfo> found;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const MemberState& member = group.members[i];
    found.push_back({static_cast<std::uint32_t>(i), member.state, member.num_calls, member.reason});
  }
  return found;
}

// ---------------------------------------------------------------------------------- the end ---

void Network::close() noexcept {
  std::uint64_t deadline_ns = UINT64_MAX;
  std::unique_lock lock(mutex_);
  if (!has_started_ || std::exchange(is_closed_, true)) return;
  const auto sleep = [&] {
    changed_.wait_for(lock, std::chrono::nanoseconds(kMillisecond));
    return now_ns() < deadline_ns;
  };
  bool all_well = is_connected_ && !failure_;
  // It may wait in MPI_Init for processes that do not come.
  if (!is_connected_) deadline_ns = now_ns() + 1000 * kMillisecond;
  try {
    if (all_well) {
      Message farewell;
      farewell.head.kind = MessageKind::kFarewell;
      for (int i = 0; i < size_; ++i) {
        if (i != rank_) send(i, farewell);
      }
      // MPI ends in all processes or in none: one that is lost would be waited for.
      const std::uint64_t began = now_ns();
      const auto is_waited_for = [&](const Process& each) {
        if (&each == &processes_[static_cast<std::size_t>(rank_)] || each.said_farewell) {
          return false;
        }
        all_well = all_well && !each.is_lost;
        return !each.is_lost;
      };
      while (std::ranges::any_of(processes_, is_waited_for)) {
        for (int i = 0; i < size_; ++i) {
          Process& each = processes_[static_cast<std::size_t>(i)];
          const std::uint64_t now = now_ns();
          if (i == rank_ || each.said_farewell || each.is_lost) continue;
          if (each.pinged_ns != 0 && now - each.pinged_ns > kFarewellNs) each.is_lost = true;
          if (each.pinged_ns == 0 && now > std::max(each.heard_ns, began) + kPingAfterNs) {
            each.pinged_ns = now;
            send(i, Message{});
          }
        }
        step();
        if (!sleep()) all_well = false;
        if (!all_well) break;
      }
      for (const auto& [message, pending] : pending_) {
        if (pending.use == Use::kMessageIn) mpi_->cancel_receive(message);
      }
      const std::uint64_t until = std::min(deadline_ns, now_ns() + 1000 * kMillisecond);
      while (mpi_->num_pending() > 0 && now_ns() < until) {
        std::vector<Completion> completed;
        mpi_->poll(completed);
        for (const Completion& each : completed) pending_.erase(each.message);
        if (mpi_->num_pending() > 0) sleep();
      }
      all_well = all_well && mpi_->num_pending() == 0;
    }
  } catch (...) {
    all_well = false;
  }
  is_connected_ = false;
  stops_ = true;
  finalizes_ = all_well && is_ours_;
  changed_.notify_all();
  while (!has_stopped_ && sleep()) {
  }
  const bool ended = has_stopped_;
  lock.unlock();
  ended ? thread_.join() : thread_.detach();
}

}  // namespace patchbay::mpi
