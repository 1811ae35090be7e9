// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A group over several processes: the members of each one join their tensors first, then the
// processes do, through an engine.
#ifndef PATCHBAY_CORE_DISTRIBUTED_ENGINE_CARRIER_H_
#define PATCHBAY_CORE_DISTRIBUTED_ENGINE_CARRIER_H_

#include <memory>
#include <vector>

#include "core/distributed/carrier.h"
#include "core/runtime/plugin/engine_state.h"

namespace patchbay::distributed {

/// Joins the group of the processes that were launched together, and learns their members. Blocks
/// until the deadline at most. Errors: as EngineGroup; kTimedOut.
std::unique_ptr<Carrier> make_engine_carrier(const std::vector<Device>& devices,
                                             runtime::EngineUse engine, const Deadline& deadline);

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_ENGINE_CARRIER_H_
