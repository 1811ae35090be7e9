// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/distributed/engine_carrier.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "patchbay/ops.h"
#include "patchbay/runtime.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/status.h"
#include "core/distributed/engine_group.h"
#include "core/distributed/local_collectives.h"
#include "core/runtime/memory/buffer_state.h"
#include "core/tensor/base/tensor_impl.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay::distributed {
namespace {

using Transfers = std::vector<patchbay_transfer>;
using Bounds = std::vector<std::int64_t>;  // one more than there are processes

/// What a process tells the others of itself.
struct Introduction {
  static constexpr std::size_t kMostDevices = 32;
  char host[64];
  std::int64_t process;
  std::uint32_t num_devices, reserved;
  char devices[kMostDevices][32];
};

Introduction introduce(const std::vector<Device>& devices) {
  if (devices.size() > Introduction::kMostDevices) {
    base::raise(ErrorCode::kInvalidArgument,
                "[join] too many devices of one process: expected at most {}, got {}.",
                Introduction::kMostDevices, devices.size());
  }
  Introduction own{};
  gethostname(own.host, sizeof(own.host) - 1);
  own.process = getpid();
  own.num_devices = static_cast<std::uint32_t>(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].name().copy(own.devices[i], sizeof(own.devices[i]) - 1);
  }
  return own;
}

std::string text_of(const char* text, std::size_t size) {
  return base::one_line(std::string_view(text, strnlen(text, size)));
}

/// What is equal on all processes: the device is not.
std::string common_text(const Request& request) {
  const Tensor& tensor = request.tensor();
  return describe(request, tensor.defined()
                               ? fmt::format("{} {}", patchbay::to_string(tensor.dtype()),
                                             patchbay::to_string(tensor.shape()))
                               : "");
}

/// Without what the error of another process has already: the operation, and the last full stop.
std::string without_end(std::string_view text) {
  text = base::without_operation(text);
  while (text.ends_with('.')) text.remove_suffix(1);
  return std::string(text);
}

ErrorCode code_of(std::int32_t code) {
  patchbay_status status;
  status.code = code;
  return base::code_of(status);
}

patchbay_transfer barrier() {
  patchbay_transfer transfer{};
  transfer.kind = PATCHBAY_BARRIER;
  return transfer;
}

/// The elements where an engine can read and write them: in place if the host can address them,
/// else a copy on a CPU device.
Tensor on_host(const Tensor& elements, const Device& host) {
  return elements.device().properties().host_addressable ? elements : elements.to(host);
}

/// Waits until the elements can be read, or written, by their address.
patchbay_memory address_of(const Tensor& elements, bool writes, const char* operation) {
  if (elements.num_elements() == 0) return {};
  const tensor::TensorImpl& impl = *elements.impl();
  impl.buffer().wait_on_host(writes, operation);
  if (writes) impl.buffer().note_written();
  return {reinterpret_cast<void*>(runtime::address_of(impl.buffer())), impl.offset_bytes};
}

patchbay_transfer transfer_of(std::uint8_t kind, const Tensor& elements, std::size_t peer,
                              const char* operation) {
  patchbay_transfer transfer{};
  transfer.kind = kind;
  transfer.dtype = static_cast<std::uint8_t>(elements.dtype());
  transfer.peer = static_cast<std::uint32_t>(peer);
  transfer.count = static_cast<std::uint64_t>(elements.num_elements());
  const bool writes = kind == PATCHBAY_RECEIVE;
  (writes ? transfer.to : transfer.from) = address_of(elements, writes, operation);
  return transfer;
}

class EngineCarrier final : public Carrier {
 public:
  EngineCarrier(const std::vector<Device>& devices, runtime::EngineUse engine,
                const Deadline& deadline)
      : devices_(devices),
        host_(host_of(devices[0])),
        engine_(devices[0].state().runtime.shared_from_this(), std::move(engine), deadline.at_ns) {
    learn_members(deadline);
  }

  std::size_t size() const override { return members_.size(); }
  std::size_t first_rank() const override { return first_ranks_[engine_.rank()]; }
  std::vector<MemberHealth> members() const override;
  void carry_out(const std::vector<Request>& requests, const Deadline& deadline) override;
  void refuse(const Error& why) noexcept override { abort_for(why.what()); }
  bool is_broken() const noexcept override { return engine_.has_failed(); }
  void interrupt(std::string_view reason) noexcept override;
  void leave(std::string_view reason) noexcept override { engine_.leave(reason); }

