// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// eigh svd eig: the vectors are orthonormal, and with the values they make the matrix again.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conformance/kernels/matrices.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

template <class T>
std::string named(const char* op, const Form& form, int exponent = 0) {
  return described(op, dtype_of_element<T>(), form, exponent);
}

/// The attribute is 1 unless it is given.
std::vector<Attribute> attributes_of(bool has_vectors) {
  if (has_vectors) return {};
  return {{"vectors", 0}};
}

// ------------------------------------------------------------------------------------ eigh ---

template <class T>
struct EighResult {
  EighResult(const Device& device, const Form& form, Batch<T> a, bool has_vectors,
             const std::string& what)
      : vectors(form, {form.n, form.n}),
        values(layout_of(form, {form.n})),
        info(layout_of(form, {})) {
    Batch<T> work(form, {2 * form.n});
    Array<T> scratch(layout_of(form, {3 * form.n}));
    Launch(device, form)
        .update(a.elements())
        .write(values)
        .write(vectors.elements())
        .update(work.elements())
        .update(scratch)
        .write(info)
        .run("eigh.1", what, attributes_of(has_vectors));
  }

  Batch<T> vectors;
  Array<T> values;
  Array<std::int64_t> info;
};

template <class T>
void check_eigh_of(const Device& device, const Form& form, const Batch<T>& a,
                   const std::string& what) {
  const EighResult<T> made(device, form, a, true, what);
  const EighResult<T> alone(device, form, a, false, what + ", without vectors");
  expect_infos(made.info, {}, what);
  expect_infos(alone.info, {}, what + ", without vectors");
  for (std::int64_t i = 0; i < form.count; ++i) {
    const auto matrix = a.at(i), vectors = made.vectors.at(i), x = transposed(vectors);
    const auto values = row_of(made.values, i, form.n);
    expect(std::is_sorted(values.begin(), values.end()), "{}: the values do not ascend", what);
    expect_units(units_of_rows<T>(vectors), what, i, "v v^H");
    expect_units(units_between<T>(product(times_columns(x, values), adjoint(x)), matrix), what, i,
                 "the sum of value v v^H");
    expect_same_values<T>(values, row_of(alone.values, i, form.n), matrix, what);
  }
}

template <class T>
void check_eigh(const Device& device) {
  for (const Form& form : forms({kSquare})) {
    for (const int exponent : exponents_of<T>(form)) {
      check_eigh_of<T>(device, form, hermitian_batch<T>(form, exponent),
                       named<T>("eigh.1", form, exponent));
    }
  }
}

/// Matrices that are 0, diagonal, of rank 1, and with values 2, -2 and 0.
template <class T>
void check_equal_values(const Device& device) {
  for (const bool has_pairs : {false, true}) {
    const Form form{4, 9, 9, has_pairs};
    Batch<T> a(form, {9, 9});
    a.fill(0, [](std::int64_t, std::int64_t) { return Exact<T>(0); });
    a.fill(1, [](std::int64_t i, std::int64_t j) { return Exact<T>(i == j ? -3 : 0); });
    a.fill(2, [](std::int64_t, std::int64_t) { return Exact<T>(1); });
    a.fill(3,
           [](std::int64_t i, std::int64_t j) { return Exact<T>(i + j == 8 && i != j ? 2 : 0); });
    check_eigh_of<T>(device, form, a, named<T>("eigh.1", form) + ", equal values");
  }
}

/// Only the matrices that have NaN have no result.
template <class T>
void check_eigh_of_nan(const Device& device) {
  for (const bool has_pairs : {false, true}) {
    for (const std::int64_t n : {1, 2, 7, 33}) {
      const Form form{4, n, n, has_pairs};
      const std::string what = named<T>("eigh.1", form) + ", NaN";
      Batch<T> a = hermitian_batch<T>(form);
      a.set(1, 0, 0, kNan<T>);
      a.set(2, n - 1, 0, kNan<T>);
      a.set(2, 0, n - 1, kNan<T>);
      const EighResult<T> made(device, form, a, true, what);
      expect_failures(made.info, {1, 2}, n, what);
    }
  }
}

// ------------------------------------------------------------------------------------- svd ---

template <class T>
struct SvdResult {
  SvdResult(const Device& device, const Form& form, const Batch<T>& matrices, bool has_vectors,
            const std::string& what)
      : a(matrices),
        vectors(form, {form.m, form.m}),
        values(layout_of(form, {form.m})),
        info(layout_of(form, {})) {
    Launch(device, form)
        .update(a.elements())
        .write(values)
        .write(vectors.elements())
        .write(info)
        .run("svd.1", what, attributes_of(has_vectors));
  }

