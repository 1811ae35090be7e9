// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/bad_answer.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/search/arrival.h"

namespace patchbay::runtime {

void raise_bad_answer(const DeviceState& device, std::string_view operation,
                      std::string_view answer) {
  base::raise(
      ErrorCode::kPluginFailed,
      "[{}] the plugin '{}' broke the plugin interface: {} ({}). Tell the author of the plugin.",
      operation, device.plugin.name, answer, device.info.name_text);
}

void raise_no_object(const DeviceState& device, std::string_view operation,
                     std::string_view entry) {
  raise_bad_answer(device, operation, fmt::format("{} reported success and gave nothing", entry));
}

std::string find_memory_fault(const DeviceInfo& device, patchbay_memory memory, std::uint32_t kind,
                              std::uint64_t alignment_bytes) {
  if (memory.offset_bytes > kMostMemoryBytes) {
    return fmt::format("an offset of {} bytes, expected at most {}", memory.offset_bytes,
                       kMostMemoryBytes);
  }
  const bool is_addressable = ((device.host_addressable_kinds >> kind) & 1) != 0;
  if (kind == PATCHBAY_MEMORY_PINNED && !is_addressable) {
    return "pinned memory, which its host_addressable_kinds lack";
  }
  if (!is_addressable && !device.has_addresses) return {};  // the base may be a handle
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(memory.base) + memory.offset_bytes;
  if (alignment_bytes == 0 || address % alignment_bytes == 0) return {};
  return fmt::format("the address {:#x}, expected a multiple of {}", address, alignment_bytes);
}

void check_memory(const DeviceState& device, std::string_view operation, std::string_view entry,
                  patchbay_memory memory, std::uint32_t kind, std::uint64_t alignment_bytes) {
  if (memory.base == nullptr) {
    raise_no_object(device, operation, fmt::format("{} of the memory table", entry));
  }
  const std::string fault = find_memory_fault(device.info, memory, kind, alignment_bytes);
  if (fault.empty()) return;
  raise_bad_answer(device, operation, fmt::format("{} of the memory table gave {}", entry, fault));
}

}  // namespace patchbay::runtime
