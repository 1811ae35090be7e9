// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The process's side of all groups: what was asked for, and the messages under way.
//
// Each call sends a small message to every other member that it concerns, at once: it says that the
// sender has come, what it asks for, and how many bytes follow under which tag. So members see who
// is missing and who asks for something else, and receive into place. Data are sent in pieces, a
// few at a time.
#ifndef PATCHBAY_PLUGINS_MPI_ENGINE_NETWORK_HPP_
#define PATCHBAY_PLUGINS_MPI_ENGINE_NETWORK_HPP_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "patchbay/plugin/collective.h"
#include "patchbay/plugin/kit/collective.hpp"

#include "mpi/engine/message.hpp"
#include "mpi/library/mpi.hpp"

namespace patchbay::mpi {

struct Failure {
  std::int32_t code = 0;
  std::string message;
  std::optional<std::size_t> member;  // the rank that is lost or late
};

/// Memory that a lane reads or writes.
struct Segment {
  char* at = nullptr;
  std::size_t bytes = 0;
};

/// The data of a call that go to one member, or come from it.
struct Lane {
  bool sends = false;
  std::size_t member = 0;  // of the group
  std::vector<Segment> segments;
  std::size_t total = 0;
  std::uint64_t number = 0;  // of the sender's message, for a receiver
  int tag = 0;
  bool is_open = false;  // a receiver: the sender's message has come
  // The next piece, and the pieces under way.
  std::size_t segment = 0, offset = 0, num_pieces = 0;

  bool has_more() const { return segment < segments.size(); }
  bool is_done() const { return is_open && !has_more() && num_pieces == 0; }
};

struct GroupState;

/// A call of this process.
struct CallState {
  std::shared_ptr<GroupState> group;
  std::uint64_t number = 0;
  std::string text;
  std::uint64_t deadline_ns = 0, started_ns = 0;
  std::vector<Lane> lanes;
  std::vector<std::optional<std::string>> texts;  // of the members whose message has come
  std::size_t num_missing = 0;                    // members whose message has not
  std::size_t num_pieces = 0;                     // under way, of all lanes
  bool is_between_two = false;                    // of send and receive alone
  bool has_ended = false;
  std::optional<Failure> failure;

  /// Whether the member sends a message for this call.
  bool expects(std::size_t member) const {
    return !is_between_two || std::ranges::any_of(lanes, [&](const Lane& lane) {
      return !lane.sends && lane.member == member;
    });
  }
};

struct MemberState {
  int process = 0;  // its rank among all
  std::uint64_t num_calls = 0;
  std::uint32_t state = PATCHBAY_MEMBER_WELL;
  std::string reason;
  std::uint64_t leaves_at = UINT64_MAX;
};

/// A group, as this process sees it.
struct GroupState {
  std::uint64_t id = 0;
  std::size_t own = 0;  // the index of this process
  std::vector<MemberState> members;
  std::uint64_t num_calls = 0;
  std::vector<std::uint64_t> sent, received;     // by member: calls of send and receive alone
  std::deque<std::shared_ptr<CallState>> calls;  // that have not ended
  std::optional<Failure> failure;
};

/// Thread-safe. A thread of its own makes the messages go on while no caller waits.
class Network : public std::enable_shared_from_this<Network> {
 public:
  static std::shared_ptr<Network> make(std::unique_ptr<Mpi> mpi);
  /// The library's name.
  const std::string& library() const { return mpi_->name(); }

  /// Initialises MPI, unless the program has, and finds the other processes. The first call's error
  /// is that of all. Throws PATCHBAY_TIMED_OUT, PATCHBAY_UNSUPPORTED.
  void connect(std::uint64_t deadline_ns);
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Processes in the order of the members.
  std::shared_ptr<GroupState> make_group(const std::vector<int>& processes);
  std::shared_ptr<CallState> start(const std::shared_ptr<GroupState>& group,
                                   const patchbay_call& call);
  /// False if the deadline passes first. Throws the call's failure.
  bool wait(const std::shared_ptr<CallState>& call, std::uint64_t deadline_ns);
  bool is_unused(const CallState& call);
  void check(const CallState& call);
  void leave(const std::shared_ptr<GroupState>& group, std::string_view reason);
  void abort(const std::shared_ptr<GroupState>& group, std::string_view reason);
  std::vector<plugin::MemberInfo> health(const GroupState& group);
  /// Takes leave of the other processes and ends MPI, if this made it: waits for the others'
  /// farewell as long as they answer, as MPI_Finalize does.
  void close() noexcept;

