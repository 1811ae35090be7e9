// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How a vendor's library computes problems that it has met.
#ifndef PATCHBAY_KIT_CARD_KERNELS_PLAN_CACHE_HPP_
#define PATCHBAY_KIT_CARD_KERNELS_PLAN_CACHE_HPP_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace patchbay::card {

/// Finding a plan takes milliseconds, so plans are kept, and so is the answer that there is none.
/// Not thread-safe.
template <class Problem, class Plan>
class PlanCache {
 public:
  /// Calls `find` for a new problem: std::optional<Plan>(). Returns null if there is no plan. When
  /// there are too many plans, all are forgotten: a caller that needs one for longer keeps it.
  template <class Find>
  std::shared_ptr<const Plan> get(const Problem& problem, const Find& find) {
    auto found = plans_.find(problem);
    if (found == plans_.end()) {
      if (plans_.size() == kMostPlans) plans_.clear();
      std::shared_ptr<const Plan> kept;
      if (std::optional<Plan> plan = find()) kept = std::make_shared<Plan>(std::move(*plan));
      found = plans_.emplace(problem, std::move(kept)).first;
    }
    return found->second;
  }
  void clear() { plans_.clear(); }

 private:
  static constexpr std::size_t kMostPlans = 1024;

  std::map<Problem, std::shared_ptr<const Plan>> plans_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_KERNELS_PLAN_CACHE_HPP_
