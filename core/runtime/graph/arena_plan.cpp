// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/graph/arena_plan.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace patchbay::runtime {
namespace {

using Indices = std::vector<std::uint32_t>;
using Bytes = std::pair<std::size_t, std::size_t>;  // begin and end

/// Up to kFew intervals are placed by size; more only if that takes at most kMostComparisons for
/// each.
constexpr std::size_t kFew = 4096;
constexpr std::uint64_t kMostComparisons = 256;
/// A plan is good enough if its block exceeds the most memory in use at once by this fraction at
/// most.
constexpr double kGoodExcess = 0.02;

Indices sorted(const std::vector<Interval>& intervals,
               bool (*is_before)(const Interval& a, const Interval& b)) {
  Indices order(intervals.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return is_before(intervals[a], intervals[b]);
  });
  return order;
}

/// Placed intervals, by the steps at which they are in use.
class InUse {
 public:
  explicit InUse(const std::vector<Interval>& intervals) : intervals_(intervals) {
    std::size_t num_steps = 0;
    for (const Interval& each : intervals) num_steps = std::max(num_steps, each.last + 1);
    while (num_leaves_ < num_steps) num_leaves_ *= 2;
    covering_.resize(2 * num_leaves_, kNone);
  }

  void add(std::uint32_t index) {
    const Interval& added = intervals_[index];
    by_first_.emplace(added.first, index);
    std::size_t low = added.first + num_leaves_, high = added.last + 1 + num_leaves_;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) add_to(covering_[low++], index);
      if (high % 2 == 1) add_to(covering_[--high], index);
    }
  }
  /// The bytes of those in use during some step of the interval.
  void find(const Interval& wanted, std::vector<Bytes>& found) const {
    found.clear();
    const auto note = [&](std::uint32_t index) {
      const Interval& other = intervals_[index];
      found.emplace_back(other.offset, other.offset + other.size_bytes);
    };
    for (std::size_t node = wanted.first + num_leaves_; node > 0; node /= 2) {
      for (std::uint32_t i = covering_[node]; i != kNone; i = links_[i].second) {
        note(links_[i].first);
      }
    }
    const auto end = by_first_.upper_bound({wanted.last, UINT32_MAX});
    for (auto each = by_first_.upper_bound({wanted.first, UINT32_MAX}); each != end; ++each) {
      note(each->second);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void add_to(std::uint32_t& list, std::uint32_t index) {
    links_.emplace_back(index, std::exchange(list, static_cast<std::uint32_t>(links_.size())));
  }

  const std::vector<Interval>& intervals_;
  std::size_t num_leaves_ = 1;
  // A tree over the steps, which has each interval at its largest subtrees: lists in `links_`.
  Indices covering_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links_;  // an interval and the next link
  std::set<std::pair<std::size_t, std::uint32_t>> by_first_;
};

/// The number of pairs that are in use at once.
std::uint64_t num_pairs(const std::vector<Interval>& intervals) {
  std::vector<std::size_t> firsts;
  for (const Interval& each : intervals) firsts.push_back(each.first);
  std::sort(firsts.begin(), firsts.end());
  std::uint64_t count = 0;
  for (const Interval& each : intervals) {
    const auto end = std::upper_bound(firsts.begin(), firsts.end(), each.last);
    count += static_cast<std::uint64_t>(end - firsts.begin());
  }
  // Each has counted all that begin before its end. Itself and those that begin before it don't
  // count.
  for (std::uint64_t i = 0; i < firsts.size(); ++i) count -= i + 1;
  return count;
}

/// Places the largest first, each at the lowest offset that is free while it is in use.
std::size_t place_by_size(std::vector<Interval>& intervals, std::uint64_t& num_steps) {
  InUse in_use(intervals);
  std::vector<Bytes> others;
  std::size_t end = 0;
  for (const std::uint32_t index : sorted(intervals, [](const Interval&a, const Interval&b) {
         return a.size_bytes > b.size_bytes;
       })) {
    Interval& placed = intervals[index];
    in_use.find(placed, others);
    num_steps += others.size() + 1;
    std::sort(others.begin(), others.end());
    placed.offset = 0;
    for (const auto& [begin, other_end] : others) {
      if (placed.offset + placed.size_bytes <= begin) break;
      placed.offset = std::max(placed.offset, other_end);
    }
    in_use.add(index);
    end = std::max(end, placed.offset + placed.size_bytes);
  }
  return end;
}

/// The free ranges of a block that grows.
class FreeRanges {
 public:
  /// In the smallest range that is large enough; else at the end of the block.
  std::size_t take(std::size_t size_bytes) {
    const auto fit = by_size_.lower_bound({size_bytes, 0});
    if (fit != by_size_.end()) {
      const auto [size, offset] = *fit;
      remove(by_offset_.find(offset));
      if (size > size_bytes) add(offset + size_bytes, size - size_bytes);
      return offset;
    }
    std::size_t offset = end_;
    if (!by_offset_.empty()) {  // a free range before the end grows
      const auto last = std::prev(by_offset_.end());
      if (last->first + last->second == end_) {
        offset = last->first;
        remove(last);
      }
    }
    end_ = offset + size_bytes;
    return offset;
  }
  void give_back(std::size_t offset, std::size_t size_bytes) {
    const auto after = by_offset_.lower_bound(offset);
    if (after != by_offset_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == offset) {
        offset = before->first;
        size_bytes += before->second;
        remove(before);
      }
    }
    if (after != by_offset_.end() && offset + size_bytes == after->first) {
      size_bytes += after->second;
      remove(after);
    }
    add(offset, size_bytes);
  }
  std::size_t end() const { return end_; }

 private:
  using ByOffset = std::map<std::size_t, std::size_t>;

  void add(std::size_t offset, std::size_t size_bytes) {
    by_offset_.emplace(offset, size_bytes);
    by_size_.emplace(size_bytes, offset);
  }
  void remove(ByOffset::iterator range) {
    by_size_.erase({range->second, range->first});
    by_offset_.erase(range);
  }

  ByOffset by_offset_;
  std::set<std::pair<std::size_t, std::size_t>> by_size_;
  std::size_t end_ = 0;
};

