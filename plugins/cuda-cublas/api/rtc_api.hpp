// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the run-time compiler that are used; see driver_api.hpp.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RTC_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RTC_API_HPP_

#include <cstddef>

#include "kit/card/kernels/rtc.hpp"

namespace patchbay::cuda {

// Entry by entry.
// clang-format off
// the name in card::Rtc, the library's symbol
#define PATCHBAY_CUDA_RTC_SYMBOLS(symbol) \
  symbol(version, nvrtcVersion) \
  symbol(create, nvrtcCreateProgram) \
  symbol(destroy, nvrtcDestroyProgram) \
  symbol(compile, nvrtcCompileProgram) \
  symbol(code_size, nvrtcGetCUBINSize) \
  symbol(code, nvrtcGetCUBIN) \
  symbol(log_size, nvrtcGetProgramLogSize) \
  symbol(log, nvrtcGetProgramLog)

// our name, the library's symbol, parameters: what only this compiler has
#define PATCHBAY_CUDA_RTC_OWN_ENTRIES(entry) \
  entry(num_architectures, nvrtcGetNumSupportedArchs, (int* count)) \
  entry(architectures, nvrtcGetSupportedArchs, (int* architectures)) \
  entry(assembly_size, nvrtcGetPTXSize, (card::NativeProgram, std::size_t* size)) \
  entry(assembly, nvrtcGetPTX, (card::NativeProgram, char* text))
// clang-format on

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RTC_API_HPP_
