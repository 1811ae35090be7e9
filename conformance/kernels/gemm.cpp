// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// gemm.1: out = alpha a b + beta out. Exact if every partial sum is a whole number that the dtype
// represents, and for integers, which wrap; otherwise within (k + 4) eps / 2 times the sum of
// absolute values.
#include <cmath>

#include "conformance/kernels/launcher.h"
#include "conformance/kernels/parts.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {
namespace {

struct Sizes {
  std::int64_t m, n, k;
};

/// Which matrices are column-major, and the gap between their lines.
struct Storage {
  bool a_by_columns = false, b_by_columns = false, out_by_columns = false;
  std::int64_t padding = 0, offset = 0;
};

struct Factors {
  int alpha = 1, beta = 0;
};

Layout matrix(std::int64_t rows, std::int64_t columns, bool by_columns, const Storage& storage) {
  return conformance::matrix(rows, columns, by_columns, storage.padding, storage.offset);
}

template <class T>
struct Problem {
  Problem(const Sizes& sizes, const Storage& storage, Factors both,
          const std::function<T(std::size_t)>& value)
      : factors(both),
        a(matrix(sizes.m, sizes.k, storage.a_by_columns, storage), value),
        b(matrix(sizes.k, sizes.n, storage.b_by_columns, storage),
          [&](std::size_t i) { return value(i + 1000003); }),
        out(matrix(sizes.m, sizes.n, storage.out_by_columns, storage),
            [&](std::size_t i) { return value(i + 2000003); }),
        what(fmt::format("gemm.1 of {}, m {} n {} k {}, {}{}{}, padding {}, alpha {} beta {}",
                         to_string(dtype_of_element<T>()), sizes.m, sizes.n, sizes.k,
                         storage.a_by_columns ? "T" : "N", storage.b_by_columns ? "T" : "N",
                         storage.out_by_columns ? "T" : "N", storage.padding, both.alpha,
                         both.beta)) {}

  std::size_t rows() const { return static_cast<std::size_t>(a.layout().shape[0]); }
  std::size_t depth() const { return static_cast<std::size_t>(a.layout().shape[1]); }
  std::size_t columns() const { return static_cast<std::size_t>(b.layout().shape[1]); }

  /// Calls `visit(index of the result, term)` for each product.
  template <class Wide, class Visit>
  void for_each_term(Visit visit) const {
    for (std::size_t i = 0; i < rows(); ++i) {
      for (std::size_t k = 0; k < depth(); ++k) {
        const auto left = static_cast<Wide>(a.at(i * depth() + k));
        for (std::size_t j = 0; j < columns(); ++j) {
          visit(i * columns() + j, left * static_cast<Wide>(b.at(k * columns() + j)));
        }
      }
    }
  }

  Array<T> run(const Device& device) const {
    const Argument target = out.to_device(device, Access::kReadWrite);
    run_kernel(
        device, "gemm.1",
        {target, a.to_device(device, Access::kRead), b.to_device(device, Access::kRead),
         literal_of(static_cast<T>(factors.alpha)), literal_of(static_cast<T>(factors.beta))});
    Array<T> result = out;
    result.from_device(target);
    return result;
  }

  /// The result of sums in a type without rounding: unsigned for integers, so that they wrap.
  Array<T> exact() const {
    using Wide = typename std::conditional_t<kIsFloat<T>, std::type_identity<double>,
                                             std::make_unsigned<T>>::type;
    std::vector<Wide> sums(out.size());
    for_each_term<Wide>([&](std::size_t i, Wide term) { sums[i] += term; });
    Array<T> expected = out;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      Wide value = static_cast<Wide>(factors.alpha) * sums[i];
      if (factors.beta != 0) {
        value += static_cast<Wide>(factors.beta) * static_cast<Wide>(out.at(i));
      }
      expected.at(i) = static_cast<T>(value);
    }
    return expected;
  }

  Factors factors;
  Array<T> a, b, out;
  std::string what;
};

template <class T>
void check_exact(const Device& device, const Problem<T>& problem) {
  problem.run(device).expect_close_to(problem.exact(), 0, problem.what);
}

template <class T>
void check_rounded(const Device& device, const Sizes& sizes, const Storage& storage) {
  const Problem<T> problem(sizes, storage, {3, -2}, moderate_value<T>);
  std::vector<long double> sums(problem.out.size()), magnitudes(problem.out.size());
  problem.template for_each_term<long double>([&](std::size_t i, long double term) {
    sums[i] += term;
    magnitudes[i] += std::fabs(term);
  });
  const Array<T> result = problem.run(device);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto before = static_cast<long double>(problem.out.at(i));
    const auto exact = static_cast<double>(3 * sums[i] - 2 * before);
    const auto magnitude = static_cast<double>(3 * magnitudes[i] + 2 * std::fabs(before));
    const double bound = room_for<T>(exact, magnitude, static_cast<double>(sizes.k + 4) / 2);
    const bool is_same = result.at(i) == static_cast<T>(exact);  // also infinite
    expect(is_same || std::fabs(static_cast<double>(result.at(i)) - exact) <= bound,
           "{}: element {}: expected {} within {}, got {}", problem.what, i, exact, bound,
           show_element(result.at(i)));
  }
}

