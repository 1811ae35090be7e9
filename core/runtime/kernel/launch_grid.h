// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Launches of kernels that users wrote.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_LAUNCH_GRID_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_LAUNCH_GRID_H_

#include <span>

#include "core/runtime/kernel/launch.h"
#include "core/runtime/kernel/module_state.h"

namespace patchbay::runtime {

/// Calls the plugin alone. The caller takes care of order and uses.
patchbay_status* submit_grid(patchbay_stream* stream, const ModuleKernelState& kernel,
                             const GridAxes& groups, const GridAxes& group_size,
                             std::span<const patchbay_argument> arguments);

/// Launches on this thread's stream of the device, as `launch` does. The arguments match the
/// signature.
void launch_grid(const ModuleKernelState& kernel, const GridAxes& groups,
                 const GridAxes& group_size, std::span<const patchbay_argument> arguments,
                 std::span<const BufferAccess> uses);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_LAUNCH_GRID_H_
