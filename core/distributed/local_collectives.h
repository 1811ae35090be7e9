// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Carries out the operations of a group between devices of one process.
#ifndef PATCHBAY_CORE_DISTRIBUTED_LOCAL_COLLECTIVES_H_
#define PATCHBAY_CORE_DISTRIBUTED_LOCAL_COLLECTIVES_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "patchbay/autograd.h"

#include "core/distributed/carrier.h"

namespace patchbay::distributed {

/// Works for a member: its copies have its tag, guard and streams, and nothing is recorded.
class InContext {
 public:
  explicit InContext(const Request& request) : scope_(request.context) {}

 private:
  const ThreadContext::Scope scope_;
  const NoGrad no_grad_;
};

/// The elements of a tensor in one dimension: itself, or a packed copy.
struct Flat {
  static Flat read(const Tensor& tensor);
  /// Brings back what was written to a packed copy.
  void finish() const;
  Tensor part(std::int64_t begin, std::int64_t end) const { return elements.slice(0, begin, end); }

  Tensor tensor, elements;
  bool is_packed = false;
};

/// The dtype in which elements are joined: f32 for sums of 16-bit floats, which are rounded once.
DType dtype_of_joins(ReduceOp op, DType dtype);
/// Joins the parts in their order into `out`, on its device. Part `out_rank` may be `out` itself.
void join(const Tensor& out, const std::vector<Tensor>& parts, std::size_t out_rank, ReduceOp op);

/// Where a share begins if `count` elements are divided as equally as possible.
std::int64_t begin_of_share(std::int64_t count, std::int64_t num_shares, std::int64_t share);

/// "all_reduce (sum) of f32 [3] on cpu:0"
std::string describe(const Request& request);
/// With another text for the tensor; none if that is empty.
std::string describe(const Request& request, const std::string& operand);

/// What the members are told where one's own call failed.
Error refusal_of(Kind kind, const std::string& member, const std::exception_ptr& why);

/// Why the members' requests, in the order of the ranks from `first_rank` on, are not one
/// operation: another operation, root, dtype or shape, or common memory. Empty if they are.
std::optional<Error> mismatch(const std::vector<Request>& requests, std::size_t first_rank,
                              const std::vector<Device>& devices);

/// A group between the devices of this process alone. What is copied for a sum takes at most a few
/// MiB a member at a time.
class LocalCarrier final : public Carrier {
 public:
  explicit LocalCarrier(const std::vector<Device>& devices) : devices_(devices) {}

  std::size_t size() const override { return devices_.size(); }
  std::size_t first_rank() const override { return 0; }
  std::vector<MemberHealth> members() const override;
  void carry_out(const std::vector<Request>& requests, const Deadline& deadline) override;

 private:
  const std::vector<Device> devices_;
};

/// Queues an operation between the members of this process; a root is their index.
void carry_out_here(const std::vector<Request>& requests);

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_LOCAL_COLLECTIVES_H_
