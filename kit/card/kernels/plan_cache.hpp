// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How a vendor's library computes problems that it has met.
#ifndef PATCHBAY_KIT_CARD_KERNELS_PLAN_CACHE_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_PLAN_CACHE_HPP_

#include <cstddef>
#include <map>
#include <optional>

namespace patchbay::card {

/// Finding a plan takes milliseconds, so plans are kept, and so is the answer that there is none.
/// Not thread-safe.
template <class Problem, class Plan>
class PlanCache {
 public:
  /// Calls `find` for a new problem: std::optional<Plan>(). Returns null if there is no plan. A
  /// plan stays valid until the next call.
  template <class Find>
  const Plan* get(const Problem& problem, const Find& find) {
    auto found = plans_.find(problem);
    if (found == plans_.end()) {
      if (plans_.size() == kMostPlans) plans_.clear();
      found = plans_.emplace(problem, find()).first;
    }
    return found->second ? &*found->second : nullptr;
  }
  void clear() { plans_.clear(); }

 private:
  static constexpr std::size_t kMostPlans = 1024;

  std::map<Problem, std::optional<Plan>> plans_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_PLAN_CACHE_HPP_
