// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// lu cholesky triangular qr: the product of the factors is the matrix again.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "conformance/kernels/matrices.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

template <class T>
std::string named(const char* op, const Form& form, int exponent = 0) {
  return described(op, dtype_of_element<T>(), form, exponent);
}

/// What is not that part becomes NaN: kernels do not read it.
template <class T>
void hide_beside(Batch<T>& batch, const Form& form, Triangle part) {
  for (std::int64_t number = 0; number < form.count; ++number) {
    const auto matrix = batch.at(number);
    batch.fill(number, [&](std::int64_t i, std::int64_t j) {
      return part.has(i, j) ? matrix.at(i, j) : kNan<T>;
    });
  }
}

// -------------------------------------------------------------------------------------- lu ---

template <class T>
struct LuResult {
  LuResult(const Device& device, const Form& form, const Batch<T>& a, const std::string& what)
      : lu(a),
        permutation(layout_of(form, {form.m})),
        swaps(layout_of(form, {})),
        info(layout_of(form, {})) {
    Launch(device, form)
        .update(lu.elements())
        .write(permutation)
        .write(swaps)
        .write(info)
        .run("lu.1", what);
  }

  Batch<T> lu;
  Array<std::int64_t> permutation, swaps, info;
};

/// `order` has each row once, and as many exchanges as `swaps` make it, or an even number less.
void expect_order(std::vector<std::int64_t> order, std::int64_t swaps, const std::string& what) {
  const auto m = static_cast<std::int64_t>(order.size());
  expect(swaps >= 0 && swaps <= m, "{}: expected 0 to {} swaps, got {}", what, m, swaps);
  std::int64_t exchanges = 0;
  for (std::int64_t& row : order) {
    while (row != &row - order.data()) {
      expect(row >= 0 && row < m && order[static_cast<std::size_t>(row)] != row,
             "{}: expected each row once in the permutation, got {}", what, row);
      std::swap(row, order[static_cast<std::size_t>(row)]);
      ++exchanges;
    }
  }
  expect(exchanges % 2 == swaps % 2, "{}: {} exchanges make the permutation, got {} swaps", what,
         exchanges, swaps);
}

template <class T>
void check_lu_of(const Device& device, const Form& form, const Batch<T>& a,
                 const Infos& infos = {}) {
  const std::string what = named<T>("lu.1", form);
  const LuResult<T> made(device, form, a, what);
  expect_infos(made.info, infos, what);
  for (std::int64_t i = 0; i < form.count; ++i) {
    const std::vector<std::int64_t> order = row_of(made.permutation, i, form.m);
    expect_order(order, made.swaps.at(static_cast<std::size_t>(i)), what);
    const auto l = lower_of(made.lu.at(i)), u = upper_of(made.lu.at(i));
    const auto size = static_cast<double>(largest(l));
    // A quotient of equal numbers may be rounded up.
    const double most = 1 + 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
    expect(form.has_pairs || size <= most, "{}: expected l of at most 1, got {}", what, size);
    expect_units(units_between<T>(product(l, u), permuted(a.at(i), order)), what, i, "l u");
  }
}

template <class T>
void check_lu(const Device& device) {
  for (const Form& form : forms({kSquare, kWide, kTall})) {
    check_lu_of<T>(device, form, random_batch<T>(form, {form.m, form.n}));
  }
}

/// Of several largest elements the first one is the pivot.
template <class T>
void check_pivot(const Device& device) {
  const Form form{1, 400, 1};
  Batch<T> a(form, {form.m, form.n});
  a.fill(0, [](std::int64_t i, std::int64_t) { return Exact<T>(i % 70 == 65 ? -3 : i % 3); });
  const std::string what = named<T>("lu.1", form);
  const LuResult<T> made(device, form, a, what);
  expect_equal(made.permutation.at(0), 65, what + ": the first pivot");
}

