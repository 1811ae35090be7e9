// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Factorizations by the functions of linear algebra: the product of the factors is the matrix
// again, to units of epsilon times the largest extent times the largest element.
#include <algorithm>
#include <complex>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <patchbay/complex.h>
#include <patchbay/linalg.h>

#include "conformance/reference/factors.h"
#include "operators/cases.h"
#include "operators/layouts.h"

namespace patchbay::test {
namespace {

using conformance::adjoint;
using conformance::lower_of;
using conformance::permuted;
using conformance::product;
using conformance::times_columns;
using conformance::Triangle;
using conformance::triangle_of;
using conformance::units_between;
using conformance::units_of_rows;
using conformance::upper_of;

constexpr double kUnits = 8;

template <class T>
using Host = conformance::Matrix<Exact<T>>;
template <class T>
using Hosts = std::vector<Host<T>>;

struct Extents {
  std::int64_t m, n;
};
using Sizes = std::initializer_list<Extents>;
constexpr Sizes kSquare = {{1, 1}, {2, 2}, {3, 3}, {8, 8}, {33, 33}, {70, 70}};
constexpr Sizes kOblong = {{1, 5}, {5, 1}, {3, 8}, {8, 3}, {33, 20}, {20, 33}};
constexpr Sizes kLarge = {{70, 40}, {40, 70}};

/// The matrices of a call, and how they lie.
struct Form {
  std::int64_t m, n;
  Layout layout;
  std::int64_t count;  // 0: one matrix without a batch
  bool is_complex;