std::vector<Storage> storages() {
  std::vector<Storage> all;
  for (int bits = 0; bits < 8; ++bits) {
    all.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, 0, 0});
    all.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, 5, 3});
  }
  return all;
}

/// All layouts of the matrices, in sizes at and around the tiles of vectorised kernels.
template <class T>
void check_storages(const Device& device) {
  for (const Storage& storage : storages()) {
    for (const Sizes& sizes : {Sizes{1, 1, 1}, Sizes{3, 2, 5}, Sizes{1, 9, 4}, Sizes{7, 1, 6},
                               Sizes{16, 16, 16}, Sizes{17, 33, 9}, Sizes{65, 31, 70}}) {
      check_exact<T>(device, {sizes, storage, {1, 0}, product_integer<T>});
    }
  }
}

template <class T>
void check_factors(const Device& device) {
  for (const Factors factors : {Factors{1, 1}, Factors{-2, 0}, Factors{3, -1}, Factors{0, 2},
                                Factors{0, 0}, Factors{0, 1}}) {
    check_exact<T>(device, {{17, 13, 11}, {}, factors, product_integer<T>});
    check_exact<T>(device, {{17, 13, 11}, {true, false, true, 2, 1}, factors, product_integer<T>});
  }
}

/// With k = 0 the result is beta out; an empty result is left alone.
template <class T>
void check_empty(const Device& device) {
  for (const Sizes& sizes : {Sizes{4, 3, 0}, Sizes{0, 3, 4}, Sizes{4, 0, 3}, Sizes{0, 0, 0}}) {
    check_exact<T>(device, {sizes, {}, {1, 0}, product_integer<T>});
    check_exact<T>(device, {sizes, {}, {1, 2}, product_integer<T>});
  }
}

template <class T>
void check_float(const Device& device) {
  check_storages<T>(device);
  check_factors<T>(device);
  check_empty<T>(device);
}

template <class T>
void check_float_bounds(const Device& device) {
  check_rounded<T>(device, {100, 100, 100}, {});
  check_rounded<T>(device, {129, 67, 255}, {true, true, false, 3, 0});
  check_rounded<T>(device, {5, 260, 1031}, {false, true, true, 0, 1});
}

template <class T>
void check_integers(Context& context) {
  const Device device = context.device();
  check_storages<T>(device);
  check_factors<T>(device);
  check_empty<T>(device);
  check_exact<T>(device, {{19, 23, 29}, {}, {3, 2}, ordinary_value<T>});
}

/// Leading dimensions count products; an input may repeat along them, and their strides may be any.
template <class T>
void check_batches(const Device& device) {
  constexpr std::int64_t kOuter = 3, kInner = 2, kM = 5, kN = 4, kK = 6;
  const Layout a{{kOuter, kInner, kM, kK}, {kM * kK, kOuter * kM * kK, kK, 1}, 2};
  const Layout b{{kOuter, kInner, kK, kN}, {0, kK * kN, 1, kK}, 1};
  const Layout c{{kOuter, kInner, kM, kN}, {kInner * kM * kN + 3, kM * kN, kN, 1}, 0};
  const Array<T> left(a, product_integer<T>);
  const Array<T> right(b, [](std::size_t i) { return product_integer<T>(i + 1000003); });
  const Array<T> before(c, [](std::size_t i) { return product_integer<T>(i + 2000003); });
  const auto at = [](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns,
                     std::int64_t product) {
    return static_cast<std::size_t>((product * rows + i) * columns + j);
  };
  Array<T> expected = before;
  for (std::int64_t product = 0; product < kOuter * kInner; ++product) {
    for (std::int64_t i = 0; i < kM; ++i) {
      for (std::int64_t j = 0; j < kN; ++j) {
        Computed<T> sum = 2 * before.at(at(i, j, kM, kN, product));
        for (std::int64_t k = 0; k < kK; ++k) {
          sum += 3 * left.at(at(i, k, kM, kK, product)) * right.at(at(k, j, kK, kN, product));
        }
        expected.at(at(i, j, kM, kN, product)) = static_cast<T>(sum);
      }
    }
  }
  const Argument target = before.to_device(device, Access::kReadWrite);
  run_kernel(device, "gemm.1",
             {target, left.to_device(device, Access::kRead), right.to_device(device, Access::kRead),
              literal_of(static_cast<T>(3)), literal_of(static_cast<T>(2))});
  Array<T> result = before;
  result.from_device(target);
  result.expect_close_to(expected, 0, "gemm.1 of 3 x 2 products");
}

