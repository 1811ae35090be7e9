// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Carries out the operations of a group between devices of one process.
#ifndef PATCHBAY_CORE_DISTRIBUTED_LOCAL_COLLECTIVES_H_
#define PATCHBAY_CORE_DISTRIBUTED_LOCAL_COLLECTIVES_H_

#include <cstddef>
#include <exception>
#include <optional>
#include <vector>

#include "core/distributed/member.h"

namespace patchbay::distributed {

/// What the members are told where one's own call failed.
Error refusal_of(Kind kind, std::size_t rank, const Device& device, const std::exception_ptr& why);

/// Why the members' requests, in the order of the ranks, are not one operation: another operation,
/// root, dtype or shape, or common memory. Empty if they are.
std::optional<Error> mismatch(const std::vector<Request>& requests,
                              const std::vector<Device>& devices);

/// Queues the work of an operation on the members' devices, each in the context of the member that
/// it writes to. What is copied for a sum takes at most a few MiB a member at a time. Errors: those
/// of copies and operations.
void carry_out(const std::vector<Request>& requests);

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_LOCAL_COLLECTIVES_H_
