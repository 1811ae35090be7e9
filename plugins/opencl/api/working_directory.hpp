// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What an OpenCL compiler, which runs in this process, would take from the working directory.
#ifndef PATCHBAY_PLUGINS_OPENCL_API_WORKING_DIRECTORY_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_WORKING_DIRECTORY_HPP_

namespace patchbay::opencl {

/// Throws PATCHBAY_DRIVER_ERROR, retryable, if the working directory has a file that a driver's
/// compiler or linker opens by its bare name: PoCL's linker takes libraries that linker scripts
/// name (libgcc_s.so.1), rusticl the header opencl-c-base.h. The same for programs and libraries in
/// relative or empty folders of PATH, COMPILER_PATH and LIBRARY_PATH, which PoCL obeys.
void check_working_directory();

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_WORKING_DIRECTORY_HPP_
