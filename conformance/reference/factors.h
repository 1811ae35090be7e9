// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrices of complex numbers, of which those of real matrices have no imaginary part, and how far
// the product of factors is from a matrix.
#ifndef PATCHBAY_CONFORMANCE_REFERENCE_FACTORS_H_
#define PATCHBAY_CONFORMANCE_REFERENCE_FACTORS_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "conformance/reference/number.h"

namespace patchbay::conformance {

template <class E>
class Matrix {
 public:
  using Number = std::complex<E>;

  Matrix(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), numbers_(static_cast<std::size_t>(rows * columns)) {}
  /// Of the numbers value(row, column).
  template <class Value>
  Matrix(std::int64_t rows, std::int64_t columns, const Value& value) : Matrix(rows, columns) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) at(i, j) = value(i, j);
    }
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  Number& at(std::int64_t i, std::int64_t j) { return numbers_[place(i, j)]; }
  const Number& at(std::int64_t i, std::int64_t j) const { return numbers_[place(i, j)]; }
  const std::vector<Number>& numbers() const { return numbers_; }

 private:
  std::size_t place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * columns_ + j);
  }

  std::int64_t rows_, columns_;
  std::vector<Number> numbers_;
};

/// Not the operator, which looks for infinities in each product.
template <class E>
std::complex<E> complex_product(const std::complex<E>& a, const std::complex<E>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class E>
Matrix<E> product(const Matrix<E>& a, const Matrix<E>& b) {
  Matrix<E> sums(a.rows(), b.columns());
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t k = 0; k < a.columns(); ++k) {
      for (std::int64_t j = 0; j < b.columns(); ++j) {
        sums.at(i, j) += complex_product(a.at(i, k), b.at(k, j));
      }
    }
  }
  return sums;
}

template <class E>
Matrix<E> transposed(const Matrix<E>& a) {
  return {a.columns(), a.rows(), [&](std::int64_t i, std::int64_t j) { return a.at(j, i); }};
}

/// The conjugate transpose.
template <class E>
Matrix<E> adjoint(const Matrix<E>& a) {
  return {a.columns(), a.rows(),
          [&](std::int64_t i, std::int64_t j) { return std::conj(a.at(j, i)); }};
}

template <class E>
Matrix<E> identity(std::int64_t n) {
  return {n, n, [](std::int64_t i, std::int64_t j) { return i == j ? E(1) : E(0); }};
}

/// Row i is row order[i].
template <class E>
Matrix<E> permuted(const Matrix<E>& a, const std::vector<std::int64_t>& order) {
  return {a.rows(), a.columns(), [&](std::int64_t i, std::int64_t j) {
            return a.at(order[static_cast<std::size_t>(i)], j);
          }};
}

/// Column j times values[j].
template <class E>
Matrix<E> times_columns(const Matrix<E>& a, const std::vector<E>& values) {
  return {a.rows(), a.columns(), [&](std::int64_t i, std::int64_t j) {
            return a.at(i, j) * values[static_cast<std::size_t>(j)];
          }};
}

/// Hermitian, of the upper triangle, with `more` added to the diagonal.
template <class E>
Matrix<E> hermitian_of(const Matrix<E>& a, E more = 0) {
  return {a.rows(), a.rows(), [&](std::int64_t i, std::int64_t j) -> std::complex<E> {
            if (i == j) return a.at(i, i).real() + more;
            return i < j ? a.at(i, j) : std::conj(a.at(j, i));
          }};
}

struct Triangle {
  bool is_upper = false, is_unit = false;  // unit: the diagonal counts as 1

  bool has(std::int64_t i, std::int64_t j) const { return i == j ? !is_unit : (i < j) == is_upper; }
};

/// That part of the first rows and columns; the other elements are 0.
template <class E>
Matrix<E> triangle_of(const Matrix<E>& a, std::int64_t rows, std::int64_t columns, Triangle part) {
  return {rows, columns, [&](std::int64_t i, std::int64_t j) -> std::complex<E> {
            if (part.has(i, j)) return a.at(i, j);
            return i == j ? E(1) : E(0);
          }};
}

/// l u, with both in one matrix.
template <class E>
Matrix<E> lower_of(const Matrix<E>& lu) {
  return triangle_of(lu, lu.rows(), std::min(lu.rows(), lu.columns()), {false, true});
}
template <class E>
Matrix<E> upper_of(const Matrix<E>& a) {
  return triangle_of(a, std::min(a.rows(), a.columns()), a.columns(), {true, false});
}

/// h_0 h_1 ... x with h_k = 1 - tau[k] v_k v_k^H: v_k[k] is 1, the elements below lie in column k
/// of `vectors`.
template <class E>
Matrix<E> reflected(const Matrix<E>& vectors, const Matrix<E>& tau, Matrix<E> x) {
  for (std::int64_t k = tau.columns() - 1; k >= 0; --k) {
    const auto v = [&](std::int64_t i) { return i == k ? std::complex<E>(1) : vectors.at(i, k); };
    for (std::int64_t j = 0; j < x.columns(); ++j) {
      std::complex<E> dot = 0;
      for (std::int64_t i = k; i < x.rows(); ++i)
        dot += complex_product(std::conj(v(i)), x.at(i, j));
      dot = complex_product(tau.at(0, k), dot);
      for (std::int64_t i = k; i < x.rows(); ++i) x.at(i, j) -= complex_product(v(i), dot);
    }
  }
  return x;
}

/// The largest part of a number, or NaN if there is one.
template <class E>
E largest(const Matrix<E>& a) {
  E most = 0;
  for (const std::complex<E>& number : a.numbers()) {
    for (const E part : {number.real(), number.imag()}) {
      if (std::isnan(part)) return part;
      most = std::max(most, std::fabs(part));
    }
  }
  return most;
}

/// How far a matrix is from the expected one, in units of epsilon of T times the largest extent
/// times the largest element.
template <class T, class E>
double units_between(const Matrix<E>& got, const Matrix<E>& expected) {
  const E distance =
      largest(Matrix<E>(expected.rows(), expected.columns(), [&](std::int64_t i, std::int64_t j) {
        return got.at(i, j) - expected.at(i, j);
      }));
  const auto extent = static_cast<E>(std::max(expected.rows(), expected.columns()));
  const E unit = static_cast<E>(std::numeric_limits<T>::epsilon()) * extent * largest(expected);
  return distance == 0 ? 0 : static_cast<double>(distance / unit);
}

/// How far rows are from orthonormal ones.
template <class T, class E>
double units_of_rows(const Matrix<E>& a) {
  const double units = units_between<T>(product(a, adjoint(a)), identity<E>(a.rows()));
  return units * static_cast<double>(a.rows()) /
         static_cast<double>(std::max(a.rows(), a.columns()));
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_REFERENCE_FACTORS_H_
