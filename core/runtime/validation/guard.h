// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Guard bytes that the layer writes and checks later. The layer's mutex is not held.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_GUARD_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_GUARD_H_

#include <cstdint>
#include <string>

#include "core/runtime/validation/records.h"

namespace patchbay::runtime::validation {

/// The least number of guard bytes at either end.
constexpr std::uint64_t kGuardBytes = 256;

/// Whether the host can address the device's memory of that kind.
bool is_addressable(const DeviceRecord& device, std::uint32_t kind);

/// Writes the guards, and NaN (all bits set) between them. Memory that can't be written stays
/// unguarded.
void set_guards(Block& block);
/// Repairs damage and describes it: "4 changed bytes, up to 4 bytes after its end"; else empty.
std::string take_damage(Block& block);
/// Stops checking the block.
void leave_alone(Block& block);
/// Overwrites memory that the caller released.
void fill_released(Block& block);
/// Describes what was written after that: "4 changed bytes, the first at offset 12"; else empty.
std::string take_late_writes(Block& block);
/// Stops checking before the memory is freed.
void forget_guards(Block& block);

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_GUARD_H_
