// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checks of what is quick, on a machine where other programs may take the processor at any time.
#ifndef PATCHBAY_TESTS_SUPPORT_ATTEMPTS_H_
#define PATCHBAY_TESTS_SUPPORT_ATTEMPTS_H_

#include <chrono>

namespace patchbay::test {

/// Whether one of 10 calls of `body` returns within that time. A call that waits for slower work
/// never does; one that does not wait misses the time only while another program runs.
template <class Body>
bool returns_within(std::chrono::nanoseconds time, const Body& body) {
  for (int i = 0; i < 10; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    if (std::chrono::steady_clock::now() - begin < time) return true;
  }
  return false;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_ATTEMPTS_H_
