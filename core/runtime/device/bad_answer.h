// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Errors for invalid answers of an open device's plugin.
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_BAD_ANSWER_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_BAD_ANSWER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/plugin/host.h"

namespace patchbay::runtime {

struct DeviceInfo;
struct DeviceState;

/// Errors: kPluginFailed, always. `answer` says which entry returned what.
[[noreturn, gnu::cold]] void raise_bad_answer(const DeviceState& device, std::string_view operation,
                                              std::string_view answer);
[[noreturn, gnu::cold]] void raise_no_object(const DeviceState& device, std::string_view operation,
                                             std::string_view entry);

/// Returns what is wrong with memory from a plugin, as far as the core can tell, or nothing.
std::string find_memory_fault(const DeviceInfo& device, patchbay_memory memory, std::uint32_t kind,
                              std::uint64_t alignment_bytes);
/// Checks memory that `entry` returned with success. Errors: kPluginFailed if there is none, or if
/// find_memory_fault finds something.
void check_memory(const DeviceState& device, std::string_view operation, std::string_view entry,
                  patchbay_memory memory, std::uint32_t kind = PATCHBAY_MEMORY_DEVICE,
                  std::uint64_t alignment_bytes = 1);

/// Calls an entry that gives an object of the plugin's. `object` is null after a failure, whatever
/// the plugin has written.
template <class T, class Entry>
patchbay_status* ask_for(T*& object, const Entry& entry) {
  T* answer = nullptr;
  patchbay_status* const status = entry(&answer);
  object = status == nullptr ? answer : nullptr;
  return status;
}

/// Checks what `entry` returned with success. Errors: kPluginFailed if it is null.
template <class T>
T* given(T* object, const DeviceState& device, std::string_view operation, std::string_view entry) {
  if (object == nullptr) [[unlikely]]
    raise_no_object(device, operation, entry);
  return object;
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_BAD_ANSWER_H_
