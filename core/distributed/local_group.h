// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A group between devices of one process. Members meet here; a thread of the group carries out each
// operation once all have come, in order.
#ifndef PATCHBAY_CORE_DISTRIBUTED_LOCAL_GROUP_H_
#define PATCHBAY_CORE_DISTRIBUTED_LOCAL_GROUP_H_

#include <chrono>
#include <memory>
#include <vector>

#include "core/distributed/member.h"

namespace patchbay::distributed {

/// The members, in the order of the ranks. The thread starts with the first operation and ends with
/// the last member, which waits for it up to kPatience. Deadlines count from the first request of
/// an operation.
std::vector<std::shared_ptr<Member>> make_local_group(const std::vector<Device>& devices,
                                                      std::chrono::nanoseconds timeout);

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_LOCAL_GROUP_H_
