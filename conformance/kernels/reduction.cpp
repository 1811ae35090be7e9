// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reductions. Extremes are exact. Sums of integers are exact and wrap; sums of floats are exact if
// every partial sum is, otherwise within sqrt(n) eps, at least 32 eps, of the sum of the absolute
// values.
#include "conformance/reference/reduction.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/array.h"
#include "conformance/values/layout.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

/// A dimension is reduced if it has extent 1 in the result but not in the input.
struct ReductionCase {
  std::string name;
  Layout in, out;

  bool is_reduced(int dim) const { return out.shape[dim] == 1 && in.shape[dim] != 1; }
  /// The part of a row-major index along the kept or the reduced dimensions.
  std::size_t part_of(std::size_t index, bool reduced) const {
    std::size_t part = 0, weight = 1;
    for (int i = in.shape.rank() - 1; i >= 0; --i) {
      const auto extent = static_cast<std::size_t>(in.shape[i]);
      if (is_reduced(i) == reduced) {
        part += index % extent * weight;
        weight *= extent;
      }
      index /= extent;
    }
    return part;
  }
  /// The element of the result to which an element of the input belongs; row-major indices.
  std::size_t target(std::size_t index) const { return part_of(index, false); }
  /// Its position among the elements that are reduced to that result.
  std::size_t position(std::size_t index) const { return part_of(index, true); }
  /// Whether at most one dimension is reduced, or all are.
  bool is_along_one_axis_or_all() const {
    int reduced = 0;
    for (int i = 0; i < in.shape.rank(); ++i) reduced += is_reduced(i) ? 1 : 0;
    return reduced <= 1 || out.num_elements() == 1;
  }
};

ReductionCase plain(std::string name, const Shape& in, const Shape& out) {
  return {std::move(name), contiguous(in), contiguous(out)};
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

/// Reductions of no elements, for which only sums have a result.
std::vector<ReductionCase> empty_reduction_cases() {
  return {plain("an empty row", {0}, {1}), plain("empty rows", {5, 0}, {5, 1}),
          plain("empty columns", {0, 5}, {1, 5})};
}

template <class In>
using ValueOf = std::function<In(std::size_t)>;

template <class Out, class In>
Array<Out> launch(const Device& device, const std::string& op, const ReductionCase& one,
                  const Array<In>& in) {
  Array<Out> out(one.out);
  const Argument target = out.to_device(device, Access::kWrite);
  run_kernel(device, op, {target, in.to_device(device, Access::kRead)});
  out.from_device(target);
  return out;
}

template <class In>
std::string describe(const std::string& op, const ReductionCase& one) {
  return fmt::format("{} of {}, {}", op, to_string(dtype_of_element<In>()), one.name);
}

/// Compares with the sum in the type of the computation: every partial sum is a whole number that
/// it represents.
template <class In>
void check_exact_sum(const Device& device, const std::string& name, const ReductionCase& one) {
  using Out = SumOf<In>;
  const Array<In> in(one.in, [](std::size_t i) { return small_integer<In>(i); });
  std::vector<Computed<Out>> sums(one.out.num_elements());
  for (std::size_t i = 0; i < in.size(); ++i) {
    sums[one.target(i)] += term_of(name, static_cast<Computed<Out>>(in.at(i)));
  }
  Array<Out> expected(one.out);
  for (std::size_t i = 0; i < sums.size(); ++i) expected.at(i) = static_cast<Out>(sums[i]);
  launch<Out>(device, name + ".1", one, in)
      .expect_close_to(expected, 0, describe<In>(name + ".1", one));
}

/// Compares with the sum in a wider type.
template <class T>
void check_rounded_sum(const Device& device, const std::string& name, const ReductionCase& one) {
  const Array<T> in(one.in, [](std::size_t i) { return moderate_value<T>(i); });
  std::vector<long double> exact(one.out.num_elements()), magnitude(one.out.num_elements());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto term = term_of(name, static_cast<long double>(in.at(i)));
    exact[one.target(i)] += term;
    magnitude[one.target(i)] += std::fabs(term);
  }
  const Array<T> out = launch<T>(device, name + ".1", one, in);
  const std::size_t terms = in.size() / std::max<std::size_t>(out.size(), 1);
  const double units = std::max(32.0, std::sqrt(static_cast<double>(terms)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto sum = static_cast<double>(exact[i]);
    const double bound = room_for<T>(sum, static_cast<double>(magnitude[i]), units);
    const long double error = std::fabs(static_cast<long double>(out.at(i)) - exact[i]);
    const bool is_same = out.at(i) == static_cast<T>(sum);  // also infinite
    expect(is_same || error <= bound, "{}: element {}: expected {} within {}, got {}",
           describe<T>(name + ".1", one), i, sum, bound, show_element(out.at(i)));
  }
}

template <class In>
void check_sum(const Device& device, const std::string& name) {
  for (const ReductionCase& one : reduction_cases()) {
    check_exact_sum<In>(device, name, one);
    if constexpr (kIsFloat<In>) check_rounded_sum<In>(device, name, one);
  }
  for (const ReductionCase& one : empty_reduction_cases()) check_exact_sum<In>(device, name, one);
}

/// Compares with the product in the same type: of integers, which wraps around, and of floats that
/// are powers of two and in range.
template <class In>
void check_prod(const Device& device, const std::string& name) {
  using Out = SumOf<In>;
  const auto factor = [](std::size_t i) {
    if constexpr (kIsFloat<In>) {
      const double size = i % 61 != 7 ? 1 : i / 61 % 2 == 0 ? 2 : 0.5;
      return static_cast<In>(mix(i) % 2 == 0 ? size : -size);
    } else {
      return ordinary_value<In>(i);
    }
  };
  std::vector<ReductionCase> cases = reduction_cases();
  for (const ReductionCase& one : empty_reduction_cases()) cases.push_back(one);
  for (const ReductionCase& one : cases) {
    const Array<In> in(one.in, factor);
    Array<Out> expected(one.out);
    for (std::size_t i = 0; i < expected.size(); ++i) expected.at(i) = Out(1);
    for (std::size_t i = 0; i < in.size(); ++i) {
      Out& product = expected.at(one.target(i));
      product = product_of(product, static_cast<Out>(in.at(i)));
    }
    launch<Out>(device, name + ".1", one, in)
        .expect_close_to(expected, 0, describe<In>(name + ".1", one));
  }
}

/// The index of the extreme in the input, for each element of the result.
template <class T>
std::vector<std::size_t> extremes(const std::string& name, const ReductionCase& one,
                                  const Array<T>& in) {
  std::vector<std::size_t> places(one.out.num_elements(), SIZE_MAX);
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::size_t& place = places[one.target(i)];
    if (place == SIZE_MAX || is_better(name, in.at(i), in.at(place))) place = i;
  }
  return places;
}