/// With beta 0 the previous content of the result is ignored, even NaN.
template <class T>
void check_beta_0(const Device& device) {
  const auto check = [&](const Sizes& sizes, const Storage& storage, int alpha) {
    Problem<T> problem(sizes, storage, {alpha, 0}, product_integer<T>);
    for (std::size_t i = 0; i < problem.out.size(); ++i) {
      problem.out.at(i) = std::numeric_limits<T>::quiet_NaN();
    }
    check_exact<T>(device, problem);
  };
  for (const Storage& storage : storages()) check({33, 17, 8}, storage, 2);
  check({4, 3, 0}, {}, 1);
}

/// With alpha 0, of either sign, the content of a and b is ignored.
template <class T>
void check_alpha_0(const Device& device) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const int beta : {0, 1, 2}) {
    for (const Storage& storage : storages()) {
      Problem<T> problem({33, 17, 8}, storage, {0, beta}, product_integer<T>);
      Array<T> expected = problem.out;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected.at(i) = static_cast<T>(beta == 0 ? 0 : T(beta) * expected.at(i));
      }
      for (std::size_t i = 0; i < problem.a.size(); ++i) problem.a.at(i) = nan;
      for (std::size_t i = 0; i < problem.b.size(); ++i) problem.b.at(i) = nan;
      problem.run(device).expect_close_to(expected, 0, problem.what);
    }
  }
  const Layout batch{{3, 2, 2}, {4, 2, 1}, 0};
  const Array<T> nans(batch, [&](std::size_t) { return nan; }), before(batch, product_integer<T>);
  const Argument target = before.to_device(device, Access::kReadWrite);
  run_kernel(device, "gemm.1",
             {target, nans.to_device(device, Access::kRead), nans.to_device(device, Access::kRead),
              literal_of(T(-T(0))), literal_of(T(1))});
  Array<T> result = before;
  result.from_device(target);
  result.expect_close_to(before, 0, "gemm.1 of 3 products with alpha -0");
}

/// A plugin may keep what it makes from an operand while the operand's elements stay, and no
/// longer.
void operands_change(Context& context) {
  constexpr int kRounds = 3;  // plugins may keep an operand once they have seen it again
  const Device& device = context.device();
  Problem<float> problem({16, 300, 700}, {}, {1, 0}, small_integer<float>);
  const Argument out = problem.out.to_device(device, Access::kReadWrite),
                 a = problem.a.to_device(device, Access::kRead),
                 b = problem.b.to_device(device, Access::kRead);
  const auto check = [&](std::string_view when) {
    const Array<float> expected = problem.exact();
    for (int round = 0; round < kRounds; ++round) {
      run_kernel(device, "gemm.1", {out, a, b, Argument::scalar(1.0F), Argument::scalar(0.0F)});
      Array<float> result = problem.out;
      result.from_device(out);
      result.expect_close_to(expected, 0, fmt::format("{}, {}", problem.what, when));
    }
  };
  const auto change = [](Array<float>& array) {
    for (std::size_t i = 0; i < array.size(); ++i) array.at(i) = small_integer<float>(7 * i + 3);
  };
  check("unchanged");
  change(problem.b);
  problem.b.write_to(b);
  check("after b was written");
  change(problem.a);
  problem.a.write_to(a);
  check("after a was written");
  if (!b.buffer.is_host_addressable()) return;
  for (std::size_t i = 0; i < problem.b.size(); ++i) problem.b.at(i) = small_integer<float>(i + 5);
  problem.b.copy_to(b.buffer.host_pointer());
  check("after the host wrote b");
}

}  // namespace

std::vector<Check> gemm_checks() {
  std::vector<Check> checks = {
      {"kernels", "gemm_i32", check_integers<std::int32_t>},
      {"kernels", "gemm_i64", check_integers<std::int64_t>},
      {"kernels", "gemm_batches", [](Context& context) { check_batches<float>(context.device()); }},
      {"kernels", "gemm_batches_i64",
       [](Context& context) { check_batches<std::int64_t>(context.device()); }},
      {"kernels", "gemm_of_changed_operands", operands_change},
  };
  add_floats(checks, "gemm", PATCHBAY_OF_TYPES(check_float));
  add_floats(checks, "gemm_bounds", PATCHBAY_OF_TYPES(check_float_bounds));
  add_floats(checks, "gemm_with_beta_0_reads_nothing", PATCHBAY_OF_TYPES(check_beta_0));
  add_floats(checks, "gemm_with_alpha_0_reads_nothing", PATCHBAY_OF_TYPES(check_alpha_0));
  add_halves(checks, "gemm_batches", PATCHBAY_OF_TYPES(check_batches));
  return checks;
}

}  // namespace patchbay::conformance
