// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/distributed/local_collectives.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/operands.h"

namespace patchbay::distributed {

// --------------------------------------------------------------------------------- checks ---

std::string describe(const Request& request, const std::string& operand) {
  std::string text = to_string(request.kind);
  const bool joins = request.kind == Kind::kAllReduce || request.kind == Kind::kReduce ||
                     request.kind == Kind::kReduceScatter;
  if (joins) text += fmt::format(" ({})", patchbay::to_string(request.op));
  if (!operand.empty()) text += " of " + operand;
  const bool has_root = request.kind == Kind::kBroadcast || request.kind == Kind::kReduce;
  if (has_root) text += fmt::format(" with root {}", request.root);
  return text;
}

std::string describe(const Request& request) {
  const bool has_operand = request.tensor().defined();
  return describe(request, has_operand ? tensor::describe(*request.tensor().impl()) : "");
}

namespace {

std::optional<ErrorCode> difference(const Request& a, const Request& b) {
  if (a.kind != b.kind || a.root != b.root || a.op != b.op) return ErrorCode::kInvalidArgument;
  if (!a.tensor().defined()) return {};
  if (a.tensor().dtype() != b.tensor().dtype()) return ErrorCode::kDtypeMismatch;
  if (a.tensor().shape() != b.tensor().shape()) return ErrorCode::kShapeMismatch;
  return {};
}

/// Whether an element that one member writes is one that the other reads or writes.
bool share_written(const Request& a, const Request& b) {
  if (!a.out.defined()) return false;
  for (const Tensor& other : {b.in, b.out}) {
    if (other.defined() &&
        tensor::overlap(*a.out.impl(), *other.impl()) != tensor::Overlap::kNone) {
      return true;
    }
  }
  return false;
}

template <class... Args>
Error error_of(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  return {code, fmt::format(format, std::forward<Args>(args)...)};
}

}  // namespace

Error refusal_of(Kind kind, const std::string& member, const std::exception_ptr& why) {
  const auto tell = [&](ErrorCode code, std::string_view text) {
    return error_of(code, "[{}] the call of {} failed: {}", to_string(kind), member, text);
  };
  try {
    std::rethrow_exception(why);
  } catch (const Error& error) {
    return tell(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return tell(ErrorCode::kOutOfMemory, "no memory is left on the host.");
  } catch (const std::exception& error) {
    return tell(ErrorCode::kInternal, "an exception: " + base::one_line(error.what()));
  } catch (...) {
    return tell(ErrorCode::kInternal, "an exception of an unknown type.");
  }
}

std::optional<Error> mismatch(const std::vector<Request>& requests, std::size_t first_rank,
                              const std::vector<Device>& devices) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].refusal == nullptr) continue;
    const std::string member = fmt::format("rank {} ({})", first_rank + i, devices[i].name());
    return refusal_of(requests[i].kind, member, requests[i].refusal);
  }
  for (std::size_t i = 1; i < requests.size(); ++i) {
    if (const auto code = difference(requests[0], requests[i])) {
      return error_of(
          *code,
          "[{}] members ask for different operations: expected {}, as rank {} does, got "
          "{} of rank {}. Make the same calls in the same order on all members.",
          to_string(requests[0].kind), describe(requests[0]), first_rank, describe(requests[i]),
          first_rank + i);
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!share_written(requests[i], requests[k]) && !share_written(requests[k], requests[i])) {
        continue;
      }
      return error_of(ErrorCode::kInvalidArgument,
                      "[{}] tensors of two members overlap, of ranks {} and {} ({}). Clone one of "
                      "them.",
                      to_string(requests[0].kind), first_rank + k, first_rank + i,
                      describe(requests[i]));
    }
  }
  return {};
}

// ---------------------------------------------------------------------------------- parts ---

Flat Flat::read(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  return {tensor, tensor.detach().contiguous().view({tensor.num_elements()}),
          !tensor.is_contiguous()};
}

