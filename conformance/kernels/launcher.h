// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Prepares and launches an operator by its name and arguments.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_
#define PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <patchbay/plugin/abi.h>

#include "conformance/support/check.h"

namespace patchbay::conformance {

using Arguments = std::vector<Argument>;

/// What the suite asks of a plugin for an operator and a dtype.
enum class Demand : std::uint8_t {
  kRequired,
  kReported,  // required of devices that say that they have the dtype
  kOptional   // checked where it is there
};
/// `kernel` is a name like "add.1", `abi_minor` the minor version of the boundary that the plugin
/// was built for. docs/adding-a-plugin.md has a table that is made of this.
Demand demand_of(std::string_view kernel, DType dtype, int abi_minor = PATCHBAY_ABI_MINOR);
/// Whether the device may lack such a kernel. It depends only on the operator and its dtypes, so no
/// check requires what another one waives.
bool is_optional(const Device& device, const KernelSpec& spec);
/// The id of the check for this operator with these dtypes.
std::string own_check(const KernelSpec& spec);

/// The spec for these arguments; optionally shapes and strides are known only at launch.
KernelSpec spec_of(const std::string& op, const Arguments& arguments,
                   const std::vector<Attribute>& attributes = {});
/// Ends the check as lacking or waived if there is no such kernel.
Kernel prepare(const Device& device, const KernelSpec& spec);
/// Prepares, launches on the default stream, and waits.
void run_kernel(const Device& device, const std::string& op, const Arguments& arguments,
                const std::vector<Attribute>& attributes = {});

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_LAUNCHER_H_
