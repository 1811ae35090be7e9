// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The simulated libraries define what the plugin's tables name: one list for both.
#ifndef PATCHBAY_TESTS_SIM_ENTRIES_H_
#define PATCHBAY_TESTS_SIM_ENTRIES_H_

#define PATCHBAY_SIM_EXPORT __attribute__((visibility("default")))
#define PATCHBAY_SIM_DECLARE(member, symbol, parameters) \
  extern "C" PATCHBAY_SIM_EXPORT int symbol parameters;

#endif  // PATCHBAY_TESTS_SIM_ENTRIES_H_
