// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Errors for invalid answers of an open device's plugin.
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_BAD_ANSWER_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_BAD_ANSWER_H_

#include <string_view>

namespace patchbay::runtime {

struct DeviceState;

/// Errors: kPluginFailed, always. `answer` says which entry returned what.
[[noreturn, gnu::cold]] void raise_bad_answer(const DeviceState& device, std::string_view operation,
                                              std::string_view answer);
[[noreturn, gnu::cold]] void raise_no_object(const DeviceState& device, std::string_view operation,
                                             std::string_view entry);

/// Checks what `entry` returned with success. Errors: kPluginFailed if it is null.
template <class T>
T* given(T* object, const DeviceState& device, std::string_view operation, std::string_view entry) {
  if (object == nullptr) [[unlikely]]
    raise_no_object(device, operation, entry);
  return object;
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_BAD_ANSWER_H_
