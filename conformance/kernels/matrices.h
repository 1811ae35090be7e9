// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Batches of matrices for factorizations, their launches, and what is expected of the results.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_MATRICES_H_
#define PATCHBAY_CONFORMANCE_KERNELS_MATRICES_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "conformance/kernels/launcher.h"
#include "conformance/reference/factors.h"
#include "conformance/values/array.h"
#include "conformance/values/values.h"

namespace patchbay::conformance {

/// The bound, in units of epsilon times the largest extent times the largest element.
inline constexpr double kFactorUnits = 8;

// -------------------------------------------------------------------------------- operands ---

struct Extents {
  std::int64_t m, n;
};
inline constexpr Extents kSquare[] = {{1, 1}, {2, 2}, {3, 3}, {7, 7}, {16, 16}, {33, 33}};
inline constexpr Extents kWide[] = {{1, 5}, {3, 7}, {16, 33}};
inline constexpr Extents kTall[] = {{5, 1}, {7, 3}, {33, 16}};

/// The matrices of a launch, and how all operands lie: the elements between two rows, and before
/// the first one.
struct Form {
  std::int64_t count, m, n;
  bool has_pairs = false;
  std::int64_t gap = 0, offset = 0;
};
/// One, several and many of these matrices, of numbers and of pairs.
std::vector<Form> forms(std::initializer_list<std::span<const Extents>> shapes);
/// For messages.
std::string described(const std::string& op, DType dtype, const Form& form, int exponent = 0);

/// [count, extents...]. Only the elements of a row are neighbours. Pairs are in a last dimension.
Layout layout_of(const Form& form, const Shape& extents, bool has_pairs = false);

/// For each matrix of the form a matrix or a row, of pairs if the form has them.
template <class T>
class Batch {
 public:
  using Number = std::complex<Exact<T>>;

  Batch(const Form& form, const Shape& extents)
      : rows_(extents.rank() == 1 ? 1 : extents[0]),
        columns_(extents[extents.rank() - 1]),
        width_(form.has_pairs ? 2 : 1),
        elements_(layout_of(form, extents, form.has_pairs)) {}

  Array<T>& elements() { return elements_; }

  Matrix<Exact<T>> at(std::int64_t number) const {
    return {rows_, columns_, [&](std::int64_t i, std::int64_t j) -> Number {
              const std::size_t at = place(number, i, j);
              return {elements_.at(at), width_ == 2 ? elements_.at(at + 1) : 0};
            }};
  }
  void set(std::int64_t number, std::int64_t i, std::int64_t j, const Number& value) {
    const std::size_t at = place(number, i, j);
    elements_.at(at) = static_cast<T>(value.real());
    if (width_ == 2) elements_.at(at + 1) = static_cast<T>(value.imag());
  }
  void set(std::int64_t number, const Matrix<Exact<T>>& matrix) {
    fill(number, [&](std::int64_t i, std::int64_t j) { return matrix.at(i, j); });
  }
  /// With the numbers value(row, column).
  template <class Value>
  void fill(std::int64_t number, const Value& value) {
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        set(number, i, j, static_cast<Number>(value(i, j)));
      }
    }
  }

 private:
  std::size_t place(std::int64_t number, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(((number * rows_ + i) * columns_ + j) * width_);
  }

  std::int64_t rows_, columns_, width_;
  Array<T> elements_;
};

template <class T>
inline constexpr std::complex<Exact<T>> kNan = {std::numeric_limits<Exact<T>>::quiet_NaN(),
                                                std::numeric_limits<Exact<T>>::quiet_NaN()};

/// Of numbers from -100 to 100, times 2^exponent.
template <class T>
Batch<T> random_batch(const Form& form, const Shape& extents, int exponent = 0,
                      std::uint64_t seed = 0) {
  Batch<T> batch(form, extents);
  Array<T>& elements = batch.elements();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements.at(i) = std::ldexp(ordinary_value<T>(i + seed * 1000003), exponent);
  }
  return batch;
}