void Flat::finish() const {
  if (is_packed) tensor.copy_from(elements.view(tensor.shape()), /*non_blocking=*/true);
}

namespace {

/// The operands of all members, by rank.
struct Operands {
  explicit Operands(const std::vector<Request>& of) : requests(of) {
    for (const Request& request : requests) {
      const InContext context(request);
      in.push_back(Flat::read(request.in));
      const bool is_same =
          request.in.defined() && request.out.defined() && request.out.is_same(request.in);
      out.push_back(is_same ? in.back() : Flat::read(request.out));
    }
  }
  void finish() const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!out[i].is_packed) continue;
      const InContext context(requests[i]);
      out[i].finish();
    }
  }
  std::size_t size() const { return requests.size(); }

  const std::vector<Request>& requests;
  std::vector<Flat> in, out;
};

// ----------------------------------------------------------------------------------- sums ---

void join_out(const Tensor& out, const Tensor& a, const Tensor& b, ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum: add_out(out, a, b); return;
    case ReduceOp::kMax: maximum_out(out, a, b); return;
    case ReduceOp::kMin: minimum_out(out, a, b); return;
  }
}

}  // namespace

DType dtype_of_joins(ReduceOp op, DType dtype) {
  return op == ReduceOp::kSum && tensor::is_small(dtype) ? DType::f32 : dtype;
}

void join(const Tensor& out, const std::vector<Tensor>& parts, std::size_t out_rank, ReduceOp op) {
  std::vector<Tensor> here;  // all copies are queued before the first sum
  for (const Tensor& part : parts) {
    here.push_back(part.to(out.device(), {.copy = false, .non_blocking = true}));
  }
  if (here.size() == 1) {
    out.copy_from(here[0], /*non_blocking=*/true);
    return;
  }
  const DType dtype = dtype_of_joins(op, out.dtype());
  // `out` may be written at once unless it is a part that is read later.
  const bool in_place = dtype == out.dtype() && out_rank < 2;
  const Tensor sum = in_place ? out : out.new_empty(out.shape(), dtype);
  join_out(sum, here[0].cast(dtype), here[1].cast(dtype), op);
  for (std::size_t i = 2; i < here.size(); ++i) join_out(sum, sum, here[i].cast(dtype), op);
  if (!in_place) out.copy_from(sum, /*non_blocking=*/true);
}

std::int64_t begin_of_share(std::int64_t count, std::int64_t num_shares, std::int64_t share) {
  return count / num_shares * share + std::min(share, count % num_shares);
}