/// With columns that have no pivot the factors hold.
template <class T>
void check_singular(const Device& device) {
  for (const bool has_pairs : {false, true}) {
    for (const auto& [m, n] : {Extents{7, 7}, {5, 9}, {9, 5}, {33, 33}}) {
      const Form form{4, m, n, has_pairs};
      const std::int64_t k = std::min(m, n);
      Batch<T> a = random_batch<T>(form, {m, n});
      for (std::int64_t i = 0; i < m; ++i) {
        a.set(1, i, 2, 0);
        a.set(1, i, 4, 0);
        a.set(2, i, k - 1, 0);
      }
      a.fill(3, [](std::int64_t, std::int64_t) { return Exact<T>(0); });
      check_lu_of<T>(device, form, a, {0, 3, k, 1});
    }
  }
}

// -------------------------------------------------------------------------------- cholesky ---

/// The diagonal is larger than the other elements of the row together.
template <class T>
Batch<T> positive_batch(const Form& form) {
  return hermitian_batch<T>(form, 0, 200 * form.n);
}

template <class T>
void check_cholesky_of(const Device& device, const Form& form, const Batch<T>& a,
                       const Infos& infos = {}) {
  const std::string what = named<T>("cholesky.1", form);
  Batch<T> u = a;
  hide_beside<T>(u, form, {.is_upper = true});
  Array<std::int64_t> info(layout_of(form, {}));
  Launch(device, form).update(u.elements()).write(info).run("cholesky.1", what);
  expect_infos(info, infos, what);
  for (std::int64_t i = 0; i < form.count; ++i) {
    if (info.at(static_cast<std::size_t>(i)) != 0) continue;
    const auto factor = upper_of(u.at(i));
    expect_units(units_between<T>(product(adjoint(factor), factor), a.at(i)), what, i, "u^H u");
  }
}

template <class T>
void check_cholesky(const Device& device) {
  for (const Form& form : forms({kSquare})) {
    check_cholesky_of<T>(device, form, positive_batch<T>(form));
  }
}

template <class T>
void check_indefinite(const Device& device) {
  for (const bool has_pairs : {false, true}) {
    for (const std::int64_t n : {3, 16, 33}) {
      const Form form{5, n, n, has_pairs};
      Batch<T> a = positive_batch<T>(form);
      a.set(1, 2, 2, -1);
      a.set(2, 0, 0, 0);
      a.set(3, n - 1, n - 1, kNan<T>);
      check_cholesky_of<T>(device, form, a, {0, 3, 1, n, 0});
    }
  }
}

// ------------------------------------------------------------------------------ triangular ---

/// The elements beside the diagonal are small, so that solutions are about as large as right sides.
template <class T>
Batch<T> triangular_batch(const Form& form) {
  Batch<T> batch = random_batch<T>(form, {form.m, form.m}, 0, 1);
  const auto most = static_cast<Exact<T>>(100 * form.m);
  for (std::int64_t number = 0; number < form.count; ++number) {
    const auto a = batch.at(number);
    batch.fill(number, [&](std::int64_t i, std::int64_t j) {
      return a.at(i, j) / most + (i == j ? Exact<T>(2) : Exact<T>(0));
    });
  }
  return batch;
}

template <class T>
void check_triangular_of(const Device& device, const Form& form, Triangle part, bool is_adjoint) {
  const std::string what =
      fmt::format("{}, upper {}, adjoint {}, unit {}", named<T>("triangular.1", form),
                  part.is_upper, is_adjoint, part.is_unit);
  const Batch<T> right = random_batch<T>(form, {form.m, form.n});
  Batch<T> x = right, a = triangular_batch<T>(form);
  hide_beside<T>(a, form, part);
  Launch(device, form)
      .update(x.elements())
      .read(a.elements())
      .run("triangular.1", what,
           {{"upper", part.is_upper ? 1 : 0},
            {"adjoint", is_adjoint ? 1 : 0},
            {"unit", part.is_unit ? 1 : 0}});
  for (std::int64_t i = 0; i < form.count; ++i) {
    const auto triangle = triangle_of(a.at(i), form.m, form.m, part);
    const auto factor = is_adjoint ? adjoint(triangle) : triangle;
    expect_units(units_between<T>(product(factor, x.at(i)), right.at(i)), what, i, "a x");
  }
}

