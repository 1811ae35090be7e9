// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_RUNTIME_PLUGIN_HELD_LOCKS_H_
#define PATCHBAY_TESTS_RUNTIME_PLUGIN_HELD_LOCKS_H_

#include <cstddef>

namespace patchbay::faults {

/// The locks of libpatchbay.so that this thread holds. The program's own functions of pthreads
/// count them, which the dynamic linker finds before those of the C library.
std::size_t num_held_locks();
/// How many were taken by all threads since the start: none if they are not counted.
long num_taken_locks();

}  // namespace patchbay::faults

#endif  // PATCHBAY_TESTS_RUNTIME_PLUGIN_HELD_LOCKS_H_
