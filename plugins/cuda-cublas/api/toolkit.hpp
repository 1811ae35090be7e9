// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_TOOLKIT_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_TOOLKIT_HPP_

#include <string>
#include <vector>

namespace patchbay::cuda {

/// What to open as the toolkit's library of that name ("nvrtc"), best first: bare names, then files
/// of $CUDA_HOME, $CUDA_PATH, /usr/local/cuda* and the vendor's Python packages, the newest first
/// that a driver of that version may know. A process with raised privileges reads no variable.
std::vector<std::string> library_candidates(const std::string& library, int driver_version);

/// The folder of the file, and that of the file it links to: its companions lie in one of them.
std::vector<std::string> folders_of(const std::string& file);

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_TOOLKIT_HPP_
