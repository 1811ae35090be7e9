// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Bytes that the layer writes to memory, and looks for later. The layer's mutex is not held.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_GUARD_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_GUARD_H_

#include <cstdint>
#include <string>

#include "core/runtime/validation/records.h"

namespace patchbay::runtime::validation {

/// At least so many bytes stand guard at either end.
constexpr std::uint64_t kGuardBytes = 256;

/// Whether the host may use the device's memory of that kind by its address.
bool is_addressable(const DeviceRecord& device, std::uint32_t kind);

/// Writes the guards, and NaN (all bits set) into what is between them. Memory that can't be
/// written stays unguarded.
void set_guards(Block& block);
/// Empty, or what has become of them: "4 changed bytes, up to 4 bytes after its end". Mends them.
std::string take_damage(Block& block);
/// Looks at the block no more.
void leave_alone(Block& block);
/// Writes over what the caller has given back.
void fill_released(Block& block);
/// Empty, or what was written after that: "4 changed bytes, the first at offset 12".
std::string take_late_writes(Block& block);
/// The memory is about to go: nobody looks at it any more.
void forget_guards(Block& block);

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_GUARD_H_
