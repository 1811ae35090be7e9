// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// From an operator's name and its arguments to a finished launch.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_
#define PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_

#include <string>
#include <vector>

#include "conformance/check.h"

namespace patchbay::conformance {

using Arguments = std::vector<Argument>;

/// f64 is required where the device has it, the other dtypes of the suite everywhere.
bool must_have(const Device& device, DType dtype);
/// Whether the device may say that it has no such kernel. It depends on the operator and its dtypes
/// alone, so that what one check waives no other check requires.
bool is_optional(const Device& device, const KernelSpec& spec);
/// The id of the check that is about this operator with these dtypes.
std::string own_check(const KernelSpec& spec);

/// What the arguments call for; with shapes and strides known only at launch.
KernelSpec spec_of(const std::string& op, const Arguments& arguments,
                   const std::vector<Attribute>& attributes = {});
/// Ends the check as lacking or as waived if there is no such kernel.
Kernel prepare(const Device& device, const KernelSpec& spec);
/// Prepares, launches on the default stream, and waits.
void run_kernel(const Device& device, const std::string& op, const Arguments& arguments,
                const std::vector<Attribute>& attributes = {});

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_
