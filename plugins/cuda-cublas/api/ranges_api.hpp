// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How NVTX 3 reaches a profiler's library (nvToolsExt.h, nvtxDetail/nvtxTypes.h): the profiler asks
// for a table of pointers to function pointers, and sets those that it wants to be called.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RANGES_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RANGES_API_HPP_

#include <cstddef>
#include <cstdint>

namespace patchbay::cuda {

using AnyFunction = void (*)();

// The variable that names the profiler's library, and the function that starts it.
inline constexpr const char* kInjectionVariable = "NVTX_INJECTION64_PATH";
inline constexpr const char* kInjectionSymbol = "InitializeInjectionNvtx2";
/// Returns the table with that number; null if there is none.
using ExportTables = const void* (*)(std::uint32_t number);
/// Returns 0 if it fails.
using InitialiseInjection = int (*)(ExportTables tables);

inline constexpr std::uint32_t kCallbackTables = 1, kVersionTable = 3;  // numbers of tables

struct CallbackTables {
  std::size_t size;
  /// Gives a module's table of pointers to function pointers, and its size. Returns 0 if there is
  /// no such module.
  int (*places)(int module, AnyFunction*** table, unsigned* count);
};
struct VersionTable {
  std::size_t size;
  std::uint32_t version, reserved;
  void (*note_version_of_profiler)(std::uint32_t version);
};

inline constexpr std::uint32_t kInterfaceVersion = 3;
inline constexpr int kCoreModule = 1;
// Indices into that module's table, and its size. Entry 0 is null.
inline constexpr unsigned kPushPlace = 9, kPopPlace = 11, kNumPlaces = 16;

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_RANGES_API_HPP_
