// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The members of a group that this process has. They meet here; a thread of the group lets its
// carrier carry out each operation once all have come, in order.
#ifndef PATCHBAY_CORE_DISTRIBUTED_LOCAL_GROUP_H_
#define PATCHBAY_CORE_DISTRIBUTED_LOCAL_GROUP_H_

#include <chrono>
#include <memory>
#include <vector>

#include "core/distributed/carrier.h"

namespace patchbay::distributed {

/// The members of the devices, in the order of the ranks. The thread starts with the first
/// operation and ends with the last member, which waits for it up to kPatience. Deadlines count
/// from the first request of an operation.
std::vector<std::shared_ptr<Member>> make_local_group(const std::vector<Device>& devices,
                                                      std::unique_ptr<Carrier> carrier,
                                                      std::chrono::nanoseconds timeout);

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_LOCAL_GROUP_H_