/// With `more` added to the diagonal.
template <class T>
Batch<T> hermitian_batch(const Form& form, int exponent = 0, std::int64_t more = 0) {
  Batch<T> batch = random_batch<T>(form, {form.n, form.n}, exponent);
  for (std::int64_t i = 0; i < form.count; ++i) {
    batch.set(i, hermitian_of(batch.at(i), static_cast<Exact<T>>(more)));
  }
  return batch;
}

/// Powers of 2 to multiply matrices by. With some, squares leave the range of T.
template <class T>
std::vector<int> exponents_of(const Form& form) {
  constexpr int kFar = std::numeric_limits<T>::max_exponent * 3 / 4;
  if (form.m != 7) return {0};
  return {0, kFar, -kFar};
}

/// The elements of [count, length] that belong to a matrix.
template <class T>
std::vector<Exact<T>> row_of(const Array<T>& array, std::int64_t number, std::int64_t length) {
  std::vector<Exact<T>> row;
  for (std::int64_t i = 0; i < length; ++i) {
    row.push_back(array.at(static_cast<std::size_t>(number * length + i)));
  }
  return row;
}

// -------------------------------------------------------------------------------- launches ---

/// Collects operands, and fetches those that were written.
class Launch {
 public:
  Launch(const Device& device, const Form& form) : device_(device), has_pairs_(form.has_pairs) {}

  template <class T>
  Launch& read(const Array<T>& array) {
    arguments_.push_back(array.to_device(device_, Access::kRead));
    return *this;
  }
  template <class T>
  Launch& write(Array<T>& array) {
    return fetch(array, Access::kWrite);
  }
  template <class T>
  Launch& update(Array<T>& array) {
    return fetch(array, Access::kReadWrite);
  }
  /// `attributes`: all but pairs. Those that are 0 without being given need not be there.
  void run(const std::string& op, const std::string& what, std::vector<Attribute> attributes = {});

 private:
  template <class T>
  Launch& fetch(Array<T>& array, Access access) {
    arguments_.push_back(array.to_device(device_, access));
    fetches_.push_back([&array, argument = arguments_.back()](const std::string& what) {
      array.from_device(argument);
      Array<T> same(array.layout());
      for (std::size_t i = 0; i < array.size(); ++i) same.at(i) = array.at(i);
      array.expect_close_to(same, 0, what);  // the memory beside it
    });
    return *this;
  }

  Device device_;
  bool has_pairs_;
  Arguments arguments_;
  std::vector<std::function<void(const std::string& what)>> fetches_;
};

// ---------------------------------------------------------------------------- expectations ---

using Infos = std::vector<std::int64_t>;

/// `expected` may be empty: no matrix has failed.
void expect_infos(const Array<std::int64_t>& info, const Infos& expected, const std::string& what);
/// The info of these matrices is 1 to `most`, that of the others is 0.
void expect_failures(const Array<std::int64_t>& info, const std::vector<std::size_t>& failed,
                     std::int64_t most, const std::string& what);
void expect_units(double units, const std::string& what, std::int64_t number, const char* of);

/// Values of a matrix with the vectors, and without.
template <class T, class E>
void expect_same_values(const std::vector<E>& with, const std::vector<E>& without,
                        const Matrix<E>& matrix, const std::string& what) {
  const auto extent = static_cast<E>(std::max(matrix.rows(), matrix.columns()));
  const E room = kFactorUnits * std::numeric_limits<T>::epsilon() * extent * largest(matrix);
  for (std::size_t i = 0; i < with.size(); ++i) {
    expect(std::fabs(with[i] - without[i]) <= room,
           "{}: value {} is {} with vectors and {} without", what, i, static_cast<double>(with[i]),
           static_cast<double>(without[i]));
  }
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_MATRICES_H_
