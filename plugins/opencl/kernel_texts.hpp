// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The texts of kernels/*.cl; CMake makes the source file from them.
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNEL_TEXTS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNEL_TEXTS_HPP_

namespace patchbay::opencl {

extern const char kPreludeText[];
extern const char kElementwiseText[];
extern const char kReductionText[];
extern const char kGemmBlocksText[];
extern const char kGemmTilesText[];

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNEL_TEXTS_HPP_