  Shape shape(std::int64_t rows, std::int64_t columns) const {
    return count == 0 ? Shape{rows, columns} : Shape{count, rows, columns};
  }
  std::string name() const {
    return to_string(shape(m, n)) + (is_complex ? " complex, " : ", ") +
           testing::PrintToString(layout);
  }
};

/// Numbers and complex ones in every layout, with a batch in every second form. Large matrices have
/// fewer forms.
template <class Body>
void for_forms(std::initializer_list<Sizes> sizes, const Body& body) {
  for (const Sizes& some : sizes) {
    for (const auto& [m, n] : some) {
      for (const Layout layout : kLayouts) {
        for (const bool is_complex : {false, true}) {
          const bool has_batch =
              is_complex != (layout == Layout::kTransposed || layout == Layout::kStep);
          const std::int64_t count = has_batch ? 3 : 0;
          const Form form{m, n, layout, count, is_complex};
          const bool is_simple = layout == Layout::kContiguous || layout == Layout::kTransposed;
          if (std::max(m, n) > 8 && !is_simple) continue;
          if (std::max(m, n) > 33 && count != 0) continue;
          SCOPED_TRACE(form.name());
          body(form);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

// -------------------------------------------------------------------------------- operands ---

template <class T>
Hosts<T> random_matrices(const Form& form, std::int64_t rows, std::int64_t columns, unsigned seed) {
  const std::int64_t count = std::max<std::int64_t>(form.count, 1);
  const Values<T> parts = tame_values<T>(count_of({count, rows, columns, 2}), seed);
  const auto part = [&](std::int64_t i) { return Exact<T>(parts[static_cast<std::size_t>(i)]); };
  Hosts<T> all;
  for (std::int64_t number = 0; number < count; ++number) {
    all.emplace_back(rows, columns, [&](std::int64_t i, std::int64_t j) {
      const std::int64_t at = 2 * ((number * rows + i) * columns + j);
      return std::complex<Exact<T>>(part(at), form.is_complex ? part(at + 1) : 0);
    });
  }
  return all;
}

/// With `more` added to the diagonal.
template <class T>
Hosts<T> hermitian_matrices(const Form& form, unsigned seed, std::int64_t more = 0) {
  Hosts<T> all = random_matrices<T>(form, form.n, form.n, seed);
  for (Host<T>& one : all) {
    one = conformance::hermitian_of(one, static_cast<Exact<T>>(more));
    for (std::int64_t i = 0; i < form.n; ++i) one.at(i, i) = T(one.at(i, i).real());
  }
  return all;
}

/// What is not that part becomes NaN: functions do not read it.
template <class T>
Hosts<T> hidden_beside(Hosts<T> all, Triangle part) {
  constexpr Exact<T> kNan = std::numeric_limits<Exact<T>>::quiet_NaN();
  for (Host<T>& one : all) {
    one = Host<T>(one.rows(), one.columns(), [matrix = one, part](std::int64_t i, std::int64_t j) {
      return part.has(i, j) ? matrix.at(i, j) : std::complex<Exact<T>>(kNan, kNan);
    });
  }
  return all;
}

template <class T>
Tensor arranged(const Hosts<T>& all, const Form& form, const Device& device) {
  const Shape shape = form.shape(all[0].rows(), all[0].columns());
  Values<T> re, im;
  for (const Host<T>& one : all) {
    for (const std::complex<Exact<T>>& number : one.numbers()) {
      re.push_back(static_cast<T>(number.real()));
      im.push_back(static_cast<T>(number.imag()));
    }
  }
  if (!form.is_complex) return arrange<T>(re, shape, form.layout, device);
  const Tensor plain = complex(upload<T>(re, shape, device), upload<T>(im, shape, device));
  Tensor result = empty_in(form.layout, shape, plain.dtype(), device);
  result.copy_from(plain);
  return result;
}

template <class T>
Hosts<T> fetched(const Tensor& tensor) {
  const std::int64_t rows = tensor.size(-2), columns = tensor.size(-1);
  const Values<T> re = download<T>(real(tensor));
  const Values<T> im =
      is_complex(tensor.dtype()) ? download<T>(imag(tensor)) : Values<T>(re.size(), 0);
  Hosts<T> all;
  for (std::size_t first = 0; first < re.size(); first += count_of({rows, columns})) {
    all.emplace_back(rows, columns, [&](std::int64_t i, std::int64_t j) {
      const std::size_t at = first + static_cast<std::size_t>(i * columns + j);
      return std::complex<Exact<T>>(re[at], im[at]);
    });
  }
  return all;
}

/// The elements of [count, length] or [length] that belong to a matrix.
template <class T, class E>
std::vector<E> row_of(const Tensor& tensor, std::size_t number) {
  const std::vector<T> all = tensor.to_vector<T>();
  const auto length = tensor.size(-1);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(number) * length;
  return std::vector<E>(first, first + length);
}

// ------------------------------------------------------------------------------- factors ---

void expect_success(const Tensor& info) {
  for (const std::int64_t one : info.to_vector<std::int64_t>()) EXPECT_EQ(one, 0);
}

template <class T>
void check_lu(const Device& device, const OperatorInfo&) {
  for_forms({kSquare, kOblong, kLarge}, [&](const Form& form) {
    const Hosts<T> a = random_matrices<T>(form, form.m, form.n, 71);
    const Tensor x = arranged<T>(a, form, device);
    const LuFactorsEx made = linalg::lu_factor_ex(x);
    const LuMatrices parts = linalg::lu(x);
    expect_success(made.info);
    const Hosts<T> lu = fetched<T>(made.lu), p = fetched<T>(parts.p), l = fetched<T>(parts.l),
                   u = fetched<T>(parts.u);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto order = row_of<std::int64_t, std::int64_t>(made.permutation, i);
      const Host<T> expected = permuted(a[i], order);
      ASSERT_LE(units_between<T>(product(lower_of(lu[i]), upper_of(lu[i])), expected), kUnits);
      ASSERT_LE(units_between<T>(product(p[i], product(l[i], u[i])), a[i]), kUnits);
    }
  });
}

/// The other triangle of the factor is 0.
template <class T>
void check_cholesky(const Device& device, const OperatorInfo&) {
  for_forms({kSquare}, [&](const Form& form) {
    const Hosts<T> a = hermitian_matrices<T>(form, 72, 4 * form.n);
    for (const bool upper : {false, true}) {
      const Tensor x = arranged<T>(hidden_beside<T>(a, {.is_upper = upper}), form, device);
      const Hosts<T> factor = fetched<T>(linalg::cholesky(x, upper));
      for (std::size_t i = 0; i < a.size(); ++i) {
        const Host<T> lower = upper ? adjoint(factor[i]) : factor[i];
        ASSERT_LE(units_between<T>(product(lower, adjoint(lower)), a[i]), kUnits) << upper;
      }
    }
  });
}

/// The elements beside the diagonal are small, so that solutions are about as large as right sides.
template <class T>
Hosts<T> triangular_matrices(const Form& form) {
  Hosts<T> all = random_matrices<T>(form, form.m, form.m, 73);
  for (Host<T>& one : all) {
    one = Host<T>(form.m, form.m, [matrix = one, m = form.m](std::int64_t i, std::int64_t j) {
      const auto number = matrix.at(i, j) / Exact<T>(2 * m);
      return std::complex<Exact<T>>(static_cast<T>(number.real() + (i == j ? 2 : 0)),
                                    static_cast<T>(number.imag()));
    });
  }
  return all;
}

template <class T>
void check_triangular(const Device& device, const OperatorInfo&) {
  for_forms({kSquare, kOblong, kLarge}, [&](const Form& form) {
    const Hosts<T> a = triangular_matrices<T>(form);
    const Hosts<T> right = random_matrices<T>(form, form.m, form.n, 74);
    const Tensor b = arranged<T>(right, form, device);
    for (const bool upper : {false, true}) {
      for (const bool unit : {false, true}) {
        const Triangle part{upper, unit};
        const Tensor left = arranged<T>(hidden_beside<T>(a, part), form, device);
        const Hosts<T> x = fetched<T>(linalg::solve_triangular(left, b, upper, unit));
        for (std::size_t i = 0; i < a.size(); ++i) {
          const Host<T> factor = triangle_of(a[i], form.m, form.m, part);
          ASSERT_LE(units_between<T>(product(factor, x[i]), right[i]), kUnits) << upper << unit;
        }
      }
    }
  });
}

template <class T>
void check_qr(const Device& device, const OperatorInfo&) {
  for_forms({kSquare, kOblong, kLarge}, [&](const Form& form) {
    const Hosts<T> a = random_matrices<T>(form, form.m, form.n, 75);
    const Tensor x = arranged<T>(a, form, device);
    for (const QrMode mode : {QrMode::kReduced, QrMode::kComplete}) {
      if (mode == QrMode::kComplete && form.m <= form.n) continue;
      const Qr made = linalg::qr(x, mode);
      const Hosts<T> q = fetched<T>(made.q), r = fetched<T>(made.r);
      const std::int64_t columns = mode == QrMode::kReduced ? std::min(form.m, form.n) : form.m;
      for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(q[i].columns(), columns);
        ASSERT_EQ(r[i].rows(), columns);
        ASSERT_LE(units_of_rows<T>(adjoint(q[i])), kUnits);
        ASSERT_LE(units_between<T>(product(q[i], r[i]), a[i]), kUnits);
        const Host<T> upper = triangle_of(r[i], columns, form.n, {.is_upper = true});
        ASSERT_EQ(units_between<T>(r[i], upper), 0);
      }
    }
  });
}

template <class T>
void check_eigh(const Device& device, const OperatorInfo&) {
  for_forms({kSquare}, [&](const Form& form) {
    const Hosts<T> a = hermitian_matrices<T>(form, 76);
    const Tensor x = arranged<T>(hidden_beside<T>(a, {.is_upper = false}), form, device);
    const Eigh made = linalg::eigh(x);
    const Hosts<T> vectors = fetched<T>(made.eigenvectors);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto values = row_of<T, Exact<T>>(made.eigenvalues, i);
      ASSERT_TRUE(std::is_sorted(values.begin(), values.end()));
      ASSERT_LE(units_of_rows<T>(adjoint(vectors[i])), kUnits);
      const Host<T> scaled = times_columns(vectors[i], values);
      ASSERT_LE(units_between<T>(product(scaled, adjoint(vectors[i])), a[i]), kUnits);
    }
  });
}

template <class T>
void check_svd(const Device& device, const OperatorInfo&) {
  for_forms({kSquare, kOblong}, [&](const Form& form) {
    const Hosts<T> a = random_matrices<T>(form, form.m, form.n, 77);
    const Tensor x = arranged<T>(a, form, device);
    const std::int64_t k = std::min(form.m, form.n);
    for (const bool is_full : {false, true}) {
      if (is_full && form.m == form.n) continue;
      const Svd made = linalg::svd(x, is_full);
      const Hosts<T> u = fetched<T>(made.u), vh = fetched<T>(made.vh);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const auto values = row_of<T, Exact<T>>(made.s, i);
        ASSERT_TRUE(std::is_sorted(values.rbegin(), values.rend()) && values.back() >= 0);
        ASSERT_EQ(u[i].columns(), is_full ? form.m : k);
        ASSERT_EQ(vh[i].rows(), is_full ? form.n : k);
        ASSERT_LE(units_of_rows<T>(adjoint(u[i])), kUnits);
        ASSERT_LE(units_of_rows<T>(vh[i]), kUnits);
        const auto part = [](const Host<T>& matrix, std::int64_t rows, std::int64_t columns) {
          return Host<T>(rows, columns, [&](std::int64_t row, std::int64_t column) {
            return matrix.at(row, column);
          });
        };
        const Host<T> scaled = times_columns(part(u[i], form.m, k), values);
        ASSERT_LE(units_between<T>(product(scaled, part(vh[i], k, form.n)), a[i]), kUnits);
      }
    }
  });
}

template <class T>
void check_eig(const Device& device, const OperatorInfo&) {
  for_forms({kSquare}, [&](const Form& form) {
    const Hosts<T> a = random_matrices<T>(form, form.n, form.n, 78);
    const Eig made = linalg::eig(arranged<T>(a, form, device));
    const Hosts<T> vectors = fetched<T>(made.eigenvectors);
    const Hosts<T> values = fetched<T>(made.eigenvalues.unsqueeze(-2));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Host<T>& x = vectors[i];
      const Host<T> turned = product(a[i], x);
      const Host<T> rest(form.n, form.n, [&](std::int64_t row, std::int64_t column) {
        return a[i].at(row, column) + turned.at(row, column) -
               conformance::complex_product(x.at(row, column), values[i].at(0, column));
      });
      ASSERT_LE(units_between<T>(rest, a[i]), kUnits);
    }
  });
}

}  // namespace

OperatorCases factor_cases() {
  return {
      case_of<Types::kWideFloats>("lu", PATCHBAY_OF_TYPES(check_lu)),
      case_of<Types::kWideFloats>("cholesky", PATCHBAY_OF_TYPES(check_cholesky)),
      case_of<Types::kWideFloats>("triangular", PATCHBAY_OF_TYPES(check_triangular)),
      case_of<Types::kWideFloats>("qr", PATCHBAY_OF_TYPES(check_qr)),
      case_of<Types::kWideFloats>("eigh", PATCHBAY_OF_TYPES(check_eigh)),
      case_of<Types::kWideFloats>("svd", PATCHBAY_OF_TYPES(check_svd)),
      case_of<Types::kWideFloats>("eig", PATCHBAY_OF_TYPES(check_eig)),
  };
}

}  // namespace patchbay::test
