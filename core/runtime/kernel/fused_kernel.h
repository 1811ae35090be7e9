// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Kernels of fused expressions. Plugins load them as modules.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_FUSED_KERNEL_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_FUSED_KERNEL_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/kernel.h"

namespace patchbay::runtime {

struct DeviceState;
struct KernelState;

extern const std::string_view kFusedFormat;
// What every plugin supports at least.
inline constexpr std::size_t kMaxFusedTensors = 16, kMaxFusedScalars = 16, kMaxFusedValues = 512;
/// Of derivatives, which are longer than their functions. A plugin may refuse them.
inline constexpr std::size_t kMaxGradientValues = 1024;

/// The program's kernel, from the device's cache. Errors name `name`.
std::shared_ptr<KernelState> fused_kernel(DeviceState& device, const std::string& name,
                                          const std::string& program,
                                          std::vector<ArgumentSpec> arguments);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_FUSED_KERNEL_H_
