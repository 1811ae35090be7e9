// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Converts the driver's error codes to messages and exceptions.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_ERROR_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_ERROR_HPP_

#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

#include "cuda-cublas/api/symbols.hpp"

namespace patchbay::cuda {

/// "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
std::string describe(const DriverTable& driver, std::string_view entry, Result code);

/// Whether the code means that the context, and with it the device, can't be used any more.
bool loses_device(Result code);

/// Throws unless the call succeeded; for calls that use no open device. The message ends with the
/// driver's own explanation.
void check(const DriverTable& driver, std::string_view entry, Result code,
           std::string_view log = {});

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_ERROR_HPP_