 private:
  enum class Use : std::uint8_t { kMessageOut, kMessageIn, kPiece };
  struct Pending {
    Use use = Use::kMessageOut;
    int process = 0;
    std::vector<char> bytes;  // of a message out
    std::shared_ptr<CallState> call;
    std::size_t lane = 0;
  };
  struct Process {
    std::vector<char> incoming;
    std::uint64_t heard_ns = 0, pinged_ns = 0;  // pinged: 0 if it has answered
    bool is_lost = false, said_farewell = false;
    int next_tag = 1;
  };
  /// Of a call's message: group, number, sender.
  using Key = std::tuple<std::uint64_t, std::uint64_t, int>;

  explicit Network(std::unique_ptr<Mpi> mpi) : mpi_(std::move(mpi)) {}

  void run() noexcept;
  void open();
  void listen(int process);
  void step();
  void take(Pending& pending, int error);
  /// Calls visit(group) for each group that still has a handle or a call.
  template <class Visit>
  void for_groups(const Visit& visit) const {
    for (const auto& each : groups_) {
      if (const std::shared_ptr<GroupState> group = each.lock()) visit(group);
    }
  }
  /// Empty if the process is no member.
  static std::optional<std::size_t> rank_in(const GroupState& group, int process);
  static std::shared_ptr<CallState> find_call(const GroupState& group, std::size_t member,
                                              std::uint64_t number);
  void read(int process, Message message);
  void read_farewell(int process);
  void read_call(const std::shared_ptr<CallState>& call, std::size_t member,
                 const Message& message);
  void read_failure(GroupState& group, const Message& message);
  std::uint64_t add(Pending pending);
  void send(int process, const Message& message);
  void send_to_others(const GroupState& group, const Message& message);
  void announce(const std::shared_ptr<CallState>& call);
  void read_early(const std::shared_ptr<CallState>& call);
  void push(const std::shared_ptr<CallState>& call, std::size_t lane);
  void end_if_done(CallState& call);
  void add_lanes(CallState& call, const patchbay_call& asked) const;
  void lose(int process, const std::string& reason);
  void note_leaving(GroupState& group, std::size_t member, std::uint64_t from,
                    const std::string& reason);
  static Failure leaving(std::size_t member, const std::string& reason);
  void fail(GroupState& group, const Failure& failure);
  void fail_all(const char* why);
  void fail_and_tell(GroupState& group, const Failure& failure);
  static Message failure_message(const GroupState& group);
  template <class IsFailed>
  void fail_calls(GroupState& group, const Failure& failure, const IsFailed& is_failed);
  void fail_late(GroupState& group, const CallState& call);
  void check_deadlines();
  void ask_silent(const GroupState& group, std::uint64_t now);
  static void throw_failure(const Failure& failure);

  const std::unique_ptr<Mpi> mpi_;
  std::mutex mutex_;  // for all that follows, and for calls of mpi_ once it is connected
  std::condition_variable changed_;
  std::thread thread_;
  bool has_started_ = false, is_connected_ = false, stops_ = false, has_stopped_ = false,
       is_closed_ = false;
  bool is_ours_ = false;    // MPI was initialised here
  bool finalizes_ = false;  // the thread ends MPI
  std::optional<Failure> failure_;
  int rank_ = 0, size_ = 0;
  std::vector<Process> processes_;
  std::vector<std::weak_ptr<GroupState>> groups_;
  std::map<std::vector<int>, std::uint64_t> num_made_;  // groups of the same processes
  std::map<Key, Message> early_;  // messages of calls that this process has not started
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::uint64_t last_message_ = 0;
  std::size_t num_waiting_ = 0;      // callers in wait()
  std::uint64_t busy_until_ns_ = 0;  // waits poll without a pause until then
};

}  // namespace patchbay::mpi

#endif  // PATCHBAY_PLUGINS_MPI_ENGINE_NETWORK_HPP_
