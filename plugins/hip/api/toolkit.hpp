// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_HIP_API_TOOLKIT_HPP_
#define PATCHBAY_PLUGINS_HIP_API_TOOLKIT_HPP_

#include <string>
#include <vector>

namespace patchbay::hip {

/// The files to try for the driver in these major versions, in their order: for each the bare name,
/// then files in $ROCM_PATH, $HIP_PATH, /opt/rocm* and the Python packages of PyTorch and ROCm; at
/// last those without a version. With raised privileges no variable is read.
std::vector<std::string> driver_files(const std::vector<int>& versions);

/// The files to try for a library that works with the driver ("rocblas"). Those beside the driver
/// come first. One without a version is tried there alone: elsewhere it may be of another version,
/// and bring that version's driver into the process.
std::vector<std::string> companion_files(const std::string& library,
                                         const std::vector<int>& versions);

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_API_TOOLKIT_HPP_
