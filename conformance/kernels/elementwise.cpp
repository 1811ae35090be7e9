// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/kernels/elementwise.h"

namespace patchbay::conformance {
namespace {

ElementwiseCase plain(std::string name, const Shape& shape) {
  return {std::move(name), contiguous(shape), contiguous(shape), contiguous(shape)};
}

/// `a` is a row that repeats along dimension 0, `b` a column that repeats along dimension 1.
ElementwiseCase broadcast() {
  const Shape shape = {6, 11};
  ElementwiseCase one = plain("broadcast", shape);
  one.a.strides = {0, 1};
  one.b.strides = {1, 0};
  return one;
}

}  // namespace

std::vector<ElementwiseCase> elementwise_cases() {
  const Shape plane = {13, 17}, cube = {5, 7, 9};
  return {
      plain("rank 0", {}),
      plain("one element", {1}),
      plain("empty", {3, 0, 2}),
      plain("contiguous", plane),
      plain("rank 8", {2, 1, 3, 2, 1, 2, 2, 3}),
      {"transposed first operand", contiguous(cube), reversed(cube), contiguous(cube)},
      {"transposed second operand", contiguous(cube), contiguous(cube), reversed(cube)},
      {"transposed result", reversed(cube), contiguous(cube), contiguous(cube)},
      {"all transposed", reversed(plane), reversed(plane), reversed(plane)},
      {"offsets", contiguous({131}, 1), contiguous({131}, 3), contiguous({131}, 6)},
      {"many with offsets", contiguous({20003}, 1), contiguous({20003}, 3), contiguous({20003}, 6)},
      {"every second element", spread(plane, 2), spread(plane, 2, 1), contiguous(plane)},
      {"every third element of the result", spread(plane, 3, 2), contiguous(plane),
       spread(plane, 2)},
      broadcast(),
      {"one element repeated", contiguous({40, 3}), {{40, 3}, {0, 0}, 0}, {{40, 3}, {0, 0}, 2}},
      plain("many work-groups", {70001}),
      {"many rows of 3", contiguous({2503, 3}), reversed({2503, 3}), spread({2503, 3}, 2)},
  };
}

std::vector<ElementwiseCase> pairs_of_layouts() {
  const Shape shape = {2, 3, 33};
  const std::pair<const char*, Layout> all[] = {{"contiguous", contiguous(shape)},
                                                {"transposed", reversed(shape)},
                                                {"offset", contiguous(shape, 3)},
                                                {"step 2", spread(shape, 2, 1)}};
  std::vector<ElementwiseCase> cases;
  for (const auto& [first, a] : all) {
    for (const auto& [second, b] : all) {
      cases.push_back({fmt::format("{} and {}", first, second), b, a, b});
    }
  }
  return cases;
}

}  // namespace patchbay::conformance
