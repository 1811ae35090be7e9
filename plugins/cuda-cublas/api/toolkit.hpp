// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_TOOLKIT_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_TOOLKIT_HPP_

#include <string>
#include <vector>

namespace patchbay::cuda {

/// The files to try for a library of the toolkit ("nvrtc"), best first: bare names, then files in
/// $CUDA_HOME, $CUDA_PATH, /usr/local/cuda* and the vendor's Python packages, newest version first,
/// none too new for the driver. With raised privileges no variable is read.
std::vector<std::string> toolkit_files(const std::string& library, int driver_version);

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_TOOLKIT_HPP_
