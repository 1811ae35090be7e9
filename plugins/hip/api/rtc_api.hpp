// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the run-time compiler and of its code object manager that are used; see
// driver_api.hpp.
#ifndef PATCHBAY_PLUGINS_HIP_API_RTC_API_HPP_
#define PATCHBAY_PLUGINS_HIP_API_RTC_API_HPP_

#include <cstddef>

namespace patchbay::hip {

// Entry by entry.
// clang-format off
// the name in card::Rtc, the library's symbol
#define PATCHBAY_HIP_RTC_SYMBOLS(symbol) \
  symbol(version, hiprtcVersion) \
  symbol(create, hiprtcCreateProgram) \
  symbol(destroy, hiprtcDestroyProgram) \
  symbol(compile, hiprtcCompileProgram) \
  symbol(code_size, hiprtcGetCodeSize) \
  symbol(code, hiprtcGetCode) \
  symbol(log_size, hiprtcGetProgramLogSize) \
  symbol(log, hiprtcGetProgramLog)

// our name, the library's symbol, parameters. The compiler ends the process for an architecture
// that is not in this list.
#define PATCHBAY_COMGR_ENTRIES(entry) \
  entry(num_architectures, amd_comgr_get_isa_count, (std::size_t* count)) \
  entry(architecture_name, amd_comgr_get_isa_name, (std::size_t index, const char** name))
// clang-format on

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_API_RTC_API_HPP_
