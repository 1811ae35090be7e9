// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CONFORMANCE_CHAPTERS_H_
#define PATCHBAY_CONFORMANCE_CHAPTERS_H_

#include <vector>

#include "conformance/support/check.h"

namespace patchbay::conformance {

// Each function returns the checks of a chapter or a part of one. The chapter of kernels is in
// kernels/.
std::vector<Check> loading_checks();
std::vector<Check> memory_checks();
std::vector<Check> driver_memory_checks();
std::vector<Check> copies_checks();
std::vector<Check> streams_checks();
std::vector<Check> slow_work_checks();
std::vector<Check> modules_checks();

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_CHAPTERS_H_
