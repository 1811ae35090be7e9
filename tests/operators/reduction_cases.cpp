// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reductions over every set of axes.
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <patchbay/ops.h>

#include "conformance/reference/reduction.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

template <class T>
using Group = std::vector<Exact<T>>;  // what is reduced to one element, in row-major order

using Reduce = Tensor (*)(const Tensor&, const Axes&, bool);

// ------------------------------------------------------------------------------- references

/// How elements become one, and the dtype of that.
struct Sum {
  template <class T>
  using Result = conformance::SumOf<T>;
  static constexpr bool kSumsUp = true;

  /// Integers modulo 2^64.
  template <class T>
  static auto reduce(std::string_view name, const Group<T>& group) {
    using E = Exact<Result<T>>;
    conformance::Term<E> total;
    for (const auto element : group) {
      const E term = conformance::term_of(name, static_cast<E>(element));
      if constexpr (kIsFloat<T>)
        total.add(term);
      else
        total.value = conformance::sum_of(total.value, term);
    }
    return total;
  }
};

/// Integers modulo 2^64.
struct Product {
  template <class T>
  using Result = conformance::SumOf<T>;
  static constexpr bool kSumsUp = true;

  template <class T>
  static auto reduce(std::string_view, const Group<T>& group) {
    using E = Exact<Result<T>>;
    conformance::Term<E> total{1, 1};
    for (const auto element : group) {
      total.value = conformance::product_of(total.value, static_cast<E>(element));
    }
    return total;
  }
};

/// The index of the first NaN, else of the first extreme.
struct Position {
  template <class T>
  using Result = std::int64_t;
  static constexpr bool kSumsUp = false;

  template <class T>
  static auto reduce(std::string_view name, const Group<T>& group) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < group.size(); ++i) {
      const Exact<T> x = group[i], found = group[best];
      const bool is_better = conformance::is_better(name, conformance::term_of(name, x),
                                                    conformance::term_of(name, found));
      if (is_better) best = i;
    }
    return conformance::Term<std::int64_t>{static_cast<std::int64_t>(best), 0};
  }
};

/// The greatest, or the least; a NaN wins.
struct Extreme {
  template <class T>
  using Result = T;
  static constexpr bool kSumsUp = false;

  template <class T>
  static auto reduce(std::string_view name, const Group<T>& group) {
    const auto place = static_cast<std::size_t>(Position::reduce<T>(name, group).value);
    const Exact<T> best = conformance::term_of<Exact<T>>(name, group[place]);
    return conformance::Term<Exact<T>>{best, best};
  }
};

// ------------------------------------------------------------------------------- runs

/// The elements that go to each element of the result, whose axes are those outside of `mask`.
template <class T>
std::vector<Group<T>> groups_of(const Values<T>& values, const Shape& shape, unsigned mask) {
  std::size_t count = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if ((mask >> d & 1u) == 0) count *= static_cast<std::size_t>(shape[d]);
  }
  std::vector<Group<T>> groups(count);
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.rank()));
  for (const auto value : values) {
    std::int64_t to = 0;
    for (int d = 0; d < shape.rank(); ++d) {
      if ((mask >> d & 1u) == 0) to = to * shape[d] + index[static_cast<std::size_t>(d)];
    }
    groups[static_cast<std::size_t>(to)].push_back(static_cast<Exact<T>>(value));
    for (int d = shape.rank() - 1; d >= 0; --d) {
      std::int64_t& i = index[static_cast<std::size_t>(d)];
      if (++i < shape[d]) break;
      i = 0;
    }
  }
  return groups;
}

Axes axes_of(unsigned mask, int rank) {
  Axes axes;
  if (mask == (1u << rank) - 1) return axes;  // all
  for (int d = 0; d < rank; ++d) {
    if ((mask >> d & 1u) != 0) axes.dims.push_back(d);
  }
  return axes;
}