/// Places them in the order of their use, as an allocator would.
std::size_t place_by_time(std::vector<Interval>& intervals, std::uint64_t& num_steps) {
  // Of those that begin at one step, the largest comes first.
  const Indices begins = sorted(intervals, [](const Interval& a, const Interval& b) {
    return a.first != b.first ? a.first < b.first : a.size_bytes > b.size_bytes;
  });
  const Indices ends =
      sorted(intervals, [](const Interval& a, const Interval& b) { return a.last < b.last; });
  FreeRanges ranges;
  auto ended = ends.begin();
  for (const std::uint32_t index : begins) {
    Interval& placed = intervals[index];
    for (; intervals[*ended].last < placed.first; ++ended) {
      ranges.give_back(intervals[*ended].offset, intervals[*ended].size_bytes);
    }
    placed.offset = ranges.take(placed.size_bytes);
  }
  num_steps += 2 * intervals.size();
  return ranges.end();
}

/// Places them in the order of their use, from the last step to the first one.
std::size_t place_by_time_backwards(std::vector<Interval>& intervals, std::uint64_t& num_steps) {
  std::size_t last = 0;
  for (const Interval& each : intervals) last = std::max(last, each.last);
  const auto turn = [&] {
    for (Interval& each : intervals) {
      each.first = last - std::exchange(each.last, last - each.first);
    }
  };
  turn();
  const std::size_t end = place_by_time(intervals, num_steps);
  turn();
  return end;
}

/// The most memory that is in use at once: no block is smaller.
std::size_t most_in_use(const std::vector<Interval>& intervals) {
  std::size_t last = 0;
  for (const Interval& each : intervals) last = std::max(last, each.last);
  std::vector<std::int64_t> changes(last + 2);
  for (const Interval& each : intervals) {
    changes[each.first] += static_cast<std::int64_t>(each.size_bytes);
    changes[each.last + 1] -= static_cast<std::int64_t>(each.size_bytes);
  }
  std::int64_t now = 0, most = 0;
  for (const std::int64_t change : changes) most = std::max(most, now += change);
  return static_cast<std::size_t>(most);
}

/// Keeps the better one of two plans.
class Best {
 public:
  explicit Best(std::vector<Interval>& intervals) : plan_(intervals) {}

  template <class Plan>
  void try_plan(const Plan& make) {
    std::vector<Interval> tried = plan_;
    const std::size_t end = make(tried);
    if (end >= end_) return;
    end_ = end;
    plan_.swap(tried);
  }
  std::size_t end() const { return end_; }

 private:
  std::vector<Interval>& plan_;
  std::size_t end_ = SIZE_MAX;
};

}  // namespace

std::size_t place(std::vector<Interval>& intervals, std::uint64_t* num_steps) {
  std::uint64_t steps = 0;
  Best best(intervals);
  const auto by_size = [&](auto& plan) { return place_by_size(plan, steps); };
  if (intervals.size() <= kFew) {
    best.try_plan(by_size);
  } else {
    best.try_plan([&](auto& plan) { return place_by_time(plan, steps); });
    best.try_plan([&](auto& plan) { return place_by_time_backwards(plan, steps); });
    const auto good = static_cast<double>(most_in_use(intervals)) * (1 + kGoodExcess);
    const std::uint64_t limit = std::max(kMostComparisons, kFew * kFew / intervals.size());
    if (static_cast<double>(best.end()) > good &&
        num_pairs(intervals) <= limit * intervals.size()) {
      best.try_plan(by_size);
    }
  }
  if (num_steps != nullptr) *num_steps = steps;
  return best.end();
}

}  // namespace patchbay::runtime
