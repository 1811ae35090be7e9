// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of ROCTx that are used; see driver_api.hpp.
#ifndef PATCHBAY_PLUGINS_HIP_API_RANGES_API_HPP_
#define PATCHBAY_PLUGINS_HIP_API_RANGES_API_HPP_

// our name, the library's symbol, parameters; all return a depth, or an error below zero
#define PATCHBAY_ROCTX_ENTRIES(entry) \
  entry(push, roctxRangePushA, (const char* name)) entry(pop, roctxRangePop, ())

#endif  // PATCHBAY_PLUGINS_HIP_API_RANGES_API_HPP_