 private:
  struct MemberOf {
    std::size_t process;
    MemberHealth description;
  };
  /// One operation: its requests, and what its calls have in common.
  struct Operation {
    const std::vector<Request>& requests;
    const Deadline& deadline;
    const char* name;
    std::string text;
  };

  void abort_for(const char* error) noexcept;
  static Device host_of(const Device& device) {
    return device.properties().host_addressable ? device : device.runtime().device("cpu");
  }
  void learn_members(const Deadline& deadline);
  std::size_t process_of(std::size_t rank) const { return members_[rank].process; }

  /// Starts the transfers and waits for them. The tensors have the memory.
  void run(const Operation& operation, const Transfers& transfers, std::vector<Tensor> tensors);
  Error error_of(const Operation& operation, const StatusFailure& failure) const;
  std::string names_of(const std::vector<bool>& processes) const;

  void all_reduce(const Operation& operation);
  void reduce(const Operation& operation);
  void broadcast(const Operation& operation);
  void all_gather(const Operation& operation);
  void reduce_scatter(const Operation& operation);
  Tensor join_here(const Operation& operation);
  void join_share(const Operation& operation, const Tensor& all, const Tensor& out,
                  std::size_t out_rank, const Bounds& bounds);
  void gather(const Operation& operation, const Tensor& all, const Bounds& bounds);
  Bounds shares_of(std::int64_t count) const;
  Bounds members_shares(std::int64_t each) const;
  Tensor new_on_host(const Tensor& like) const;
  static bool is_elements_of(const Tensor& elements, const Tensor& of);

  const std::vector<Device> devices_;
  const Device host_;
  EngineGroup engine_;
  std::vector<std::size_t> first_ranks_;    // by process
  std::vector<MemberOf> members_;           // by rank
  std::atomic<std::uint64_t> num_done_{0};  // operations that all members have asked for
};

void EngineCarrier::learn_members(const Deadline& deadline) {
  const Introduction own = introduce(devices_);
  const auto size = static_cast<std::int64_t>(sizeof(own));
  // In tensors, because the engine may use the memory after a failure.
  const Tensor sent = from_host_bytes(&own, DType::u8, {size}, host_);
  const Tensor received =
      empty({static_cast<std::int64_t>(engine_.size()), size}, {DType::u8, host_});
  patchbay_transfer gather{};
  gather.kind = PATCHBAY_ALL_GATHER;
  gather.dtype = PATCHBAY_U8;
  gather.count = sizeof(own);
  gather.from = address_of(sent, /*writes=*/false, "join");
  gather.to = address_of(received, /*writes=*/true, "join");
  const std::vector<Request> none;
  const Operation operation{none, deadline, "join", "join: who is there"};
  try {
    run(operation, {gather}, {sent, received});
  } catch (const StatusFailure& failure) {
    throw error_of(operation, failure);
  }
  std::vector<Introduction> all(engine_.size());
  const std::vector<std::uint8_t> bytes =
      received.view({received.num_elements()}).to_vector<std::uint8_t>();
  std::memcpy(all.data(), bytes.data(), bytes.size());
  for (std::size_t process = 0; process < all.size(); ++process) {
    const Introduction& each = all[process];
    first_ranks_.push_back(members_.size());
    const std::size_t count = std::min<std::size_t>(each.num_devices, Introduction::kMostDevices);
    for (std::size_t i = 0; i < count; ++i) {
      MemberHealth member;
      member.rank = static_cast<int>(members_.size());
      member.host = text_of(each.host, sizeof(each.host));
      member.process = each.process;
      member.device = text_of(each.devices[i], sizeof(each.devices[i]));
      members_.push_back({process, std::move(member)});
    }
  }
}

std::vector<MemberHealth> EngineCarrier::members() const {
  const std::vector<ProcessHealth> health = engine_.health();
  std::vector<MemberHealth> all;
  for (const MemberOf& each : members_) {
    const ProcessHealth& process = health[each.process];
    MemberHealth& member = all.emplace_back(each.description);
    member.is_lost = process.state == PATCHBAY_MEMBER_LOST;
    if (member.is_lost) member.reason = process.reason;
    member.num_calls = num_done_.load();
  }
  return all;
}

// ------------------------------------------------------------------------------------ calls ---

