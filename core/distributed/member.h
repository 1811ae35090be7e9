// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a kind of group implements: one between the devices of a process here, later also plugins of
// kind "collective".
#ifndef PATCHBAY_CORE_DISTRIBUTED_MEMBER_H_
#define PATCHBAY_CORE_DISTRIBUTED_MEMBER_H_

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/copy.h"
#include "patchbay/error.h"
#include "patchbay/process_group.h"

namespace patchbay::distributed {

/// A collective operation that a member has asked for, as its Work sees it.
///
/// Its tensors remember it as a use, at a position of a queue, and later work on them waits for
/// that position. If the members meet on the host, the operation is the queue itself
/// (HostOperation). If a driver orders operations on a stream, the queue is that stream.
class Operation {
 public:
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Whether it has ended, well or not.
  virtual bool has_ended() noexcept = 0;
  /// False if `deadline_ns` passed first. Errors: those of the operation.
  virtual bool wait_until(std::uint64_t deadline_ns) = 0;
  /// What it waits for now, for messages: "all members".
  virtual std::string_view missing() const noexcept = 0;
  /// "all_reduce": the public function.
  const char* name() const noexcept { return name_; }

 protected:
  explicit Operation(const char* name) : name_(name) {}

 private:
  const char* const name_;
};

enum class Kind : std::uint8_t {
  kBroadcast,
  kAllReduce,
  kReduce,
  kAllGather,
  kReduceScatter,
  kBarrier
};
/// "all_reduce": the public function, as messages have it.
const char* to_string(Kind kind);

/// What one member asks for. ProcessGroup has checked it.
struct Request {
  Kind kind = Kind::kBarrier;
  int root = 0;
  ReduceOp op = ReduceOp::kSum;
  Tensor in, out;  // read and written, perhaps the same; undefined where not
  std::optional<std::chrono::nanoseconds> timeout;
  ThreadContext context;  // of the calling thread
  /// Why the member's own call fails, or null; the others are to fail with it.
  std::exception_ptr refusal;

  /// What all members' requests have alike: the tensor that the operation is described by.
  const Tensor& tensor() const { return in.defined() ? in : out; }
};

/// A member of a group. The destructor makes it lost.
class Member {
 public:
  virtual ~Member() = default;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual Device device() const = 0;
  /// Errors: kCopyForbidden inside a guard, if bytes of the operation leave or reach the device.
  /// Called on the member's own thread: the one that copies has no guard.
  virtual void check_guard(const char* operation, const Tensor& tensor) const = 0;
  /// Adds the request to the group's operation of the member's next number and notes it as a use of
  /// the tensors. Errors: kInUse while another thread of the member is in it; the group's failure.
  /// The other members are told any other error, so that their calls do not meet the next one.
  virtual std::shared_ptr<Operation> post(Request request) = 0;
  virtual void abort(const std::string& reason) = 0;
  virtual void leave(const std::string& reason) = 0;
  virtual std::vector<MemberHealth> health() = 0;

 protected:
  Member() = default;
};

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_MEMBER_H_
