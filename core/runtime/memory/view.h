// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which bytes of a block an argument uses, and whether two strided views share one.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_VIEW_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_VIEW_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "patchbay/plugin/types.h"

namespace patchbay::runtime {

/// Whether terms of the form count * stride can add up to a distance, that between an element of
/// one view and one of another. Searches the counts, largest stride first: the smaller strides then
/// leave few counts to try, unless the views interleave in an unusual way.
class DistanceSearch {
 public:
  /// Adds a term whose count goes from low to high.
  void add(std::int64_t stride_bytes, std::int64_t low, std::int64_t high) {
    for (Term& term : terms_) {
      if (term.stride_bytes == stride_bytes && &term < terms_.data() + size_) {
        term.low += low;
        term.high += high;
        return;
      }
    }
    terms_[static_cast<std::size_t>(size_++)] = {stride_bytes, low, high};
  }

  /// Also true if the search gave up, to be on the safe side.
  bool can_reach(std::int64_t distance) {
    std::sort(terms_.begin(), terms_.begin() + size_,
              [](const Term& x, const Term& y) { return x.stride_bytes > y.stride_bytes; });
    return search(0, distance);
  }
  bool has_given_up() const { return steps_ > kMaxSteps; }

 private:
  struct Term {
    std::int64_t stride_bytes, low, high;
  };
  static constexpr int kMaxSteps = 10'000;
  static constexpr std::size_t kMaxTerms = 17;  // two views of rank 8, and the bytes of an element

  bool search(int next, std::int64_t distance) {
    if (next == size_) return distance == 0;
    std::int64_t rest_low = 0, rest_high = 0;
    for (int i = next + 1; i < size_; ++i) {
      rest_low += term(i).low * term(i).stride_bytes;
      rest_high += term(i).high * term(i).stride_bytes;
    }
    const Term& mine = term(next);
    const std::int64_t first =
        std::max(mine.low, ceil_div(distance - rest_high, mine.stride_bytes));
    const std::int64_t last =
        std::min(mine.high, -ceil_div(rest_low - distance, mine.stride_bytes));
    for (std::int64_t count = first; count <= last; ++count) {
      if (++steps_ > kMaxSteps) return true;
      if (search(next + 1, distance - count * mine.stride_bytes)) return true;
    }
    return false;
  }

  const Term& term(int i) const { return terms_[static_cast<std::size_t>(i)]; }
  static std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a / b + (a % b > 0 ? 1 : 0);
  }

  std::array<Term, kMaxTerms> terms_{};
  int size_ = 0;
  int steps_ = 0;
};

/// Strided elements, all in bytes. Dimensions of extent 1 are left out.
struct View {
  std::int64_t begin = 0;  // from the start of the block
  std::int64_t element_bytes = 1;
  std::int64_t num_elements = 0;
  int rank = 0;
  std::array<std::int64_t, PATCHBAY_MAX_RANK> shape{}, strides{};

  static View range(std::int64_t begin, std::int64_t size_bytes);
  /// The view of a tensor argument that begins at `begin`.
  static View of(const patchbay_argument& argument, std::int64_t begin);

  /// The end of the last element.
  std::int64_t end() const;
  /// Whether two indices refer to one element.
  bool repeats_elements() const;
  friend bool operator==(const View& a, const View& b);
};

/// Whether the two share a byte. False if that is too costly to find out.
bool share_bytes(const View& a, const View& b);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_VIEW_H_