void EngineCarrier::run(const Operation& operation, const Transfers& transfers,
                        std::vector<Tensor> tensors) {
  engine_.finish(
      engine_.start(transfers, operation.text, operation.deadline.at_ns, std::move(tensors)));
}

/// "rank 1 (node2, process 4711, cpu:0), rank 2 (...)", of the members of those processes.
std::string EngineCarrier::names_of(const std::vector<bool>& processes) const {
  std::string names;
  for (const MemberOf& each : members_) {
    if (!processes[each.process]) continue;
    const MemberHealth& member = each.description;
    names += fmt::format("{}rank {} ({}, process {}, {})", names.empty() ? "" : ", ", member.rank,
                         member.host, member.process, member.device);
  }
  return names;
}

/// Names the member at fault, and those that are in the same state for the same reason.
Error EngineCarrier::error_of(const Operation& operation, const StatusFailure& failure) const {
  const auto at_fault = static_cast<std::size_t>(failure.process);
  const std::vector<ProcessHealth> health = engine_.health();
  if (failure.process < 0 || at_fault >= health.size() ||
      health[at_fault].state == PATCHBAY_MEMBER_WELL) {
    return {code_of(failure.code),
            fmt::format("[{}] {}. Make a new group.", operation.name, failure.message)};
  }
  const ProcessHealth& first = health[at_fault];
  std::vector<bool> processes;
  for (const ProcessHealth& each : health) {
    processes.push_back(each.state == first.state && each.reason == first.reason);
  }
  const std::string names = names_of(processes);
  if (names.empty()) {  // the members are not known yet
    return {code_of(failure.code), fmt::format("[{}] {}.", operation.name, failure.message)};
  }
  if (first.state == PATCHBAY_MEMBER_LATE) {
    const auto limit =
        std::chrono::duration_cast<std::chrono::milliseconds>(operation.deadline.timeout);
    return {ErrorCode::kTimedOut,
            fmt::format("[{}] members did not come within {} ms: {}. Make the same calls on all "
                        "members, and a new group.",
                        operation.name, limit.count(), names)};
  }
  return {ErrorCode::kLaunchFailed, fmt::format("[{}] {} is lost: {}. Make a new group without it.",
                                                operation.name, names, first.reason)};
}

void EngineCarrier::interrupt(std::string_view reason) noexcept {
  try {
    engine_.abort(fmt::format("the group was aborted: {}", reason));
  } catch (...) {
    engine_.abort(reason);
  }
}

/// Tells the other processes of an error of this one.
void EngineCarrier::abort_for(const char* error) noexcept {
  try {
    engine_.abort(without_end(error));
  } catch (...) {
    engine_.abort("a call failed, and no memory was left to say why");
  }
}

void EngineCarrier::carry_out(const std::vector<Request>& requests, const Deadline& deadline) {
  const Request& first = requests[0];
  const Operation operation{requests, deadline, to_string(first.kind), common_text(first)};
  try {
    const bool is_empty = first.tensor().defined() && first.tensor().num_elements() == 0;
    switch (is_empty ? Kind::kBarrier : first.kind) {
      case Kind::kBroadcast: broadcast(operation); break;
      case Kind::kAllReduce: all_reduce(operation); break;
      case Kind::kReduce: reduce(operation); break;
      case Kind::kAllGather: all_gather(operation); break;
      case Kind::kReduceScatter: reduce_scatter(operation); break;
      case Kind::kBarrier: run(operation, {barrier()}, {}); break;
    }
    num_done_.fetch_add(1);
  } catch (const StatusFailure& failure) {
    throw error_of(operation, failure);
  } catch (const std::exception& error) {
    // The other processes wait for this one's next call.
    abort_for(error.what());
    throw;
  }
}

// ------------------------------------------------------------------------------------- sums ---

/// The sum of this process's members, on the first one's device: its own input if it is alone.
/// Sums of 16-bit floats stay in f32.
Tensor EngineCarrier::join_here(const Operation& operation) {
  const Request& first = operation.requests[0];
  const InContext context(first);
  const Tensor own = Flat::read(first.in).elements;
  if (operation.requests.size() == 1) return own;
  std::vector<Tensor> parts;
  const DType dtype = dtype_of_joins(first.op, own.dtype());
  for (const Request& each : operation.requests) {
    const Tensor elements = Flat::read(each.in).elements;
    parts.push_back(elements.to(own.device(), {.copy = false, .non_blocking = true}).cast(dtype));
  }
  const Tensor sum = own.new_empty(own.shape(), dtype);
  join(sum, parts, parts.size(), first.op);
  return sum;
}

