// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What factorizations are given, checked once for every backend.
#ifndef PATCHBAY_KIT_FACTORS_HPP_
#define PATCHBAY_KIT_FACTORS_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "patchbay/plugin/kernels/operators.h"
#include "patchbay/plugin/kit/attributes.hpp"
#include "patchbay/plugin/kit/objects.hpp"

#include "kit/factor_sizes.hpp"

namespace patchbay {

#define PATCHBAY_FACTOR_NAME(name, version, ...) #name "." #version,
inline constexpr std::string_view kFactorNames[] = {
    PATCHBAY_OPERATORS_FACTOR(PATCHBAY_FACTOR_NAME)};
#undef PATCHBAY_FACTOR_NAME

/// Of a prepared kernel. The strip is the columns of triangular.1 that a group solves together.
class FactorPlan {
 public:
  static constexpr std::int64_t kStrip = 64;

  explicit FactorPlan(const patchbay_kernel_spec& spec) : name_(plugin::from_abi(spec.op)) {
    const auto* const found = std::find(std::begin(kFactorNames), std::end(kFactorNames), name_);
    factor_ = static_cast<Factor>(found - std::begin(kFactorNames));
    const plugin::Attributes given(spec);
    has_pairs_ = given.integer("pairs") != 0;
    if (factor_ == Factor::triangular) {
      attributes_.upper = given.integer("upper");
      attributes_.adjoint = given.integer("adjoint");
      attributes_.unit = given.integer("unit");
    }
    if (factor_ == Factor::eigh || factor_ == Factor::svd || factor_ == Factor::eig) {
      attributes_.vectors = given.integer("vectors");
    }
  }

  const std::string& name() const { return name_; }
  Factor factor() const { return factor_; }
  bool has_pairs() const { return has_pairs_; }

  /// Throws invalid_argument unless the arguments are as the operator says.
  FactorSizes sizes_of(plugin::Arguments arguments) const {
    FactorSizes sizes = attributes_;
    const patchbay_argument& first = arguments[0];
    const int rank = 3 + (has_pairs_ ? 1 : 0);
    check(first.rank == rank, "a matrix has another rank");
    sizes.count = first.shape[0];
    sizes.m = first.shape[1];
    sizes.n = first.shape[2];
    const std::int64_t m = sizes.m, n = sizes.n;
    check(m > 0 && n > 0, "an extent is 0");
    matrix(sizes, arguments, 0, m, n);
    switch (factor_) {
      case Factor::lu:
        row(sizes, arguments, 1, m, false);
        number(sizes, arguments, 2);
        number(sizes, arguments, 3);
        break;
      case Factor::cholesky:
        check(m == n, "the matrix is not square");
        number(sizes, arguments, 1);
        break;
      case Factor::triangular: matrix(sizes, arguments, 1, m, m); break;
      case Factor::qr:
        row(sizes, arguments, 1, std::min(m, n), has_pairs_);
        row(sizes, arguments, 2, n, has_pairs_);
        break;
      case Factor::eigh:
        check(m == n, "the matrix is not square");
        row(sizes, arguments, 1, n, false);
        matrix(sizes, arguments, 2, n, n);
        row(sizes, arguments, 3, 2 * n, has_pairs_);
        row(sizes, arguments, 4, 3 * n, false);
        number(sizes, arguments, 5);
        break;
      case Factor::svd:
        check(m <= n, "there are more rows than columns");
        row(sizes, arguments, 1, m, false);
        matrix(sizes, arguments, 2, m, m);
        number(sizes, arguments, 3);
        break;
      case Factor::eig:
        check(m == n, "the matrix is not square");
        row(sizes, arguments, 1, n, true);
        matrix(sizes, arguments, 2, n, n, true);
        matrix(sizes, arguments, 3, n + 4, n, has_pairs_);
        check(sizes.row[3] == n, "the rows of the scratch are no neighbours");
        number(sizes, arguments, 4);
        break;
    }
    return sizes;
  }

  /// The groups of a launch: one for each matrix, or for each strip of columns.
  std::int64_t num_groups(const FactorSizes& sizes) const {
    return factor_ == Factor::triangular ? sizes.count * ((sizes.n + kStrip - 1) / kStrip)
                                         : sizes.count;
  }

 private:
  void check(bool holds, const char* what) const {
    if (!holds) plugin::invalid_argument(name_ + ": " + what);
  }

  /// The elements of an argument, from dimension `first` on; those of a pair count as one.
  void place(FactorSizes& sizes, plugin::Arguments arguments, std::size_t i, int dims,
             bool has_pairs) const {
    const patchbay_argument& argument = arguments[i];
    const std::int64_t width = has_pairs ? 2 : 1;
    check(argument.rank == dims + (has_pairs ? 1 : 0), "an operand has another rank");
    check(argument.shape[0] == sizes.count, "the operands have different numbers of matrices");
    check(!has_pairs || (argument.shape[dims] == 2 && argument.strides[dims] == 1),
          "the parts of a pair are no neighbours");
    for (int d = 0; d < dims; ++d) {
      check(argument.shape[d] <= 1 || argument.strides[d] % width == 0, "a stride divides a pair");
    }
    if (dims > 1) {
      check(argument.shape[dims - 1] <= 1 || argument.strides[dims - 1] == width,
            "the elements of a row are no neighbours");
    }
    sizes.step[i] = argument.strides[0] / width;
    if (dims == 3) sizes.row[i] = argument.strides[1] / width;
  }
  void matrix(FactorSizes& sizes, plugin::Arguments arguments, std::size_t i, std::int64_t rows,
              std::int64_t columns) const {
    matrix(sizes, arguments, i, rows, columns, has_pairs_);
  }
  void matrix(FactorSizes& sizes, plugin::Arguments arguments, std::size_t i, std::int64_t rows,
              std::int64_t columns, bool has_pairs) const {
    place(sizes, arguments, i, 3, has_pairs);
    check(arguments[i].shape[1] == rows && arguments[i].shape[2] == columns,
          "a matrix has another shape");
  }
  void row(FactorSizes& sizes, plugin::Arguments arguments, std::size_t i, std::int64_t columns,
           bool has_pairs) const {
    place(sizes, arguments, i, 2, has_pairs);
    check(arguments[i].shape[1] == columns, "a vector has another length");
  }
  void number(FactorSizes& sizes, plugin::Arguments arguments, std::size_t i) const {
    place(sizes, arguments, i, 1, false);
  }

  std::string name_;
  Factor factor_;
  bool has_pairs_;
  FactorSizes attributes_;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_FACTORS_HPP_
