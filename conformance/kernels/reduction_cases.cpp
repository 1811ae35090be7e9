// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/kernels/reduction_cases.h"

#include <algorithm>

namespace patchbay::conformance {
namespace {

bool is_reduced(const ReductionCase& one, int dim) {
  return one.out.shape[dim] == 1 && one.in.shape[dim] != 1;
}

/// The part of a row-major index along the kept or the reduced dimensions.
std::size_t part_of(const ReductionCase& one, std::size_t index, bool reduced) {
  std::size_t part = 0, weight = 1;
  for (int i = one.in.shape.rank() - 1; i >= 0; --i) {
    const auto extent = static_cast<std::size_t>(one.in.shape[i]);
    if (is_reduced(one, i) == reduced) {
      part += index % extent * weight;
      weight *= extent;
    }
    index /= extent;
  }
  return part;
}

ReductionCase plain(std::string name, const Shape& in, const Shape& out) {
  return {std::move(name), contiguous(in), contiguous(out)};
}

}  // namespace

std::size_t ReductionCase::target(std::size_t index) const { return part_of(*this, index, false); }

std::size_t ReductionCase::position(std::size_t index) const { return part_of(*this, index, true); }

bool ReductionCase::is_along_one_axis_or_all() const {
  int reduced = 0;
  for (int i = 0; i < in.shape.rank(); ++i) reduced += is_reduced(*this, i) ? 1 : 0;
  return reduced <= 1 || out.num_elements() == 1;
}

std::vector<ReductionCase> reduction_cases() {
  const Shape cube = {6, 19, 23};
  return {
      plain("rank 0", {}, {}),
      plain("one element", {1}, {1}),
      plain("nothing to reduce", {4, 1, 5}, {4, 1, 5}),
      plain("a row", {70001}, {1}),
      plain("all of a matrix", {123, 45}, {1, 1}),
      plain("along rows", {37, 301}, {37, 1}),
      plain("along columns", {301, 37}, {1, 37}),
      plain("few long rows", {2, 30011}, {2, 1}),
      plain("many short rows", {20011, 3}, {20011, 1}),
      plain("long columns", {20011, 3}, {1, 3}),
      plain("the middle of a cube", cube, {6, 1, 23}),
      plain("both ends of a cube", cube, {1, 19, 1}),
      plain("the end of a cube, twice", cube, {6, 1, 1}),
      plain("rank 8", {2, 3, 1, 2, 2, 3, 1, 2}, {2, 1, 1, 2, 1, 3, 1, 1}),
      {"transposed", reversed(cube), contiguous({6, 1, 23})},
      {"transposed, along rows", reversed({151, 203}), contiguous({151, 1})},
      {"every second element", spread({211, 31}, 2, 1), spread({211, 1}, 3, 1)},
      {"a row that repeats", {{50, 21}, {0, 1}, 3}, contiguous({50, 1})},
      {"a column that repeats", {{21, 50}, {1, 0}, 0}, contiguous({1, 50}, 2)},
      plain("no results", {3, 0}, {1, 0}),
  };
}

std::vector<ReductionCase> empty_reduction_cases() {
  return {plain("an empty row", {0}, {1}), plain("empty rows", {5, 0}, {5, 1}),
          plain("empty columns", {0, 5}, {1, 5})};
}

}  // namespace patchbay::conformance
