// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compares our declarations with the vendor's. Compiled if its headers are found; never linked.
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1  // the older name
#define __HIP_DISABLE_CPP_FUNCTIONS__ 1

#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#if __has_include(<rocblas/rocblas.h>)
#include <rocblas/rocblas.h>
#define PATCHBAY_HAS_ROCBLAS 1
#endif

#if __has_include(<amd_comgr.h>)
#include <amd_comgr.h>
#endif

#include <cstddef>

#include "hip/api/blas_api.hpp"
#include "hip/api/driver_api.hpp"
#include "hip/api/rtc_api.hpp"
#include "kit/card/api/same_declaration.hpp"
#include "kit/card/kernels/rtc.hpp"

namespace patchbay::hip {
namespace {

#define PATCHBAY_SAME_SHARED(ours, theirs) \
  static_assert(card::ours == static_cast<int>(theirs), #theirs);
PATCHBAY_HIP_SHARED_CONSTANTS(PATCHBAY_SAME_SHARED)
#define PATCHBAY_SAME_CONSTANT(ours, theirs, value) \
  static_assert(ours == static_cast<int>(theirs), #theirs);
PATCHBAY_HIP_CONSTANTS(PATCHBAY_SAME_CONSTANT)
static_assert(card::kRtcSuccess == HIPRTC_SUCCESS &&
              card::kRtcErrorCompilation == HIPRTC_ERROR_COMPILATION);
static_assert(sizeof(card::Uuid) == sizeof(hipUUID));
static_assert(offsetof(hipDeviceProp_t, gcnArchName) ==
              (HIP_VERSION_MAJOR >= 6 ? kArchitectureOffset6 : kArchitectureOffset));
static_assert(sizeof(hipDeviceProp_t) <= kPropertiesBytes);

#define PATCHBAY_SAME_SYMBOL(member, symbol)                                                  \
  static_assert(                                                                              \
      card::is_same_call<card::SignatureOf<decltype(card::Api::member)>, decltype(::symbol)>, \
      #symbol);
PATCHBAY_HIP_SYMBOLS(PATCHBAY_SAME_SYMBOL)
PATCHBAY_HIP_GRAPH_SYMBOLS(PATCHBAY_SAME_SYMBOL)
#define PATCHBAY_SAME_RTC_SYMBOL(member, symbol)                                              \
  static_assert(                                                                              \
      card::is_same_call<card::SignatureOf<decltype(card::Rtc::member)>, decltype(::symbol)>, \
      #symbol);
PATCHBAY_HIP_RTC_SYMBOLS(PATCHBAY_SAME_RTC_SYMBOL)
#define PATCHBAY_SAME_ENTRY(member, symbol, parameters) \
  static_assert(card::is_same_call<int parameters, decltype(::symbol)>, #symbol);
PATCHBAY_HIP_OWN_ENTRIES(PATCHBAY_SAME_ENTRY)
PATCHBAY_HIP_OWN_GRAPH_ENTRIES(PATCHBAY_SAME_ENTRY)
#define PATCHBAY_SAME_TEXT(member, symbol) \
  static_assert(card::is_same_call<const char*(Result), decltype(::symbol)>, #symbol);
PATCHBAY_HIP_TEXT_ENTRIES(PATCHBAY_SAME_TEXT)
#if __has_include(<amd_comgr.h>)
PATCHBAY_COMGR_ENTRIES(PATCHBAY_SAME_ENTRY)
#endif
#ifdef PATCHBAY_HAS_ROCBLAS
PATCHBAY_HIP_BLAS_CONSTANTS(PATCHBAY_SAME_CONSTANT)
PATCHBAY_HIP_BLAS_ENTRIES(PATCHBAY_SAME_ENTRY)
#if ROCBLAS_VERSION_MAJOR > 3 || (ROCBLAS_VERSION_MAJOR == 3 && ROCBLAS_VERSION_MINOR >= 1)
PATCHBAY_HIP_BLAS_LATER_CONSTANTS(PATCHBAY_SAME_CONSTANT)
PATCHBAY_HIP_BLAS_LATER_ENTRIES(PATCHBAY_SAME_ENTRY)
#endif
#endif

}  // namespace
}  // namespace patchbay::hip