template <class T>
void check_extreme_of(const Device& device, const std::string& name, const ReductionCase& one,
                      const ValueOf<T>& value) {
  const Array<T> in(one.in, value);
  const std::vector<std::size_t> places = extremes(name, one, in);
  const std::string what = describe<T>(name + ".1", one);
  if (name.starts_with("arg")) {
    Array<std::int64_t> expected(one.out);
    for (std::size_t i = 0; i < places.size(); ++i) {
      expected.at(i) = static_cast<std::int64_t>(one.position(places[i]));
    }
    launch<std::int64_t>(device, name + ".1", one, in).expect_close_to(expected, 0, what);
  } else {
    Array<T> expected(one.out);
    for (std::size_t i = 0; i < places.size(); ++i) expected.at(i) = in.at(places[i]);
    launch<T>(device, name + ".1", one, in).expect_close_to(expected, 0, what);
  }
}

/// Ordinary numbers; few distinct ones, for ties; special ones, including NaN.
template <class T>
void check_extreme(const Device& device, const std::string& name) {
  for (const ReductionCase& one : reduction_cases()) {
    if (name.starts_with("arg") && !one.is_along_one_axis_or_all()) continue;
    check_extreme_of<T>(device, name, one, ordinary_value<T>);
    check_extreme_of<T>(device, name, one, small_integer<T>);
    check_extreme_of<T>(device, name, one, [](std::size_t i) {
      return i % 29 == 17 ? mixed_value<T>(0, i / 29) : ordinary_value<T>(i);
    });
  }
}

/// Floats keep their dtype, integers become i64.
template <class In>
void check_max_abs(const Device& device, const std::string& name) {
  using Out = SumOf<In>;
  for (const ReductionCase& one : reduction_cases()) {
    const Array<In> in(one.in, [](std::size_t i) {
      return std::is_same_v<In, std::int64_t> ? small_integer<In>(i) : ordinary_value<In>(i);
    });
    Array<Out> expected(one.out);
    for (std::size_t i = 0; i < expected.size(); ++i) expected.at(i) = Out(0);
    for (std::size_t i = 0; i < in.size(); ++i) {
      Out& best = expected.at(one.target(i));
      best = std::max<Out>(best, term_of(name, static_cast<Computed<Out>>(in.at(i))));
    }
    launch<Out>(device, name + ".1", one, in)
        .expect_close_to(expected, 0, describe<In>(name + ".1", one));
  }
}

