// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the run-time compiler that are used; see driver_api.hpp.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RTC_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RTC_API_HPP_

#include <cstddef>

namespace patchbay::cuda {

using RtcResult = int;
using NativeProgram = struct ProgramObject*;

inline constexpr int kRtcSuccess = 0;
inline constexpr int kRtcErrorCompilation = 6;

// Entry by entry.
// clang-format off
// our name, the library's symbol, parameters; all return an RtcResult
#define PATCHBAY_RTC_ENTRIES(entry) \
  entry(version, nvrtcVersion, (int* major, int* minor)) \
  entry(num_architectures, nvrtcGetNumSupportedArchs, (int* count)) \
  entry(architectures, nvrtcGetSupportedArchs, (int* architectures)) \
  entry(create, nvrtcCreateProgram, (NativeProgram*, const char* text, const char* name, \
        int num_headers, const char* const* headers, const char* const* names)) \
  entry(destroy, nvrtcDestroyProgram, (NativeProgram*)) \
  entry(compile, nvrtcCompileProgram, (NativeProgram, int num_options, \
        const char* const* options)) \
  entry(code_size, nvrtcGetCUBINSize, (NativeProgram, std::size_t* size)) \
  entry(code, nvrtcGetCUBIN, (NativeProgram, char* code)) \
  entry(assembly_size, nvrtcGetPTXSize, (NativeProgram, std::size_t* size)) \
  entry(assembly, nvrtcGetPTX, (NativeProgram, char* text)) \
  entry(log_size, nvrtcGetProgramLogSize, (NativeProgram, std::size_t* size)) \
  entry(log, nvrtcGetProgramLog, (NativeProgram, char* log))
// clang-format on

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RTC_API_HPP_
