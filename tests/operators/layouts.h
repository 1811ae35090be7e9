// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Every way in which an operand can lie in memory.
#ifndef PATCHBAY_TESTS_OPERATORS_LAYOUTS_H_
#define PATCHBAY_TESTS_OPERATORS_LAYOUTS_H_

#include <string>
#include <vector>

#include "operators/reference.h"
#include "support/layout.h"

namespace patchbay::test {

/// A shape, and how the operands lie.
struct Arrangement {
  std::string name;
  Shape shape;
  Layout a = Layout::kContiguous, b = Layout::kContiguous;
};

inline std::vector<Arrangement> arrangements() {
  return {
      {"contiguous", {4, 8, 16}},
      {"transposed", {5, 7, 9}, Layout::kTransposed, Layout::kTransposed},
      {"one transposed", {33, 17}, Layout::kContiguous, Layout::kTransposed},
      {"offset", {131}, Layout::kOffset, Layout::kOffset},
      {"step 2", {13, 17}, Layout::kStep, Layout::kStep},
      {"mixed", {6, 5, 31}, Layout::kStep, Layout::kTransposed},
      {"empty", {3, 0, 2}},
      {"0-d", {}},
      {"one element", {1}},
      {"odd sizes", {3, 5, 7}},
      {"more than one work-group", {70001}},
  };
}

/// Two operands in each pair of layouts.
inline std::vector<Arrangement> pairs_of_layouts() {
  std::vector<Arrangement> all;
  for (const Shape& shape : {Shape{7}, Shape{2, 3, 33}}) {
    for (const Layout a : kLayouts) {
      for (const Layout b : kLayouts) {
        const std::string name = testing::PrintToString(a) + " and " + testing::PrintToString(b);
        all.push_back({name, shape, a, b});
      }
    }
  }
  return all;
}
/// The arrangements, then these pairs.
inline std::vector<Arrangement> arrangements_of_two() {
  std::vector<Arrangement> all = arrangements();
  for (const Arrangement& one : pairs_of_layouts()) all.push_back(one);
  return all;
}

/// The values in that layout; rank 0 knows one layout only.
template <class T>
Tensor arrange(const Values<T>& values, const Shape& shape, Layout layout, const Device& device) {
  Tensor plain = upload<T>(values, shape, device);
  if (layout == Layout::kContiguous || shape.rank() == 0) return plain;
  Tensor result = empty_in(layout, shape, dtype_of<T>(), device);
  result.copy_from(plain);
  return result;
}

/// Calls body(arrangement, dim) with each dimension of each shape that has one.
template <class Body>
void for_dims(const Body& body) {
  for (const Arrangement& at : arrangements()) {
    for (int dim = 0; dim < at.shape.rank(); ++dim) {
      SCOPED_TRACE(at.name + " along " + std::to_string(dim));
      body(at, dim);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_OPERATORS_LAYOUTS_H_