/// i64 sums wrap around, i32 ones do not.
void check_large_integers(Context& context) {
  const Device device = context.device();
  const ReductionCase one{"a row of large numbers", contiguous({4099}), contiguous({1})};
  const Array<std::int32_t> narrow(one.in, [](std::size_t) { return INT32_MAX; });
  const Array<std::int64_t> wide(one.in, [](std::size_t) { return INT64_MAX; });
  expect_equal(launch<std::int64_t>(device, "sum.1", one, narrow).at(0),
               std::int64_t{4099} * INT32_MAX, "sum.1 of 4099 times the largest i32");
  const auto wrapped = static_cast<std::int64_t>(std::uint64_t{4099} * std::uint64_t{INT64_MAX});
  expect_equal(launch<std::int64_t>(device, "sum.1", one, wide).at(0), wrapped,
               "sum.1 of 4099 times the largest i64");
}

/// A NaN or an infinity among many numbers determines the result.
template <class T>
void check_special_floats(const Device& device) {
  const ReductionCase one{"a row", contiguous({40007}), contiguous({1})};
  for (const std::string op : {"sum.1", "sum_squares.1", "sum_abs.1", "max_abs.1"}) {
    for (const T special :
         {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
      const Array<T> in(one.in, [&](std::size_t i) { return i == 30011 ? special : T(1); });
      const T got = launch<T>(device, op, one, in).at(0);
      expect(is_close(got, special, 0), "{} of a row with {}: got {}", op, show_element(special),
             show_element(got));
    }
  }
}

/// Means, and roots of sums of squares, of numbers whose squares and sums are too large or 0.
template <class T>
void check_moment(const Device& device, const ReductionCase& one, double size, std::int64_t order) {
  const Array<T> in(one.in, [&](std::size_t i) {
    return static_cast<T>(size * (static_cast<double>(small_integer<T>(i)) + 300));
  });
  const std::size_t terms = in.size() / std::max<std::size_t>(one.out.num_elements(), 1);
  std::vector<long double> exact(one.out.num_elements());  // sums of many terms
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto x = static_cast<long double>(in.at(i));
    exact[one.target(i)] += (order == 1 ? x : x * x) / static_cast<long double>(terms);
  }
  Array<T> out(one.out);
  const Argument target = out.to_device(device, Access::kWrite);
  run_kernel(device, "moment.1",
             {target, in.to_device(device, Access::kRead), Argument::scalar(static_cast<T>(terms))},
             {{"order", order}, {"root", std::int64_t{order - 1}}});
  out.from_device(target);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto expected = static_cast<double>(order == 1 ? exact[i] : std::sqrt(exact[i]));
    expect(
        std::fabs(static_cast<double>(out.at(i)) - expected) <= room_for<T>(expected, expected, 64),
        "{}, order {}, size {}: element {}: expected {}, got {}", describe<T>("moment.1", one),
        order, size, i, expected, show_element(out.at(i)));
  }
}

template <class T>
void check_moments(Context& context) {
  std::vector<ReductionCase> cases = reduction_cases();
  cases.push_back({"a long row", contiguous({40007}), contiguous({1})});
  std::vector<double> sizes{1};
  if (sizeof(T) == 4) sizes.insert(sizes.end(), {1e-30, 1e35});
  for (const ReductionCase& one : cases) {
    for (const double size : sizes) {
      for (const std::int64_t order : {1, 2}) check_moment<T>(context.device(), one, size, order);
    }
  }
}

}  // namespace

std::vector<Check> reduction_checks() {
  std::vector<Check> checks;
  const auto sum = [](const Device& device, const std::string& op, auto zero) {
    check_sum<decltype(zero)>(device, op);
  };
  const auto extreme = [](const Device& device, const std::string& op, auto zero) {
    check_extreme<decltype(zero)>(device, op);
  };
  add_numbers(checks, "sum", with_bools(sum));
  add_numbers(checks, "sum_squares", sum);
  add_floats(checks, "sum_abs", sum);
  add_storage(checks, "sum", sum);
  for (const char* name : {"min", "max", "argmin", "argmax"}) {
    add_storage(checks, name, extreme);
    add_numbers(checks, name, with_bools(extreme));
  }
  add_floats(checks, "max_abs", [](const Device& device, const std::string& op, auto zero) {
    check_max_abs<decltype(zero)>(device, op);
  });
  add_numbers(checks, "prod", [](const Device& device, const std::string& op, auto zero) {
    check_prod<decltype(zero)>(device, op);
  });
  checks.push_back({"kernels", "moment", check_moments<float>});
  checks.push_back({"kernels", "moment_f64", check_moments<double>});
  checks.push_back({"kernels", "reductions_of_large_integers", check_large_integers});
  add_floats(checks, "reductions_of_special_floats", PATCHBAY_OF_TYPES(check_special_floats));
  return checks;
}

}  // namespace patchbay::conformance