template <class Method, class T>
void check(const Tensor& a, const Values<T>& values, unsigned mask, Reduce op,
           const OperatorInfo& record, const std::string& at, bool is_exact = false) {
  using R = typename Method::template Result<T>;
  const std::string what = std::string(record.name) + ' ' + at + " axes " + std::to_string(mask);
  const std::vector<Group<T>> groups = groups_of<T>(values, a.shape(), mask);
  for (const bool keep : {false, true}) {
    const Tensor result = op(a, axes_of(mask, a.rank()), keep);
    ASSERT_EQ(result.dtype(), record.result_dtype(a.dtype())) << what;
    const bool has_scale = record.bound.scale == ErrorBound::Scale::kTerms && !is_exact;
    Terms<R> expected;
    for (const Group<T>& group : groups) {
      const auto total = Method::template reduce<T>(record.name, group);
      expected.push_back(has_scale ? total : term_of(total.value));
    }
    const double ulps = is_exact ? 0 : record.bound.of(dtype_of<R>());
    expect_within<R>(download<R>(result), expected, ulps, what);
  }
}

/// Single axes and all of them where an index is to come out, else every set.
std::vector<unsigned> masks_of(const OperatorInfo& record, int rank) {
  const unsigned all = (1u << rank) - 1;
  std::vector<unsigned> masks;
  for (unsigned mask = 0; mask <= all; ++mask) {
    const bool single = mask != 0 && (mask & (mask - 1)) == 0;
    const bool is_index = record.name.starts_with("arg");
    if (mask == all || (mask != 0 && (!is_index || single))) masks.push_back(mask);
  }
  return masks;
}

/// Sums meet NaN and infinities one at a time, for with several the order would show.
template <class T>
std::vector<Values<T>> special_values(std::size_t count) {
  std::vector<Values<T>> all;
  if constexpr (kIsFloat<T>) {
    using Limits = std::numeric_limits<T>;
    const Stored<T> specials[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()};
    for (const Stored<T> special : specials) {
      all.push_back(tame_values<T>(count, 5));
      all.back()[count / 2] = special;
    }
    all.push_back(tame_values<T>(count, 6));  // infinities of both signs
    all.back()[count / 3] = Limits::infinity();
    all.back()[count / 2] = -Limits::infinity();
    all.emplace_back(count, Limits::denorm_min());
  }
  return all;
}

/// About 60 of them are not 1 or -1, so that products stay in range.
template <class T>
Values<T> factors(std::size_t count) {
  Values<T> values = tame_values<T>(count, 4);
  if constexpr (kIsFloat<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i % (count / 60 + 1) != 0) values[i] = values[i] < 0 ? -1 : 1;
    }
  }
  return values;
}

/// Lines of a view that do not merge, in memory that begins at packs of an accelerator and one
/// element later: the order of the additions is that of shape and strides.
template <class Method, class T>
void check_addresses(const Device& device, Reduce op, const OperatorInfo& record) {
  using R = typename Method::template Result<T>;
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{6001, 4}, {1201, 36}, {67, 1030}}) {
    const std::int64_t wide = (columns + 16) / 8 * 8, count = rows * wide;
    const Values<T> values = tame_values<T>(static_cast<std::size_t>(count), 3);
    Values<T> later = values;
    later.insert(later.begin(), values.front());
    const auto reduced = [&, rows = rows, columns = columns](const Values<T>& all) {
      const auto first = static_cast<std::int64_t>(all.size()) - count;
      const Tensor flat = upload<T>(all, {first + count}, device).slice(0, first, first + count);
      return download<R>(op(flat.view({rows, wide}).slice(1, 0, columns), {}, false));
    };
    const Values<R> expected = reduced(values), got = reduced(later);
    ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(got[0])), 0)
        << record.name << " of " << rows << " x " << columns << ": " << +got[0] << " and "
        << +expected[0];
  }
}

