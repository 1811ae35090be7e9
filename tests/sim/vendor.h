// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The vendor whose libraries are simulated. A library is compiled once for each vendor, from the
// same sources: a function has the vendor's symbol, which the plugin's own table names.
#ifndef PATCHBAY_TESTS_SIM_VENDOR_H_
#define PATCHBAY_TESTS_SIM_VENDOR_H_

#include "kit/card/api/entries.hpp"
#include "kit/card/kernels/rtc.hpp"

#ifdef PATCHBAY_SIM_HIP
#include "hip/api/blas_api.hpp"
#include "hip/api/driver_api.hpp"
#include "hip/api/rtc_api.hpp"
#define PATCHBAY_SIM_DRIVER_SYMBOLS PATCHBAY_HIP_SYMBOLS
#define PATCHBAY_SIM_GRAPH_SYMBOLS PATCHBAY_HIP_GRAPH_SYMBOLS
#define PATCHBAY_SIM_OWN_GRAPH_ENTRIES PATCHBAY_HIP_OWN_GRAPH_ENTRIES
#define PATCHBAY_SIM_RTC_SYMBOLS PATCHBAY_HIP_RTC_SYMBOLS
#define PATCHBAY_SIM_OWN_ENTRIES PATCHBAY_HIP_OWN_ENTRIES
#define PATCHBAY_SIM_SHARED_CONSTANTS PATCHBAY_HIP_SHARED_CONSTANTS
#else
#include "cuda-cublas/api/blas_api.hpp"
#include "cuda-cublas/api/driver_api.hpp"
#include "cuda-cublas/api/rtc_api.hpp"
#define PATCHBAY_SIM_DRIVER_SYMBOLS PATCHBAY_CUDA_SYMBOLS
#define PATCHBAY_SIM_GRAPH_SYMBOLS PATCHBAY_CUDA_GRAPH_SYMBOLS
#define PATCHBAY_SIM_OWN_GRAPH_ENTRIES PATCHBAY_CUDA_OWN_GRAPH_ENTRIES
#define PATCHBAY_SIM_RTC_SYMBOLS PATCHBAY_CUDA_RTC_SYMBOLS
#define PATCHBAY_SIM_OWN_ENTRIES PATCHBAY_CUDA_OWN_ENTRIES
#define PATCHBAY_SIM_SHARED_CONSTANTS PATCHBAY_CUDA_SHARED_CONSTANTS
#endif

#define PATCHBAY_SIM_EXPORT __attribute__((visibility("default")))

/// Declares an entry that only this vendor has, under its symbol.
#define PATCHBAY_SIM_DECLARE_OWN(member, symbol, parameters) \
  extern "C" PATCHBAY_SIM_EXPORT int symbol parameters;

// The entries that all vendors have. PATCHBAY_SIM_DECLARE(member, symbol) declares a function with
// the name in card::Api or card::Rtc, which has the vendor's symbol.
#define PATCHBAY_SIM_SIGNATURE(member, parameters) using member##_signature = int parameters;
#define PATCHBAY_SIM_DECLARE(member, symbol) \
  PATCHBAY_SIM_EXPORT member##_signature member asm(#symbol);

namespace patchbay::sim {

using namespace card;

#ifdef PATCHBAY_SIM_HIP
namespace vendor = hip;
inline constexpr const char* kVendor = "HIP";
inline constexpr bool kHasContexts = false;
#else
namespace vendor = cuda;
inline constexpr const char* kVendor = "CUDA";
inline constexpr bool kHasContexts = true;
#endif

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_VENDOR_H_
