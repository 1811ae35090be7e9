// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a simulated profiler has been shown.
#ifndef PATCHBAY_TESTS_SIM_RANGES_H_
#define PATCHBAY_TESTS_SIM_RANGES_H_

#include "sim/vendor.h"

namespace patchbay::sim {

/// Both return the depth of the calling thread, as the vendors' functions do.
int push_range(const char* name);
int pop_range();

}  // namespace patchbay::sim

/// The events so far, "<name" for the begin of a range and ">" for an end, of all threads; at an
/// end without a begin "!". The text is valid until the next call, which begins anew.
extern "C" PATCHBAY_SIM_EXPORT const char* patchbay_sim_take_ranges();

#endif  // PATCHBAY_TESTS_SIM_RANGES_H_
