// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The public functions: each checks its operands and describes them to the member.
#include "patchbay/process_group.h"

#include <exception>
#include <utility>

#include "patchbay/runtime.h"

#include "core/base/cancellation.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/distributed/engine_carrier.h"
#include "core/distributed/host_operation.h"
#include "core/distributed/launcher.h"
#include "core/distributed/local_collectives.h"
#include "core/distributed/local_group.h"
#include "core/distributed/member.h"
#include "core/runtime/registry/driver_lock.h"
#include "core/runtime/registry/loaded_runtime.h"
#include "core/runtime/stream/recorder.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/operators.h"

namespace patchbay {

using base::raise;
using distributed::Kind;
using distributed::Member;
using distributed::Request;
using tensor::impl_of;
using tensor::TensorImpl;

std::string_view to_string(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum: return "sum";
    case ReduceOp::kMax: return "max";
    case ReduceOp::kMin: return "min";
  }
  return "unknown";
}

namespace distributed {

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::kBroadcast: return "broadcast";
    case Kind::kAllReduce: return "all_reduce";
    case Kind::kReduce: return "reduce";
    case Kind::kAllGather: return "all_gather";
    case Kind::kReduceScatter: return "reduce_scatter";
    case Kind::kBarrier: return "barrier";
  }
  return "unknown";
}

}  // namespace distributed

namespace {

void check_place(const char* operation, const char* name, const TensorImpl& tensor,
                 const Member& member) {
  const Device device = member.device();
  if (&tensor.device() == &device.state()) return;
  raise(ErrorCode::kDeviceMismatch,
        "[{0}] {1} is on another device than its member: expected {2}, that of rank {3}, got {4} "
        "({5}). Copy it there: {1}.to(\"{2}\").",
        operation, name, device.name(), member.rank(), tensor.device().info.name_text,
        tensor::describe({name, tensor}));
}

void check_source(const char* operation, const char* name, const Tensor& tensor,
                  const Member& member) {
  const TensorImpl& impl = impl_of(operation, tensor, name);
  check_place(operation, name, impl, member);
  tensor::refuse_gradient(operation, {name, impl});
  member.check_guard(operation, tensor);
}

void check_destination(const char* operation, const char* name, const Tensor& tensor,
                       const Member& member) {
  const TensorImpl& impl = impl_of(operation, tensor, name);
  check_place(operation, name, impl, member);
  member.check_guard(operation, tensor);
  tensor::claim_destination(operation, impl, name);
}

void check_root(const char* operation, int root, const Member& member) {
  if (root >= 0 && root < member.size()) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] no such member: expected a root from 0 to {}, got {}. Choose a rank of the group.",
        operation, member.size() - 1, root);
}

void check_joinable(const char* operation, ReduceOp op, const Tensor& tensor) {
  base::check_in_enum(operation, "reduction", "ReduceOp", op, ReduceOp::kMin);
  const tensor::DTypes dtypes =
      op == ReduceOp::kSum ? tensor::op::add.dtypes | tensor::kComplex : tensor::op::maximum.dtypes;
  if (tensor::contains(dtypes, tensor.dtype())) return;
  tensor::raise_no_such_dtype(operation, dtypes, {"tensor", *tensor.impl()});
}

/// `whole` has `parts` times the rows of `part`.
void check_rows(const char* operation, const char* whole_name, const Tensor& whole,
                const char* part_name, const Tensor& part, std::int64_t parts) {
  tensor::check_same_dtype(operation, {part_name, *part.impl()}, {whole_name, *whole.impl()});
  Shape expected = part.shape();
  if (part.rank() > 0 && !__builtin_mul_overflow(expected[0], parts, &expected[0]) &&
      expected == whole.shape()) {
    return;
  }
  raise(ErrorCode::kShapeMismatch,
        "[{}] shapes do not fit: expected {} with {} times the rows of {}, got {} ({}; {}). Give "
        "both at least one dimension.",
        operation, whole_name, parts, part_name, to_string(whole.shape()),
        tensor::describe({whole_name, *whole.impl()}), tensor::describe({part_name, *part.impl()}));
}

