// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The bytes of device memory, between pages that kernels must not touch.
#ifndef PATCHBAY_TESTS_SIM_GUARDED_MEMORY_H_
#define PATCHBAY_TESTS_SIM_GUARDED_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "vendor.h"

namespace patchbay::sim {

/// A guard begins after the last byte, rounded up to 16 bytes. The page of the first byte may have
/// free bytes before it; a guard lies before that page.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::uint64_t size_bytes);
  PATCHBAY_SIM_EXPORT ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* mapping_;
  std::uint64_t mapped_bytes_;
  std::byte* data_;
  struct Range* range_;
};

/// Between these two calls this thread may touch guards, which open for it. The second one closes
/// them and tells whether it did.
void watch_guards();
bool end_watching_guards();

/// Runs body(), a kernel, and tells whether it touched a guard.
template <class Body>
bool touches_guards(const Body& body) {
  watch_guards();
  try {
    body();
  } catch (...) {
    end_watching_guards();
    throw;
  }
  return end_watching_guards();
}

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_GUARDED_MEMORY_H_
