// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Log lines that tell a user why the first use of a device takes so long: it compiles kernels.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_PREPARATION_LOG_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_PREPARATION_LOG_H_

#include <chrono>
#include <string_view>

#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay::runtime {

/// Logs at level info what was prepared since `start`, if that took 20 ms or more:
/// "opencl:0: prepared exp.1(f32, f32) in 0.13 s".
inline void log_preparation(const DeviceState& device, std::string_view what,
                            std::chrono::steady_clock::time_point start) noexcept {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (time < std::chrono::milliseconds(20)) return;
  device.plugin.owner.logger.log(LogLevel::kInfo, "{}: prepared {} in {:.2f} s",
                                 device.info.name_text, what, time.count());
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_PREPARATION_LOG_H_
