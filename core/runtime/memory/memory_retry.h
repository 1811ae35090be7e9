// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Retries plugin calls that need device memory (a library's handle, a program's code).
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_MEMORY_RETRY_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_MEMORY_RETRY_H_

#include "core/base/status.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/memory/allocator.h"

namespace patchbay::runtime {

/// Calls `attempt`, an entry of the device's plugin. If the device is out of memory, returns unused
/// cached memory to the driver and calls it once more. Returns the last status.
template <class Attempt>
patchbay_status* retry_with_memory(DeviceState& device, const Attempt& attempt) {
  patchbay_status* const status = attempt();
  const bool is_worth_it = status != nullptr && status->code == PATCHBAY_OUT_OF_MEMORY &&
                           (status->flags & PATCHBAY_STATUS_RETRYABLE) != 0;
  if (!is_worth_it) return status;
  const base::StatusHolder first(status);
  device.runtime.finish_copies_for_memory(device);
  device.allocator->trim();
  return attempt();
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_MEMORY_RETRY_H_
