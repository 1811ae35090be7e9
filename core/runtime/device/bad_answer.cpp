// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/bad_answer.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay::runtime {

void raise_bad_answer(const DeviceState& device, std::string_view operation,
                      std::string_view answer) {
  raise(ErrorCode::kPluginFailed,
        "[{}] the plugin '{}' broke the plugin interface: {} ({}). Tell the author of the plugin.",
        operation, device.plugin.name, answer, device.info.name_text);
}

void raise_no_object(const DeviceState& device, std::string_view operation,
                     std::string_view entry) {
  raise_bad_answer(device, operation, fmt::format("{} reported success and gave nothing", entry));
}

}  // namespace patchbay::runtime
