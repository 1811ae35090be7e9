// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Log lines that tell a user why the first use of a device takes so long: it compiles kernels.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_PREPARATION_LOG_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_PREPARATION_LOG_H_

#include <chrono>

#include "core/runtime/device/device_state.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay::runtime {

/// Logs a line at level info if what began at `start` took 20 ms or more:
/// "opencl:0: prepared exp.1(f32, f32) in 0.13 s". `name_of()` returns the name; it is called only
/// for a line that is wanted, and without memory for it there is no line.
template <class NameOf>
void log_preparation(const DeviceState& device, std::chrono::steady_clock::time_point start,
                     const NameOf& name_of) noexcept {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  output::Logger& logger = device.plugin.owner.logger;
  if (time < std::chrono::milliseconds(20) || !logger.wants(LogLevel::kInfo)) return;
  try {
    logger.log(LogLevel::kInfo, "{}: prepared {} in {:.2f} s", device.info.name_text, name_of(),
               time.count());
  } catch (...) {  // NOLINT(bugprone-empty-catch): logging must not fail
  }
}

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_PREPARATION_LOG_H_