/// Joins all processes' elements between the bounds of this one into `out`, part `out_rank` of them
/// if that is less than their number.
void EngineCarrier::join_share(const Operation& operation, const Tensor& all, const Tensor& out,
                               std::size_t out_rank, const Bounds& bounds) {
  const std::size_t own = engine_.rank(), size = engine_.size();
  const std::int64_t begin = bounds[own], count = bounds[own + 1] - begin;
  const Tensor others = all.new_empty({static_cast<std::int64_t>(size), count}, all.dtype());
  Transfers transfers = {barrier()};
  std::vector<Tensor> parts;
  for (std::size_t process = 0; process < size; ++process) {
    if (process == own) {
      parts.push_back(all.slice(0, begin, begin + count));
      continue;
    }
    const Tensor part = others.select(0, static_cast<std::int64_t>(process));
    parts.push_back(part);
    transfers.push_back(transfer_of(PATCHBAY_SEND,
                                    all.slice(0, bounds[process], bounds[process + 1]), process,
                                    operation.name));
    transfers.push_back(transfer_of(PATCHBAY_RECEIVE, part, process, operation.name));
  }
  run(operation, transfers, {all, others});
  if (count > 0) join(out, parts, out_rank, operation.requests[0].op);
}

/// The processes' equal shares of some elements.
Bounds EngineCarrier::shares_of(std::int64_t count) const {
  const auto size = static_cast<std::int64_t>(engine_.size());
  Bounds bounds;
  for (std::int64_t i = 0; i <= size; ++i) {
    bounds.push_back(begin_of_share(count, size, i));
  }
  return bounds;
}

/// The elements of the processes' members, `each` for a member.
Bounds EngineCarrier::members_shares(std::int64_t each) const {
  Bounds bounds;
  for (const std::size_t first : first_ranks_) {
    bounds.push_back(static_cast<std::int64_t>(first) * each);
  }
  bounds.push_back(static_cast<std::int64_t>(size()) * each);
  return bounds;
}

/// Every process gets the others' elements between their bounds, into place.
void EngineCarrier::gather(const Operation& operation, const Tensor& all, const Bounds& bounds) {
  const std::size_t own = engine_.rank();
  Transfers transfers = {barrier()};
  for (std::size_t process = 0; process < engine_.size(); ++process) {
    if (process == own) continue;
    transfers.push_back(transfer_of(PATCHBAY_SEND, all.slice(0, bounds[own], bounds[own + 1]),
                                    process, operation.name));
    transfers.push_back(transfer_of(PATCHBAY_RECEIVE,
                                    all.slice(0, bounds[process], bounds[process + 1]), process,
                                    operation.name));
  }
  run(operation, transfers, {all});
  all.impl()->buffer().note_written();
}

/// Writes the elements, on any device, to the output of a member of this process.
void write(const Request& to, const Tensor& elements) {
  const InContext context(to);
  const Tensor cast = elements.cast(to.out.dtype());
  to.out.copy_from(cast.view(to.out.shape()), /*non_blocking=*/true);
}

void EngineCarrier::all_reduce(const Operation& operation) {
  const InContext context(operation.requests[0]);
  const Tensor all = on_host(join_here(operation), host_);
  const Bounds bounds = shares_of(all.num_elements());
  const std::size_t own = engine_.rank();
  join_share(operation, all, all.slice(0, bounds[own], bounds[own + 1]), own, bounds);
  gather(operation, all, bounds);
  for (const Request& each : operation.requests) {
    if (!is_elements_of(all, each.out)) write(each, all);
  }
}

