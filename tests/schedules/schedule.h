// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A schedule: some threads, a few rounds of random actions, and devices with odd habits, all drawn
// from one seed.
#ifndef PATCHBAY_TESTS_SCHEDULES_SCHEDULE_H_
#define PATCHBAY_TESTS_SCHEDULES_SCHEDULE_H_

#include <cstdint>
#include <string>

namespace patchbay::schedules {

/// Runs the schedule of a seed. Empty if every value, every count of the ledger and the memory at
/// the end are the model's; else what is not, with what was done.
std::string run_schedule(std::uint64_t seed);

}  // namespace patchbay::schedules

#endif  // PATCHBAY_TESTS_SCHEDULES_SCHEDULE_H_
