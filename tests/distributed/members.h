// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Groups whose members run in threads of their own.
#ifndef PATCHBAY_TESTS_DISTRIBUTED_MEMBERS_H_
#define PATCHBAY_TESTS_DISTRIBUTED_MEMBERS_H_

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include <patchbay/process_group.h>

namespace patchbay::test {

using Member = std::function<void(const ProcessGroup& member)>;

/// What each member threw, by rank; null for nothing.
inline std::vector<std::exception_ptr> outcomes_of(const std::vector<ProcessGroup>& group,
                                                   const Member& run) {
  std::vector<std::exception_ptr> outcomes(group.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < group.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        run(group[i]);
      } catch (...) {
        outcomes[i] = std::current_exception();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return outcomes;
}

/// Runs all members; what one throws is thrown.
inline void run_all(const std::vector<ProcessGroup>& group, const Member& run) {
  for (const std::exception_ptr& each : outcomes_of(group, run)) {
    if (each != nullptr) std::rethrow_exception(each);
  }
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_DISTRIBUTED_MEMBERS_H_