template <class T>
void check_triangular(const Device& device) {
  constexpr Extents kManyColumns[] = {{3, 130}, {7, 65}};
  for (const Form& form : forms({kSquare, kTall, kManyColumns})) {
    for (const int bits : {0, 1, 2, 3, 4, 5, 6, 7}) {
      check_triangular_of<T>(device, form, {(bits & 1) != 0, (bits & 2) != 0}, (bits & 4) != 0);
    }
  }
}

/// Quotients by 0 are infinite or NaN.
template <class T>
void check_zero_divisor(const Device& device) {
  const Form form{1, 1, 3};
  const std::string what = named<T>("triangular.1", form);
  Batch<T> x = random_batch<T>(form, {1, 3}), a(form, {1, 1});
  a.set(0, 0, 0, 0);
  Launch(device, form).update(x.elements()).read(a.elements()).run("triangular.1", what);
  expect(std::isnan(static_cast<double>(largest(x.at(0)))) || std::isinf(largest(x.at(0))),
         "{}: the quotients by 0 are finite", what);
}

// -------------------------------------------------------------------------------------- qr ---

template <class T>
void check_qr_of(const Device& device, const Form& form, int exponent) {
  const std::string what = named<T>("qr.1", form, exponent);
  const std::int64_t k = std::min(form.m, form.n);
  const Batch<T> a = random_batch<T>(form, {form.m, form.n}, exponent);
  Batch<T> qr = a, tau(form, {k}), scratch(form, {form.n});
  Launch(device, form)
      .update(qr.elements())
      .write(tau.elements())
      .update(scratch.elements())
      .run("qr.1", what);
  for (std::int64_t i = 0; i < form.count; ++i) {
    const auto factors = qr.at(i);
    const auto r = triangle_of(factors, form.m, form.n, {.is_upper = true});
    for (std::int64_t j = 0; j < k; ++j) {
      expect(r.at(j, j).imag() == 0, "{}: element {} of the diagonal of r is not real", what, j);
    }
    const auto q = reflected(factors, tau.at(i), identity<Exact<T>>(form.m));
    expect_units(units_of_rows<T>(q), what, i, "q q^H");
    expect_units(units_between<T>(product(q, r), a.at(i)), what, i, "q r");
  }
}

template <class T>
void check_qr(const Device& device) {
  for (const Form& form : forms({kSquare, kWide, kTall})) {
    for (const int exponent : exponents_of<T>(form)) check_qr_of<T>(device, form, exponent);
  }
}

}  // namespace

std::vector<Check> factor_checks() {
  std::vector<Check> checks;
  add_wide(checks, "lu", PATCHBAY_OF_TYPES(check_lu));
  add_wide(checks, "lu_chooses_the_first_pivot", PATCHBAY_OF_TYPES(check_pivot));
  add_wide(checks, "lu_of_singular_matrices", PATCHBAY_OF_TYPES(check_singular));
  add_wide(checks, "cholesky", PATCHBAY_OF_TYPES(check_cholesky));
  add_wide(checks, "cholesky_of_indefinite_matrices", PATCHBAY_OF_TYPES(check_indefinite));
  add_wide(checks, "triangular", PATCHBAY_OF_TYPES(check_triangular));
  add_wide(checks, "triangular_by_0", PATCHBAY_OF_TYPES(check_zero_divisor));
  add_wide(checks, "qr", PATCHBAY_OF_TYPES(check_qr));
  return checks;
}

}  // namespace patchbay::conformance