void EngineCarrier::reduce(const Operation& operation) {
  const InContext context(operation.requests[0]);
  const Tensor all = on_host(join_here(operation), host_);
  const Bounds bounds = shares_of(all.num_elements());
  const std::size_t own = engine_.rank();
  const auto root = static_cast<std::size_t>(operation.requests[0].root);
  const std::size_t target = process_of(root);
  const Tensor share = all.new_empty({bounds[own + 1] - bounds[own]}, all.dtype());
  join_share(operation, all, share, engine_.size(), bounds);
  Transfers transfers = {barrier()};
  if (own != target) {
    transfers.push_back(transfer_of(PATCHBAY_SEND, share, target, operation.name));
    return run(operation, transfers, {share});
  }
  const Tensor result = all.new_empty(all.shape(), all.dtype());
  for (std::size_t process = 0; process < engine_.size(); ++process) {
    const Tensor part = result.slice(0, bounds[process], bounds[process + 1]);
    if (process == own) {
      part.copy_from(share, /*non_blocking=*/true);
    } else {
      transfers.push_back(transfer_of(PATCHBAY_RECEIVE, part, process, operation.name));
    }
  }
  run(operation, transfers, {result});
  write(operation.requests[root - first_rank()], result);
}

void EngineCarrier::broadcast(const Operation& operation) {
  const auto root = static_cast<std::size_t>(operation.requests[0].root);
  const std::size_t source = process_of(root), own = engine_.rank();
  // Among this process's members: the root, or the first one, which gets the elements.
  const std::size_t here = own == source ? root - first_rank() : 0;
  std::vector<Request> requests = operation.requests;
  {
    const Request& request = requests[here];
    const InContext context(request);
    patchbay_transfer transfer{};
    if (own == source) {
      const Tensor elements = on_host(Flat::read(request.in).elements, host_);
      transfer = transfer_of(PATCHBAY_SEND, elements, source, operation.name);
      transfer.kind = PATCHBAY_BROADCAST;
      run(operation, {transfer}, {elements});
    } else {
      const Tensor elements = new_on_host(request.out);
      transfer = transfer_of(PATCHBAY_RECEIVE, elements, source, operation.name);
      transfer.kind = PATCHBAY_BROADCAST;
      run(operation, {transfer}, {elements});
      elements.impl()->buffer().note_written();
      if (!is_elements_of(elements, request.out)) write(request, elements);
    }
  }
  if (requests.size() == 1) return;
  if (own != source) requests[here].in = std::exchange(requests[here].out, {});
  for (Request& each : requests) each.root = static_cast<int>(here);
  carry_out_here(requests);
}

/// Memory that the host can address, for the elements of a tensor: its own, if it is contiguous.
Tensor EngineCarrier::new_on_host(const Tensor& like) const {
  if (like.device().properties().host_addressable && like.is_contiguous()) {
    return like.detach().view({like.num_elements()});
  }
  return empty({like.num_elements()}, {like.dtype(), host_});
}

bool EngineCarrier::is_elements_of(const Tensor& elements, const Tensor& of) {
  return &elements.impl()->buffer() == &of.impl()->buffer() && of.is_contiguous() &&
         elements.dtype() == of.dtype();
}

void EngineCarrier::all_gather(const Operation& operation) {
  const Request& first = operation.requests[0];
  const InContext context(first);
  const std::int64_t each = first.in.num_elements();
  const Bounds bounds = members_shares(each);
  const Tensor all = new_on_host(first.out);
  for (std::size_t i = 0; i < operation.requests.size(); ++i) {
    const std::int64_t begin = bounds[engine_.rank()] + static_cast<std::int64_t>(i) * each;
    all.slice(0, begin, begin + each)
        .copy_from(Flat::read(operation.requests[i].in).elements, /*non_blocking=*/true);
  }
  gather(operation, all, bounds);
  for (const Request& request : operation.requests) {
    if (!is_elements_of(all, request.out)) write(request, all);
  }
}

void EngineCarrier::reduce_scatter(const Operation& operation) {
  const InContext context(operation.requests[0]);
  const std::int64_t each = operation.requests[0].out.num_elements();
  const Bounds bounds = members_shares(each);
  const Tensor all = on_host(join_here(operation), host_);
  const std::size_t own = engine_.rank();
  const Tensor share = all.new_empty({bounds[own + 1] - bounds[own]}, all.dtype());
  join_share(operation, all, share, engine_.size(), bounds);
  for (std::size_t i = 0; i < operation.requests.size(); ++i) {
    const std::int64_t begin = static_cast<std::int64_t>(i) * each;
    write(operation.requests[i], share.slice(0, begin, begin + each));
  }
}

}  // namespace

std::unique_ptr<Carrier> make_engine_carrier(const std::vector<Device>& devices,
                                             runtime::EngineUse engine, const Deadline& deadline) {
  return std::make_unique<EngineCarrier>(devices, std::move(engine), deadline);
}

}  // namespace patchbay::distributed