void check_timeout(const char* operation, std::chrono::nanoseconds timeout) {
  if (timeout.count() >= 0) return;
  raise(ErrorCode::kInvalidArgument, "[{}] a wrong timeout: expected at least 0, got {} ms",
        operation, std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
}

/// Runs the checks, with fill(operation, request), and posts. What the checks throw, the other
/// members are told too.
template <class Fill>
Work submit(Member& member, Kind kind, const CollectiveOptions& options, const Fill& fill) {
  const base::CancellationOff not_cancelled;
  const char* const operation = distributed::to_string(kind);
  Request request;
  request.kind = kind;
  request.timeout = options.timeout;
  std::vector<Tensor> tensors;
  try {
    runtime::check_no_callback(operation);
    runtime::check_not_recording(operation);
    if (options.timeout) check_timeout(operation, *options.timeout);
    request.context = ThreadContext::current();
    fill(operation, request);
    for (const Tensor& each : {request.in, request.out}) {
      if (each.defined()) tensors.push_back(each.detach());
    }
  } catch (...) {
    Request refused;
    refused.kind = kind;
    refused.refusal = distributed::own_current_exception();
    static_cast<void>(member.post(std::move(refused)));
    throw;
  }
  return Work(member.post(std::move(request)), std::move(tensors));
}

}  // namespace

// ---------------------------------------------------------------------------------- groups ---

namespace {

/// Errors: kInvalidArgument if they can't be members of one process.
void check_members(const char* operation, const std::vector<Device>& devices,
                   const ProcessGroupOptions& options) {
  if (devices.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the list of devices is empty. Pass at least one device.", operation);
  }
  check_timeout(operation, options.timeout);
  for (const Device& device : devices) {
    device.state().check_home(operation);
    if (device.runtime() == devices[0].runtime()) continue;
    raise(
        ErrorCode::kInvalidArgument,
        "[{}] devices of two runtimes do not mix: {} is not of the runtime of {}. Take all devices "
        "from one runtime.",
        operation, device.name(), devices[0].name());
  }
}

std::vector<ProcessGroup> make_members(const std::vector<Device>& devices,
                                       std::unique_ptr<distributed::Carrier> carrier,
                                       const ProcessGroupOptions& options) {
  std::vector<ProcessGroup> members;
  for (auto& member : distributed::make_local_group(devices, std::move(carrier), options.timeout)) {
    members.emplace_back(std::move(member));
  }
  return members;
}

}  // namespace

std::vector<ProcessGroup> ProcessGroup::in_process(const std::vector<Device>& devices,
                                                   const ProcessGroupOptions& options) {
  check_members("ProcessGroup", devices, options);
  return make_members(devices, std::make_unique<distributed::LocalCarrier>(devices), options);
}

std::vector<ProcessGroup> ProcessGroup::join(const std::vector<Device>& devices,
                                             const ProcessGroupOptions& options) {
  using By = distributed::Launch::By;
  const base::CancellationOff not_cancelled;
  runtime::check_no_callback("join");
  check_members("join", devices, options);
  runtime::RuntimeState& runtime = devices[0].state().runtime;
  std::string name = options.engine;
  if (name.empty()) {
    const distributed::Launch launch = [&] {
      const runtime::DriverLock no_driver_sets_variables;
      return distributed::find_launch(runtime.environment.reads_variables());
    }();
    if (launch.by == By::kNone) return in_process(devices, options);
    if (launch.by != By::kMpi) {
      raise(ErrorCode::kUnsupported,
            "[join] {} is of {}, which starts no engine that is here: expected the mpirun of an "
            "MPI library{}. Start the program with it, or unset the variable for one process.",
            launch.variables, launch.by == By::kSlurm ? "srun without PMI" : "torchrun",
            launch.by == By::kSlurm ? ", or srun --mpi=pmi2" : "");
    }
    name = "mpi";
  }
  const distributed::Deadline deadline{base::deadline_after(options.timeout.count()),
                                       options.timeout};
  runtime::EngineUse engine = runtime::registry_of(runtime).engine("join", name);
  return make_members(
      devices, distributed::make_engine_carrier(devices, std::move(engine), deadline), options);
}

int ProcessGroup::rank() const { return member_->rank(); }

int ProcessGroup::size() const { return member_->size(); }

Device ProcessGroup::device() const { return member_->device(); }

void ProcessGroup::abort(std::string_view reason) const { member_->abort(std::string(reason)); }

void ProcessGroup::leave(std::string_view reason) const { member_->leave(std::string(reason)); }

