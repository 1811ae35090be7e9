// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Makes one allocation of the whole process fail: malloc and its relatives, and so operator new. Or
// the start of threads.
#ifndef PATCHBAY_TESTS_ALLOCATION_FAILING_ALLOCATIONS_H_
#define PATCHBAY_TESTS_ALLOCATION_FAILING_ALLOCATIONS_H_

#include <cstdint>

namespace patchbay::test {

/// While it lives, the allocation with that number (from 1) of any thread finds no memory.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::int64_t number);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// Whether it was asked for.
  bool has_failed() const;
};

/// While it lives, no thread can be started.
class FailingThreads {
 public:
  FailingThreads();
  ~FailingThreads();
  FailingThreads(const FailingThreads&) = delete;
  FailingThreads& operator=(const FailingThreads&) = delete;
};

/// Not with sanitizers, which have allocators of their own.
bool can_fail_allocations();

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_ALLOCATION_FAILING_ALLOCATIONS_H_
