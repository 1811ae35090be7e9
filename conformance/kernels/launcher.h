// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// From an operator's name and its arguments to a finished launch.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_
#define PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_

#include <string>
#include <vector>

#include "conformance/check.h"

namespace patchbay::conformance {

using Arguments = std::vector<Argument>;

/// Whether a backend may say that it has no such kernel.
enum class Need : std::uint8_t { kRequired, kOptional };
/// f64 is required where the device has it, the other dtypes of the suite everywhere.
Need need_of(const Device& device, DType dtype);

/// What the arguments call for; with shapes and strides known only at launch.
KernelSpec spec_of(const std::string& op, const Arguments& arguments);
/// Ends the check as lacking or as waived if there is no such kernel.
Kernel prepare(const Device& device, const KernelSpec& spec, Need need = Need::kRequired);
/// Prepares, launches on the default stream, and waits.
void run_kernel(const Device& device, const std::string& op, const Arguments& arguments,
                Need need = Need::kRequired);

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_
