// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What carries out a group's operations once all its members of this process have come.
#ifndef PATCHBAY_CORE_DISTRIBUTED_CARRIER_H_
#define PATCHBAY_CORE_DISTRIBUTED_CARRIER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/distributed/member.h"

namespace patchbay::distributed {

/// When an operation must have ended, and the time that it was given, for messages.
struct Deadline {
  std::uint64_t at_ns = UINT64_MAX;
  std::chrono::nanoseconds timeout{0};
};

/// The group's thread calls these functions, and any thread those that say so.
class Carrier {
 public:
  virtual ~Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  /// The members of all processes, and the rank of this process's first one. Any thread.
  virtual std::size_t size() const = 0;
  virtual std::size_t first_rank() const = 0;
  /// What is known of the members, by rank, without the group's failure. Any thread.
  virtual std::vector<MemberHealth> members() const = 0;

  /// Queues the work of an operation on the members' devices. Errors: those of copies, operations
  /// and engines.
  virtual void carry_out(const std::vector<Request>& requests, const Deadline& deadline) = 0;
  /// The members of this process do not agree: tells the others.
  virtual void refuse(const Error&) noexcept {}
  /// Whether no later operation can take place.
  virtual bool is_broken() const noexcept { return false; }
  /// Ends the operation that is carried out. Any thread.
  virtual void interrupt(std::string_view) noexcept {}
  /// The members of this process ask for nothing more.
  virtual void leave(std::string_view) noexcept {}

 protected:
  Carrier() = default;
};

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_CARRIER_H_
