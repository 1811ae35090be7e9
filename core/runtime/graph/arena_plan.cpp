// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/graph/arena_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace patchbay::runtime {
namespace {

using Indices = std::vector<std::uint32_t>;

/// How many comparisons the search by size may take: all of a few thousand intervals that are in
/// use at once, and any number of which each meets a few hundred others.
std::uint64_t limit_for(std::size_t num_intervals) {
  return (std::uint64_t{1} << 26) + 256 * static_cast<std::uint64_t>(num_intervals);
}

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
  /// Those in use during some step of the interval.
  void find(const Interval& wanted, Indices& found) const {
    found.clear();
    for (std::size_t node = wanted.first + num_leaves_; node > 0; node /= 2) {
      for (std::uint32_t i = covering_[node]; i != kNone; i = links_[i].second) {
        found.push_back(links_[i].first);
      }
    }
    const auto end = by_first_.upper_bound({wanted.last, UINT32_MAX});
    for (auto each = by_first_.upper_bound({wanted.first, UINT32_MAX}); each != end; ++each) {
      found.push_back(each->second);
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

/// Places the largest first, each at the lowest offset that is free while it is in use. Empty if
/// that would take too many comparisons.
std::optional<std::size_t> place_by_size(std::vector<Interval>& intervals,
                                         std::uint64_t& num_steps) {
  const std::uint64_t limit = limit_for(intervals.size());
  InUse in_use(intervals);
  Indices others;
  std::size_t end = 0;
  for (const std::uint32_t index : sorted(intervals, [](const Interval&a, const Interval&b) {
         return a.size_bytes > b.size_bytes;
       })) {
    Interval& placed = intervals[index];
    in_use.find(placed, others);
    num_steps += others.size() + 1;
    if (num_steps > limit) return std::nullopt;
    std::sort(others.begin(), others.end(), [&](std::uint32_t a, std::uint32_t b) {
      return intervals[a].offset < intervals[b].offset;
    });
    placed.offset = 0;
    for (const std::uint32_t other : others) {
      if (placed.offset + placed.size_bytes <= intervals[other].offset) break;
      placed.offset =
          std::max(placed.offset, intervals[other].offset + intervals[other].size_bytes);
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

/// The same from the last step to the first one.
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

}  // namespace

std::size_t place(std::vector<Interval>& intervals, std::uint64_t* num_steps) {
  std::uint64_t steps = 0;
  std::optional<std::size_t> end = place_by_size(intervals, steps);
  if (!end) {
    std::vector<Interval> backwards = intervals;
    end = place_by_time(intervals, steps);
    const std::size_t other = place_by_time_backwards(backwards, steps);
    if (other < *end) {
      intervals = std::move(backwards);
      end = other;
    }
  }
  if (num_steps != nullptr) *num_steps = steps;
  return *end;
}

}  // namespace patchbay::runtime
