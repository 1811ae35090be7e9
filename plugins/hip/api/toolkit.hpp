// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_HIP_API_TOOLKIT_HPP_
#define PATCHBAY_PLUGINS_HIP_API_TOOLKIT_HPP_

#include <string>
#include <vector>

namespace patchbay::hip {

/// The files to try for a library of ROCm ("rocblas") in these major versions, in their order: for
/// each the bare name, then files in $ROCM_PATH, $HIP_PATH, /opt/rocm* and the Python packages of
/// PyTorch; at last those without a version. With raised privileges no variable is read.
std::vector<std::string> toolkit_files(const std::string& library,
                                       const std::vector<int>& versions);

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_API_TOOLKIT_HPP_
