// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/view.h"

#include <algorithm>

#include "patchbay/dtype.h"

namespace patchbay::runtime {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

View View::range(std::int64_t begin, std::int64_t size_bytes) {
  View view;
  view.begin = begin;
  view.num_elements = size_bytes;
  if (size_bytes <= 1) return view;
  view.rank = 1;
  view.shape[0] = size_bytes;
  view.strides[0] = 1;
  return view;
}

View View::of(const patchbay_argument& argument, std::int64_t begin) {
  View view;
  view.begin = begin;
  view.element_bytes = static_cast<std::int64_t>(size_bytes(static_cast<DType>(argument.dtype)));
  view.num_elements = 1;
  for (int i = 0; i < argument.rank; ++i) {
    view.num_elements *= argument.shape[i];
    if (argument.shape[i] == 1) continue;
    view.shape[at(view.rank)] = argument.shape[i];
    view.strides[at(view.rank++)] = argument.strides[i] * view.element_bytes;
  }
  return view;
}

std::int64_t View::end() const {
  if (num_elements == 0) return begin;
  std::int64_t last = begin + element_bytes;
  for (int i = 0; i < rank; ++i) last += (shape[at(i)] - 1) * strides[at(i)];
  return last;
}

bool View::repeats_elements() const {
  return num_elements != 0 &&
         std::find(strides.begin(), strides.begin() + rank, 0) != strides.begin() + rank;
}

bool operator==(const View& a, const View& b) {
  return a.begin == b.begin && a.element_bytes == b.element_bytes && a.rank == b.rank &&
         a.num_elements == b.num_elements && a.shape == b.shape && a.strides == b.strides;
}

bool share_bytes(const View& a, const View& b) {
  if (a.num_elements == 0 || b.num_elements == 0) return false;
  if (a.begin >= b.end() || b.begin >= a.end()) return false;
  DistanceSearch search;
  search.add(1, 1 - b.element_bytes, a.element_bytes - 1);
  for (int i = 0; i < a.rank; ++i) {
    if (a.strides[at(i)] != 0) search.add(a.strides[at(i)], 0, a.shape[at(i)] - 1);
  }
  for (int i = 0; i < b.rank; ++i) {
    if (b.strides[at(i)] != 0) search.add(b.strides[at(i)], 1 - b.shape[at(i)], 0);
  }
  return search.can_reach(b.begin - a.begin) && !search.has_given_up();
}

}  // namespace patchbay::runtime