  Batch<T> a, vectors;
  Array<T> values;
  Array<std::int64_t> info;
};

template <class T>
void check_svd_of(const Device& device, const Form& form, const Batch<T>& a,
                  const std::string& what) {
  const SvdResult<T> made(device, form, a, true, what);
  const SvdResult<T> alone(device, form, a, false, what + ", without vectors");
  expect_infos(made.info, {}, what);
  expect_infos(alone.info, {}, what + ", without vectors");
  for (std::int64_t i = 0; i < form.count; ++i) {
    const auto matrix = transposed(a.at(i)), u = transposed(made.a.at(i));
    const auto v = transposed(made.vectors.at(i));
    const auto values = row_of(made.values, i, form.m);
    expect(std::is_sorted(values.rbegin(), values.rend()) && values.back() >= 0,
           "{}: the values do not descend to 0 or more", what);
    expect_units(units_of_rows<T>(adjoint(u)), what, i, "u^H u");
    expect_units(units_of_rows<T>(adjoint(v)), what, i, "v^H v");
    expect_units(units_between<T>(product(times_columns(u, values), adjoint(v)), matrix), what, i,
                 "u values v^H");
    expect_same_values<T>(values, row_of(alone.values, i, form.m), matrix, what);
  }
}

template <class T>
void check_svd(const Device& device) {
  for (const Form& form : forms({kSquare, kWide})) {
    for (const int exponent : exponents_of<T>(form)) {
      check_svd_of<T>(device, form, random_batch<T>(form, {form.m, form.n}, exponent),
                      named<T>("svd.1", form, exponent));
    }
  }
}

/// Rows that are 0, equal, multiples of another, or much smaller than others.
template <class T>
void check_lower_rank(const Device& device) {
  for (const bool has_pairs : {false, true}) {
    const Form form{5, 6, 8, has_pairs};
    Batch<T> a = random_batch<T>(form, {6, 8});
    const auto first = a.at(0);
    a.fill(0, [](std::int64_t, std::int64_t) { return Exact<T>(0); });
    a.fill(1, [&](std::int64_t i, std::int64_t j) { return first.at(i % 2, j); });
    a.fill(2, [&](std::int64_t i, std::int64_t j) { return first.at(1, j) * Exact<T>(i - 3); });
    a.fill(3, [](std::int64_t i, std::int64_t j) { return Exact<T>(i == 4 && j == 4 ? 1 : 0); });
    a.fill(4, [&](std::int64_t i, std::int64_t j) {
      return first.at(i, j) * std::ldexp(Exact<T>(1), static_cast<int>(i / 2) * -40);
    });
    check_svd_of<T>(device, form, a, named<T>("svd.1", form) + ", lower rank");
  }
}

template <class T>
void check_svd_of_nan(const Device& device) {
  for (const bool has_pairs : {false, true}) {
    for (const auto& [m, n] : {Extents{1, 1}, {1, 5}, {2, 2}, {7, 9}, {33, 33}}) {
      const Form form{4, m, n, has_pairs};
      const std::string what = named<T>("svd.1", form) + ", NaN";
      Batch<T> a = random_batch<T>(form, {m, n});
      a.set(1, 0, 0, kNan<T>);
      a.set(2, m - 1, n - 1, kNan<T>);
      const SvdResult<T> made(device, form, a, true, what);
      expect_failures(made.info, {1, 2}, 1, what);
    }
  }
}

// ------------------------------------------------------------------------------------- eig ---

template <class T>
struct EigResult {
  EigResult(const Device& device, const Form& form, Batch<T> a, bool has_vectors,
            const std::string& what)
      : vectors(with_pairs(form), {form.n, form.n}),
        values(with_pairs(form), {form.n}),
        info(layout_of(form, {})) {
    Form dense = form;
    dense.gap = 0;
    Batch<T> scratch(dense, {form.n + 4, form.n});
    Launch(device, form)
        .update(a.elements())
        .write(values.elements())
        .write(vectors.elements())
        .update(scratch.elements())
        .write(info)
        .run("eig.1", what, attributes_of(has_vectors));
  }
  static Form with_pairs(Form form) {
    form.has_pairs = true;
    return form;
  }

  Batch<T> vectors, values;
  Array<std::int64_t> info;
};