namespace {

/// Calls body(begin, end) for the elements from `begin` to `end` in pieces of a few MiB.
template <class Body>
void in_chunks(std::int64_t begin, std::int64_t end, DType dtype, Body body) {
  constexpr std::size_t kChunkBytes = 4 << 20;
  const auto step = static_cast<std::int64_t>(kChunkBytes / size_bytes(dtype));
  for (std::int64_t first = begin; first < end; first += step) {
    body(first, std::min(first + step, end));
  }
}

/// Joins the members' elements of a range on the device of rank `at`, into its output.
void join_range(const Operands& operands, std::size_t at, std::int64_t begin, std::int64_t end) {
  const InContext context(operands.requests[at]);
  std::vector<Tensor> parts;
  for (const Flat& each : operands.in) parts.push_back(each.part(begin, end));
  join(operands.out[at].part(begin, end), parts, at, operands.requests[at].op);
}

void copy_range(const Operands& operands, const Flat& from, std::size_t to, std::int64_t begin,
                std::int64_t end) {
  const InContext context(operands.requests[to]);
  operands.out[to].part(begin, end).copy_from(from.part(begin, end), /*non_blocking=*/true);
}

/// Whether the devices work at the same time, so that each should sum a share. Devices that compute
/// in the call that submits would do it one after the other, in more and smaller steps.
bool shares_pay(const Operands& operands) {
  std::vector<Device> queueing;
  for (const Flat& each : operands.out) {
    const Device device = each.tensor.device();
    if (device.properties().completes_inline) continue;
    if (std::ranges::find(queueing, device) == queueing.end()) queueing.push_back(device);
  }
  return queueing.size() > 1;
}

void all_reduce(const Operands& operands) {
  const std::int64_t count = operands.in[0].elements.num_elements();
  const auto size = static_cast<std::int64_t>(operands.size());
  const std::int64_t num_shares = shares_pay(operands) ? std::min(size, count) : 1;
  for (std::int64_t share = 0; share < num_shares; ++share) {
    const auto at = static_cast<std::size_t>(share);
    const auto bound = [&](std::int64_t i) { return begin_of_share(count, num_shares, i); };
    in_chunks(bound(share), bound(share + 1), operands.in[0].elements.dtype(),
              [&](std::int64_t begin, std::int64_t end) {
                join_range(operands, at, begin, end);
                for (std::size_t to = 0; to < operands.size(); ++to) {
                  if (to != at) copy_range(operands, operands.out[at], to, begin, end);
                }
              });
  }
}

void reduce(const Operands& operands, std::size_t root) {
  in_chunks(0, operands.in[0].elements.num_elements(), operands.in[0].elements.dtype(),
            [&](std::int64_t begin, std::int64_t end) { join_range(operands, root, begin, end); });
}

void broadcast(const Operands& operands, std::size_t root) {
  const Flat& from = operands.in[root];
  for (std::size_t to = 0; to < operands.size(); ++to) {
    if (to != root) copy_range(operands, from, to, 0, from.elements.num_elements());
  }
}

void all_gather(const Operands& operands) {
  const std::int64_t count = operands.in[0].elements.num_elements();
  for (std::size_t to = 0; to < operands.size(); ++to) {
    const InContext context(operands.requests[to]);
    for (std::size_t from = 0; from < operands.size(); ++from) {
      const std::int64_t begin = static_cast<std::int64_t>(from) * count;
      operands.out[to]
          .part(begin, begin + count)
          .copy_from(operands.in[from].elements, /*non_blocking=*/true);
    }
  }
}

void reduce_scatter(const Operands& operands) {
  const std::int64_t count = operands.out[0].elements.num_elements();
  for (std::size_t to = 0; to < operands.size(); ++to) {
    const InContext context(operands.requests[to]);
    const std::int64_t offset = static_cast<std::int64_t>(to) * count;
    in_chunks(
        0, count, operands.out[0].elements.dtype(), [&](std::int64_t begin, std::int64_t end) {
          std::vector<Tensor> parts;
          for (const Flat& each : operands.in)
            parts.push_back(each.part(offset + begin, offset + end));
          join(operands.out[to].part(begin, end), parts, /*out_rank=*/0, operands.requests[to].op);
        });
  }
}

}  // namespace

std::vector<MemberHealth> LocalCarrier::members() const {
  std::vector<MemberHealth> all(devices_.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    all[rank].rank = static_cast<int>(rank);
    all[rank].device = devices_[rank].name();
  }
  return all;
}

void LocalCarrier::carry_out(const std::vector<Request>& requests, const Deadline&) {
  carry_out_here(requests);
}

void carry_out_here(const std::vector<Request>& requests) {
  const Request& first = requests[0];
  if (first.kind == Kind::kBarrier || first.tensor().num_elements() == 0) return;
  const Operands operands(requests);
  const auto root = static_cast<std::size_t>(first.root);
  switch (first.kind) {
    case Kind::kBroadcast: broadcast(operands, root); break;
    case Kind::kAllReduce: all_reduce(operands); break;
    case Kind::kReduce: reduce(operands, root); break;
    case Kind::kAllGather: all_gather(operands); break;
    case Kind::kReduceScatter: reduce_scatter(operands); break;
    case Kind::kBarrier: break;
  }
  operands.finish();
}

}  // namespace patchbay::distributed
