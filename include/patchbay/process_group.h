// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Collective operations between devices: docs/data-parallel.md.
#ifndef PATCHBAY_PROCESS_GROUP_H_
#define PATCHBAY_PROCESS_GROUP_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/tensor.h"

namespace patchbay {

namespace distributed {
class Member;
class Operation;
}  // namespace distributed

/// How the elements of the members are joined. In the order of the ranks, so that results repeat;
/// sums of f16 and bf16 are kept in f32 and rounded once.
enum class ReduceOp : std::uint8_t { kSum, kMax, kMin };
/// "sum", "max", "min"
PATCHBAY_API std::string_view to_string(ReduceOp op);

/// A collective operation that this member has asked for. A shared handle.
class PATCHBAY_API Work {
 public:
  /// Whether the operation has ended, well or not: all members have come, and it is queued on the
  /// devices, where work that uses the tensors waits for it.
  bool is_done() const;
  /// Blocks until the member's tensors are complete. Errors: those of the operation, of which a
  /// reading of its destination throws the same; kTimedOut if members or devices need longer, after
  /// which the operation goes on.
  void wait(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max()) const;

  explicit Work(std::shared_ptr<distributed::Operation> operation, std::vector<Tensor> tensors);

 private:
  runtime::ObjectHandle<distributed::Operation, "Work"> operation_;
  std::vector<Tensor> tensors_;
};

struct ProcessGroupOptions {
  /// The time within which all members must ask for an operation, from the first one on.
  std::chrono::nanoseconds timeout = std::chrono::minutes(10);
  /// The engine that `join` uses: "mpi", or that of a plugin of yours. Empty: what the variables of
  /// the launcher call for.
  std::string engine = {};
};

struct CollectiveOptions {
  std::optional<std::chrono::nanoseconds> timeout;  // the group's, if not given
};

/// What a group knows of a member.
struct MemberHealth {
  int rank = 0;
  std::string device;        // its name, "cuda:0"
  std::string host;          // in a group of several processes: the name of its machine
  std::int64_t process = 0;  // likewise: the number of its process there
  bool is_lost = false;
  std::string reason;           // why it is lost
  std::uint64_t num_calls = 0;  // collective operations that it is known to have asked for
  std::string group_failure;    // why the group can't be used any more; empty if it can
};

/// One member of a group: a rank, from 0, and its device. A shared handle, for one thread at a time
/// (kInUse). Members ask for the same operations in the same order, each in a thread of its own,
/// with tensors on its device, of any strides.
///
/// A call returns at once; its tensors belong to the operation until it has ended, and any use of
/// them through the library waits for that. All bytes between devices of a process go through the
/// core's copies, with the copy tag, guard and streams of the member that they go to. Nothing is
/// recorded for gradients: tensors that require them are refused outside of NoGrad, as any
/// destination is.
///
/// Errors of all operations, at once or of Work::wait. kInvalidArgument, kShapeMismatch,
/// kDtypeMismatch, kDeviceMismatch: the tensors do not fit, of one member or of two, which all
/// members are told. kCopyForbidden inside a guard. kTimedOut: members that did not come are named,
/// and the group has failed. kLaunchFailed: a member is lost, which is named, or the group was
/// aborted. kDeviceLost in a forked process.
class PATCHBAY_API ProcessGroup {
 public:
  /// A group between devices of one process and one runtime, any of them and any number of times:
  /// the handles of its members, in the order of the ranks. Errors: kInvalidArgument for no
  /// devices, or devices of two runtimes.
  static std::vector<ProcessGroup> in_process(const std::vector<Device>& devices,
                                              const ProcessGroupOptions& options = {});

  /// A group of the processes that a launcher has started together, each with some of its devices:
  /// the handles of this process's members, whose ranks follow each other. All processes call it,
  /// and it blocks until all have come, `options.timeout` at most. Without a launcher the group has
  /// this process alone. Errors: kTimedOut; kUnsupported, kPluginFailed where no engine can join;
  /// kInvalidArgument as in_process. docs/several-machines.md.
  static std::vector<ProcessGroup> join(const std::vector<Device>& devices,
                                        const ProcessGroupOptions& options = {});

  int rank() const;
  int size() const;
  Device device() const;

  // A tensor that is written has the same shape and dtype on all members.
  /// Writes the elements of rank `root` to the tensors of all members.
  [[nodiscard]] Work broadcast(const Tensor& tensor, int root = 0,
                               const CollectiveOptions& options = {}) const;
  /// Writes the sum (or other join) of all members' elements to each member's tensor. Dtypes: those
  /// of add, or of maximum and minimum.
  [[nodiscard]] Work all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::kSum,
                                const CollectiveOptions& options = {}) const;
  /// Writes the join of all members' elements to the tensor of rank `root`; the others stay.
  [[nodiscard]] Work reduce(const Tensor& tensor, int root = 0, ReduceOp op = ReduceOp::kSum,
                            const CollectiveOptions& options = {}) const;
  /// Writes the tensors `in` [n, ...] of all members to `out` [size() n, ...], in the order of the
  /// ranks.
  [[nodiscard]] Work all_gather(const Tensor& out, const Tensor& in,
                                const CollectiveOptions& options = {}) const;
  /// Writes part `rank()` of the sum of all members' `in` [size() n, ...] to `out` [n, ...].
  [[nodiscard]] Work reduce_scatter(const Tensor& out, const Tensor& in,
                                    ReduceOp op = ReduceOp::kSum,
                                    const CollectiveOptions& options = {}) const;
  /// Ends when all members have asked for it.
  [[nodiscard]] Work barrier(const CollectiveOptions& options = {}) const;

  /// Ends the operations of all members, now and from now on, with an error that gives the reason.
  /// Thread-safe, and does not wait. One that moves bytes already is completed.
  void abort(std::string_view reason) const;
  /// Makes this member lost: operations that it has not asked for fail on the others, with the
  /// reason. Dropping the member's last handle does the same; that of the last member waits five
  /// seconds at most for the operations of all. Thread-safe.
  void leave(std::string_view reason) const;
  /// The state of each member, in the order of the ranks. Thread-safe.
  std::vector<MemberHealth> health() const;

  explicit ProcessGroup(std::shared_ptr<distributed::Member> member) : member_(std::move(member)) {}

 private:
  runtime::ObjectHandle<distributed::Member, "ProcessGroup"> member_;
};

}  // namespace patchbay

#endif  // PATCHBAY_PROCESS_GROUP_H_