template <class T>
void check_eig_of(const Device& device, const Form& form, const Batch<T>& a,
                  const std::string& what) {
  const EigResult<T> made(device, form, a, true, what);
  const EigResult<T> alone(device, form, a, false, what + ", without vectors");
  expect_infos(made.info, {}, what);
  expect_infos(alone.info, {}, what + ", without vectors");
  using E = Exact<T>;
  for (std::int64_t number = 0; number < form.count; ++number) {
    const auto matrix = a.at(number), rows = made.vectors.at(number), x = transposed(rows);
    const auto values = made.values.at(number);
    const Matrix<E> scaled(form.n, form.n, [&](std::int64_t i, std::int64_t j) {
      return complex_product(x.at(i, j), values.at(0, j));
    });
    const Matrix<E> turned = product(matrix, x);
    const Matrix<E> rest(form.n, form.n, [&](std::int64_t i, std::int64_t j) {
      return matrix.at(i, j) + (turned.at(i, j) - scaled.at(i, j));
    });
    expect_units(units_between<T>(rest, matrix), what, number, "a v - value v");
    for (std::int64_t k = 0; k < form.n; ++k) {
      E squares = 0;
      for (std::int64_t i = 0; i < form.n; ++i) squares += std::norm(rows.at(k, i));
      expect(std::fabs(squares - 1) <= kFactorUnits * std::numeric_limits<T>::epsilon(),
             "{}: the length of vector {} is not 1", what, k);
      if (form.has_pairs || values.at(0, k).imag() == 0) continue;
      const std::int64_t other = values.at(0, k).imag() > 0 ? k + 1 : k - 1;
      expect(other >= 0 && other < form.n && values.at(0, other) == std::conj(values.at(0, k)),
             "{}: value {} has no conjugate beside it", what, k);
    }
  }
}

template <class T>
void check_eig(const Device& device) {
  for (const Form& form : forms({kSquare})) {
    for (const int exponent : exponents_of<T>(form)) {
      check_eig_of<T>(device, form, random_batch<T>(form, {form.n, form.n}, exponent),
                      named<T>("eig.1", form, exponent));
    }
  }
}

/// Matrices that are 0, the identity, a permutation, and of one vector only.
template <class T>
void check_special_matrices(const Device& device) {
  for (const bool has_pairs : {false, true}) {
    const Form form{4, 6, 6, has_pairs};
    Batch<T> a(form, {6, 6});
    a.fill(0, [](std::int64_t, std::int64_t) { return Exact<T>(0); });
    a.fill(1, [](std::int64_t i, std::int64_t j) { return Exact<T>(i == j ? -3 : 0); });
    a.fill(2, [](std::int64_t i, std::int64_t j) { return Exact<T>((i + 1) % 6 == j ? 1 : 0); });
    a.fill(3, [](std::int64_t i, std::int64_t j) {
      return Exact<T>(i == j ? 2 : j == i + 1 ? 1 : 0);
    });
    check_eig_of<T>(device, form, a, named<T>("eig.1", form) + ", special matrices");
  }
}

template <class T>
void check_eig_of_nan(const Device& device) {
  for (const bool has_pairs : {false, true}) {
    for (const std::int64_t n : {1, 2, 7}) {
      const Form form{3, n, n, has_pairs};
      Batch<T> a = random_batch<T>(form, {n, n});
      a.set(1, n - 1, 0, kNan<T>);
      const std::string what = named<T>("eig.1", form) + ", NaN";
      const EigResult<T> made(device, form, a, true, what);
      expect_failures(made.info, {1}, n, what);
    }
  }
}

}  // namespace

std::vector<Check> eigen_checks() {
  std::vector<Check> checks;
  add_wide(checks, "eigh", PATCHBAY_OF_TYPES(check_eigh));
  add_wide(checks, "eigh_with_equal_values", PATCHBAY_OF_TYPES(check_equal_values));
  add_wide(checks, "eigh_of_nan", PATCHBAY_OF_TYPES(check_eigh_of_nan));
  add_wide(checks, "svd", PATCHBAY_OF_TYPES(check_svd));
  add_wide(checks, "svd_of_lower_rank", PATCHBAY_OF_TYPES(check_lower_rank));
  add_wide(checks, "svd_of_nan", PATCHBAY_OF_TYPES(check_svd_of_nan));
  add_wide(checks, "eig", PATCHBAY_OF_TYPES(check_eig));
  add_wide(checks, "eig_of_special_matrices", PATCHBAY_OF_TYPES(check_special_matrices));
  add_wide(checks, "eig_of_nan", PATCHBAY_OF_TYPES(check_eig_of_nan));
  return checks;
}

}  // namespace patchbay::conformance