std::vector<MemberHealth> ProcessGroup::health() const { return member_->health(); }

// ------------------------------------------------------------------------------ operations ---

Work ProcessGroup::broadcast(const Tensor& tensor, int root,
                             const CollectiveOptions& options) const {
  return submit(*member_, Kind::kBroadcast, options, [&](const char* operation, Request& request) {
    check_root(operation, root, *member_);
    const bool is_root = root == rank();
    (is_root ? check_source : check_destination)(operation, "tensor", tensor, *member_);
    request.root = root;
    (is_root ? request.in : request.out) = tensor;
  });
}

Work ProcessGroup::all_reduce(const Tensor& tensor, ReduceOp op,
                              const CollectiveOptions& options) const {
  return submit(*member_, Kind::kAllReduce, options, [&](const char* operation, Request& request) {
    static_cast<void>(impl_of(operation, tensor, "tensor"));
    check_joinable(operation, op, tensor);
    check_destination(operation, "tensor", tensor, *member_);
    request.op = op;
    request.in = request.out = tensor;
  });
}

Work ProcessGroup::reduce(const Tensor& tensor, int root, ReduceOp op,
                          const CollectiveOptions& options) const {
  return submit(*member_, Kind::kReduce, options, [&](const char* operation, Request& request) {
    check_root(operation, root, *member_);
    static_cast<void>(impl_of(operation, tensor, "tensor"));
    check_joinable(operation, op, tensor);
    const bool is_root = root == rank();
    (is_root ? check_destination : check_source)(operation, "tensor", tensor, *member_);
    request.root = root;
    request.op = op;
    request.in = tensor;
    if (is_root) request.out = tensor;
  });
}

Work ProcessGroup::all_gather(const Tensor& out, const Tensor& in,
                              const CollectiveOptions& options) const {
  return submit(*member_, Kind::kAllGather, options, [&](const char* operation, Request& request) {
    check_source(operation, "in", in, *member_);
    static_cast<void>(impl_of(operation, out, "out"));
    check_rows(operation, "out", out, "in", in, size());
    tensor::check_no_overlap(operation, *out.impl(), {"in", *in.impl()});
    check_destination(operation, "out", out, *member_);
    request.in = in;
    request.out = out;
  });
}

Work ProcessGroup::reduce_scatter(const Tensor& out, const Tensor& in, ReduceOp op,
                                  const CollectiveOptions& options) const {
  return submit(*member_, Kind::kReduceScatter, options,
                [&](const char* operation, Request& request) {
                  check_source(operation, "in", in, *member_);
                  check_joinable(operation, op, in);
                  static_cast<void>(impl_of(operation, out, "out"));
                  check_rows(operation, "in", in, "out", out, size());
                  tensor::check_no_overlap(operation, *out.impl(), {"in", *in.impl()});
                  check_destination(operation, "out", out, *member_);
                  request.op = op;
                  request.in = in;
                  request.out = out;
                });
}

Work ProcessGroup::barrier(const CollectiveOptions& options) const {
  return submit(*member_, Kind::kBarrier, options, [](const char*, Request&) {});
}

// ------------------------------------------------------------------------------------ work ---

Work::Work(std::shared_ptr<distributed::Operation> operation, std::vector<Tensor> tensors)
    : operation_(std::move(operation)), tensors_(std::move(tensors)) {}

bool Work::is_done() const { return operation_->has_ended(); }

void Work::wait(std::chrono::nanoseconds timeout) const {
  runtime::check_no_callback("wait");
  const std::uint64_t deadline_ns = base::deadline_after(timeout.count());
  if (!operation_->wait_until(deadline_ns)) {
    raise(ErrorCode::kTimedOut,
          "[wait] {} has not ended: expected {} within {} ms. Wait again, or abort() the group.",
          operation_->name(), operation_->missing(),
          std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
  }
  for (const Tensor& each : tensors_) {
    for (const runtime::Position& use : each.impl()->buffer().uses_before(/*writes=*/false)) {
      // Not for the operations that came later.
      if (dynamic_cast<const distributed::Operation*>(use.queue.get()) != nullptr) continue;
      use.queue->wait_on_host(use.sequence, "wait", deadline_ns);
    }
  }
  base::end_if_cancelled();
}

}  // namespace patchbay
