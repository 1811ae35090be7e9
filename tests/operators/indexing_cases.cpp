// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is looked up, and added to, by index.
#include <patchbay/indexing.h>

#include "conformance/reference/lines.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

using conformance::place_in;

template <class I>
Values<I> random_indices(std::size_t count, std::int64_t extent, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<I> draw(0, static_cast<I>(extent - 1));
  Values<I> values(count);
  for (auto& value : values) value = draw(engine);
  return values;
}

/// A table that is larger than the indices reach in every dimension but `dim`.
Shape table_shape(const Shape& shape, int dim) {
  Shape result = shape;
  for (int i = 0; i < result.rank(); ++i) result[i] += 1;
  result[dim] = 5;
  return result;
}

template <class T, class I>
void check_gather(const Device& device) {
  for_dims([&](const Arrangement& at, int dim) {
    const Shape shape = table_shape(at.shape, dim);
    const Values<T> values = random_values<T>(count_of(shape), 21);
    const Values<I> indices = random_indices<I>(count_of(at.shape), shape[dim], 22);
    Values<T> expected;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      expected.push_back(values[place_in(shape, at.shape, i, dim, indices[i])]);
    }
    const Tensor a = arrange<T>(values, shape, at.a, device);
    const Tensor index = arrange<I>(indices, at.shape, at.b, device);
    expect_same<T>(download<T>(gather(a, dim, index)), expected, "gather");
    const Tensor out = arrange<T>(Values<T>(expected.size()), at.shape, at.b, device);
    expect_same<T>(download<T>(gather_out(out, a, dim, index)), expected, "gather_out");
  });
}

template <class T, class I>
void check_index_select(const Device& device) {
  for_dims([&](const Arrangement& at, int dim) {
    if (at.shape[dim] == 0) return;
    const Values<T> values = random_values<T>(count_of(at.shape), 23);
    for (const std::size_t count : {0, 1, 7}) {
      const Values<I> indices = random_indices<I>(count, at.shape[dim], 24);
      Shape shape = at.shape;
      shape[dim] = static_cast<std::int64_t>(count);
      Values<T> expected;
      for (std::size_t i = 0; i < count_of(shape); ++i) {
        std::size_t along = i;
        for (int d = shape.rank() - 1; d > dim; --d) along /= static_cast<std::size_t>(shape[d]);
        expected.push_back(values[place_in(at.shape, shape, i, dim, indices[along % count])]);
      }
      const Tensor a = arrange<T>(values, at.shape, at.a, device);
      const Tensor index = arrange<I>(indices, {shape[dim]}, at.b, device);
      expect_same<T>(download<T>(index_select(a, dim, index)), expected, "index_select");
    }
  });
}

/// Bit for bit: the order of the additions is fixed.
template <class T, class I>
void check_scatter_add(const Device& device) {
  for_dims([&](const Arrangement& at, int dim) {
    const Shape shape = table_shape(at.shape, dim);
    const Values<T> values = tame_values<T>(count_of(shape), 25);
    const Values<T> added = tame_values<T>(count_of(at.shape), 26);
    const Values<I> indices = random_indices<I>(added.size(), shape[dim], 27);
    Values<T> expected = values;
    for (std::size_t i = 0; i < added.size(); ++i) {
      Stored<T>& to = expected[place_in(shape, at.shape, i, dim, indices[i])];
      to = conformance::sum_of<T>(to, added[i]);
    }
    const Tensor a = arrange<T>(values, shape, at.a, device);
    const Tensor source = arrange<T>(added, at.shape, at.a, device);
    const Tensor index = arrange<I>(indices, at.shape, at.b, device);
    expect_same<T>(download<T>(scatter_add(a, dim, index, source)), expected, "scatter_add");
    expect_same<T>(download<T>(a), values, "what was added to");
    scatter_add_out(a, a, dim, index, source);
    expect_same<T>(download<T>(a), expected, "scatter_add in place");
  });
}

/// Rows of many widths, with indices that repeat.
template <class T, class I>
void check_index_add(const Device& device) {
  for (const std::int64_t width : {1, 3, 64, 257, 1030}) {
    const Shape shape{11, width};
    const Values<T> values = tame_values<T>(count_of(shape), 28);
    const Values<I> indices = random_indices<I>(40, 11, 29);
    const Values<T> added = tame_values<T>(static_cast<std::size_t>(40 * width), 30);
    Values<T> expected = values;
    for (std::size_t i = 0; i < added.size(); ++i) {
      const std::size_t row = i / static_cast<std::size_t>(width);
      Stored<T>& to = expected[place_in(shape, Shape{40, width}, i, 0, indices[row])];
      to = conformance::sum_of<T>(to, added[i]);
    }
    const Tensor a = upload<T>(values, shape, device), index = upload<I>(indices, {40}, device);
    const Tensor source = arrange<T>(added, {40, width}, Layout::kTransposed, device);
    expect_same<T>(download<T>(index_add(a, 0, index, source)), expected, "index_add");
    const Tensor across = index_add(a.t(), 1, index, source.t());
    expect_same<T>(download<T>(across.t()), expected, "index_add along the last dimension");
  }
}

template <class T, class I>
void check_gathers(const Device& device) {
  check_gather<T, I>(device);
  check_index_select<T, I>(device);
}
template <class T, class I>
void check_scatters(const Device& device) {
  check_scatter_add<T, I>(device);
  check_index_add<T, I>(device);
}

/// check<T, I>(device) with both types of indices.
#define PATCHBAY_OF_INDICES(check)                           \
  [](const Device& device, const OperatorInfo&, auto zero) { \
    check<decltype(zero), std::int64_t>(device);             \
    check<decltype(zero), std::int32_t>(device);             \
  }

}  // namespace

OperatorCases indexing_cases() {
  return {case_of<Types::kAll>("gather", PATCHBAY_OF_INDICES(check_gathers)),
          case_of<Types::kNumbers>("scatter_add", PATCHBAY_OF_INDICES(check_scatters))};
}

}  // namespace patchbay::test