template <class Method, class T>
void check_all(const Device& device, Reduce op, const OperatorInfo& record) {
  const auto values_for = [](std::size_t count) {
    if (std::is_same_v<Method, Product>) return factors<T>(count);
    return Method::kSumsUp ? tame_values<T>(count, 3) : random_values<T>(count, 3);
  };
  for (const Arrangement& at : arrangements()) {
    const Values<T> values = values_for(count_of(at.shape));
    if (values.empty() && !Method::kSumsUp) continue;  // an error: ReduceTest has its message
    const Tensor a = arrange<T>(values, at.shape, at.a, device);
    for (const unsigned mask : masks_of(record, at.shape.rank())) {
      check<Method, T>(a, values, mask, op, record, at.name);
    }
  }
  if constexpr (!std::is_same_v<Method, Product>) {
    const Values<T> values = whole_values<T>(60, 1, Method::kSumsUp ? 8 : 3);
    for (const Layout layout : kLayouts) {
      const Tensor a = arrange<T>(values, {3, 4, 5}, layout, device);
      for (const unsigned mask : masks_of(record, 3)) {
        check<Method, T>(a, values, mask, op, record, "whole numbers", true);
      }
    }
  }
  const Values<T> row = values_for(300);  // long rows and columns; then a repeated row
  // Of products only signs repeat, for the others would go out of range.
  Values<T> one_row = row, plane;
  if (kIsFloat<T> && std::is_same_v<Method, Product>) {
    for (auto& value : one_row) value = value < 0 ? -1 : 1;
  }
  for (int i = 0; i < 257; ++i) plane.insert(plane.end(), one_row.begin(), one_row.end());
  const Tensor repeated = upload<T>(one_row, {300}, device).expand({257, 300});
  for (const unsigned mask : {1u, 2u, 3u}) {
    check<Method, T>(repeated, plane, mask, op, record, "broadcast");
    check<Method, T>(repeated.contiguous(), plane, mask, op, record, "plane");
  }
  // Lengths about the packs, rounds and pieces of accelerators; rows that are not aligned.
  const std::pair<std::int64_t, std::int64_t> edges[] = {{3, 4099}, {4099, 3},  {2, 513}, {257, 68},
                                                         {66, 255}, {1, 20011}, {700, 36}};
  for (const auto& [rows, columns] : edges) {
    const auto count = static_cast<std::size_t>(rows * columns);
    const Values<T> values = values_for(count);
    const Tensor a = upload<T>(values, {rows, columns}, device);
    for (const unsigned mask : {1u, 2u, 3u}) check<Method, T>(a, values, mask, op, record, "edge");
  }
  if (record.name == "sum") {
    check_addresses<Method, T>(device, op, record);
  }
  // Products of so many elements would become 0 before they meet an infinity.
  const bool has_long = !std::is_same_v<Method, Product>;
  for (const Values<T>& values : special_values<T>(has_long ? 6 * 1027 : 6)) {
    if (!has_long) break;
    const Tensor long_rows = upload<T>(values, {6, 1027}, device);
    const Tensor long_columns = upload<T>(values, {1027, 6}, device);
    for (const unsigned mask : {1u, 2u, 3u}) {
      check<Method, T>(long_rows, values, mask, op, record, "special values of rows");
      check<Method, T>(long_columns, values, mask, op, record, "special values of columns");
    }
  }
  for (const Values<T>& values : special_values<T>(60)) {
    const Tensor a = upload<T>(values, {3, 4, 5}, device);
    for (const unsigned mask : masks_of(record, 3)) {
      check<Method, T>(a, values, mask, op, record, "special values");
    }
  }
}

template <class Method, Types kTypes = Types::kAll>
OperatorCase reduction(std::string_view name, Reduce op) {
  return case_of<kTypes>(name, [=](const Device& device, const OperatorInfo& record, auto zero) {
    check_all<Method, decltype(zero)>(device, op, record);
  });
}

}  // namespace

OperatorCases reduction_cases() {
  return {
      reduction<Sum>("sum", sum),
      reduction<Sum, Types::kNumbers>("sum_squares", sum_squares),
      reduction<Product, Types::kNumbers>("prod", prod),
      reduction<Sum, Types::kFloats>("sum_abs", [](const Tensor& a, const Axes& axes,
                                                   bool keep) { return norm(a, 1, axes, keep); }),
      reduction<Extreme, Types::kFloats>("max_abs",
                                         [](const Tensor& a, const Axes& axes, bool keep) {
                                           return norm(a, INFINITY, axes, keep);
                                         }),
      reduction<Extreme>("min", min),
      reduction<Extreme>("max", max),
      reduction<Position>("argmin", argmin),
      reduction<Position>("argmax", argmax),
  };
}

}  // namespace patchbay::test
