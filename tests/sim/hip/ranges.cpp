// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// ROCTx.
#include "sim/ranges.h"

#include "hip/api/ranges_api.hpp"

PATCHBAY_ROCTX_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)

int roctxRangePushA(const char* name) { return patchbay::sim::push_range(name); }
int roctxRangePop() { return patchbay::sim::pop_range(); }
