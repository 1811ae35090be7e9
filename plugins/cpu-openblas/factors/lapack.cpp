// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrices in rows are the transposes of what Fortran sees.
#include "cpu-openblas/factors/lapack.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>

#include "patchbay/plugin/types.h"

namespace patchbay::cpu {
namespace {

/// The entries for one real type.
template <class T>
struct Entries {
  SyevdEntry<T> syevd;
  HeevdEntry<T> heevd;
  GesddEntry<T> gesdd;
  ComplexGesddEntry<T> complex_gesdd;
};
Entries<float> entries_of(const Blas& blas, float) {
  return {blas.ssyevd, blas.cheevd, blas.sgesdd, blas.cgesdd};
}
Entries<double> entries_of(const Blas& blas, double) {
  return {blas.dsyevd, blas.zheevd, blas.dgesdd, blas.zgesdd};
}

/// Parts of one block of scratch memory.
class Rooms {
 public:
  Rooms(ScratchPool& pool, std::size_t size_bytes) : lease_(pool.take(size_bytes)) {}
  template <class T>
  T* take(std::size_t count) {
    T* const at = reinterpret_cast<T*>(lease_.data() + used_);
    used_ += bytes_of<T>(count);
    return at;
  }
  template <class T>
  static std::size_t bytes_of(std::size_t count) {
    return static_cast<std::size_t>(whole_lines(static_cast<std::int64_t>(count * sizeof(T))));
  }

 private:
  const ScratchPool::Lease lease_;
  std::size_t used_ = 0;
};

std::size_t count_of(std::int64_t count) { return static_cast<std::size_t>(count); }

/// LAPACK does not end for every NaN.
template <class T>
bool is_finite(const T* rows, std::int64_t num_rows, std::int64_t columns, std::int64_t row) {
  T sum = 0;  // 0, or NaN
  for (std::int64_t i = 0; i < num_rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) sum += rows[i * row + j] * 0;
  }
  return sum == 0;
}

template <class T>
class Problem {
 public:
  Problem(const Blas& blas, const FactorPlan& plan, const FactorSizes& sizes)
      : entries_(entries_of(blas, T())),
        sizes_(sizes),
        has_pairs_(plan.has_pairs()),
        width_(plan.has_pairs() ? 2 : 1),
        m_(static_cast<int>(sizes.m)),
        n_(static_cast<int>(sizes.n)),
        leading_(static_cast<int>(std::max<std::int64_t>(sizes.row[0], sizes.n))),
        job_(sizes.vectors != 0 ? 'V' : 'N') {}

  void eigh(ScratchPool& pool, const std::array<void*, 6>& operands) {
    T work_size = 0, real_size = 0;
    int integer_size = 0;
    call_eigh(nullptr, nullptr, &work_size, -1, &real_size, -1, &integer_size, -1);
    const auto work = size_of(work_size), reals = has_pairs_ ? size_of(real_size) : 0;
    Rooms rooms(pool, Rooms::bytes_of<T>(work * width_) + Rooms::bytes_of<T>(reals) +
                          Rooms::bytes_of<int>(count_of(integer_size)));
    T* const work_room = rooms.take<T>(work * width_);
    T* const real_room = rooms.take<T>(reals);
    int* const integers = rooms.take<int>(count_of(integer_size));
    for (std::int64_t i = 0; i < sizes_.count; ++i) {
      T* const a = matrix(operands, 0, i);
      T* const values = static_cast<T*>(operands[1]) + i * sizes_.step[1];
      std::int64_t& info = static_cast<std::int64_t*>(operands[5])[i * sizes_.step[5]];
      info = 1;
      if (!is_finite(a, sizes_.n, sizes_.n * width(), sizes_.row[0] * width())) continue;
      info = call_eigh(a, values, work_room, static_cast<int>(work), real_room,
                       static_cast<int>(reals), integers, integer_size);
      if (sizes_.vectors != 0) copy_rows(matrix(operands, 2, i), a);
    }
  }

  void svd(ScratchPool& pool, const std::array<void*, 6>& operands) {
    const auto m = count_of(sizes_.m), n = count_of(sizes_.n);
    T work_size = 0;
    call_svd(nullptr, nullptr, nullptr, &work_size, -1, nullptr, nullptr);
    const auto work = size_of(work_size);
    const auto reals = has_pairs_ ? std::max(5 * m * m + 7 * m, 2 * n * m + 2 * m * m + m) : 0;
    const auto right = sizes_.vectors != 0 ? m * m * width_ : width_;
    Rooms rooms(pool, Rooms::bytes_of<T>(work * width_) + Rooms::bytes_of<T>(reals) +
                          Rooms::bytes_of<T>(right) + Rooms::bytes_of<int>(8 * m));
    T* const work_room = rooms.take<T>(work * width_);
    T* const real_room = rooms.take<T>(reals);
    T* const vh = rooms.take<T>(right);
    int* const integers = rooms.take<int>(8 * m);
    for (std::int64_t i = 0; i < sizes_.count; ++i) {
      T* const a = matrix(operands, 0, i);
      T* const values = static_cast<T*>(operands[1]) + i * sizes_.step[1];
      std::int64_t& info = static_cast<std::int64_t*>(operands[3])[i * sizes_.step[3]];
      info = 1;
      if (!is_finite(a, sizes_.m, sizes_.n * width(), sizes_.row[0] * width())) continue;
      const int status =
          call_svd(a, values, vh, work_room, static_cast<int>(work), real_room, integers);
      info = status == 0 ? 0 : 1;
      if (sizes_.vectors != 0) turn_rows(matrix(operands, 2, i), vh);
    }
  }

 private:
  std::int64_t width() const { return static_cast<std::int64_t>(width_); }
  /// What a query answers; f32 may have rounded it down.
  static std::size_t size_of(T size) {
    return static_cast<std::size_t>(std::ceil(static_cast<double>(size) * (1 + 1e-6))) + 1;
  }
  T* matrix(const std::array<void*, 6>& operands, std::size_t operand, std::int64_t i) const {
    return static_cast<T*>(operands[operand]) + i * sizes_.step[operand] * width();
  }

  int call_eigh(T* a, T* values, T* work, int work_size, T* reals, int real_size, int* integers,
                int integer_size) const {
    int info = 0;
    const char triangle = 'L';
    if (has_pairs_) {
      entries_.heevd(&job_, &triangle, &n_, a, &leading_, values, work, &work_size, reals,
                     &real_size, integers, &integer_size, &info, 1, 1);
    } else {
      entries_.syevd(&job_, &triangle, &n_, a, &leading_, values, work, &work_size, integers,
                     &integer_size, &info, 1, 1);
    }
    return info;
  }

  /// The left vectors take the place of the matrix, which has n rows and m columns for Fortran.
  int call_svd(T* a, T* values, T* vh, T* work, int work_size, T* reals, int* integers) const {
    int info = 0;
    const char job = sizes_.vectors != 0 ? 'O' : 'N';
    const int one = 1, right = sizes_.vectors != 0 ? m_ : 1;
    if (has_pairs_) {
      entries_.complex_gesdd(&job, &n_, &m_, a, &leading_, values, nullptr, &one, vh, &right, work,
                             &work_size, reals, integers, &info, 1);
    } else {
      entries_.gesdd(&job, &n_, &m_, a, &leading_, values, nullptr, &one, vh, &right, work,
                     &work_size, integers, &info, 1);
    }
    return info;
  }

  /// Fortran's columns are eigenvectors of the conjugate matrix.
  void copy_rows(T* to, const T* from) const {
    for (std::int64_t i = 0; i < sizes_.n; ++i) {
      T* const row = to + i * sizes_.row[2] * width();
      const T* const source = from + i * sizes_.row[0] * width();
      for (std::int64_t j = 0; j < sizes_.n * width(); ++j) {
        row[j] = has_pairs_ && j % 2 == 1 ? -source[j] : source[j];
      }
    }
  }
  /// Row k is the conjugate of row k of v^H, which lies in columns.
  void turn_rows(T* to, const T* vh) const {
    for (std::int64_t k = 0; k < sizes_.m; ++k) {
      for (std::int64_t j = 0; j < sizes_.m; ++j) {
        T* const element = to + (k * sizes_.row[2] + j) * width();
        const T* const source = vh + (j * sizes_.m + k) * width();
        element[0] = source[0];
        if (has_pairs_) element[1] = -source[1];
      }
    }
  }

  const Entries<T> entries_;
  const FactorSizes& sizes_;
  const bool has_pairs_;
  const std::size_t width_;  // numbers of an element
  const int m_, n_, leading_;
  const char job_;
};

template <class T>
bool has_entry(const Blas& blas, const FactorPlan& plan) {
  const Entries<T> entries = entries_of(blas, T());
  if (plan.factor() == Factor::eigh) {
    return plan.has_pairs() ? entries.heevd != nullptr : entries.syevd != nullptr;
  }
  if (plan.factor() != Factor::svd) return false;
  return plan.has_pairs() ? entries.complex_gesdd != nullptr : entries.gesdd != nullptr;
}

template <class T>
void factor(const Blas& blas, ScratchPool& scratch, const FactorPlan& plan,
            const FactorSizes& sizes, const std::array<void*, 6>& operands) {
  Problem<T> problem(blas, plan, sizes);
  if (plan.factor() == Factor::eigh) {
    problem.eigh(scratch, operands);
  } else {
    problem.svd(scratch, operands);
  }
}

}  // namespace

bool has_lapack(const Blas& blas, const FactorPlan& plan, std::uint8_t dtype,
                const FactorSizes& sizes) noexcept {
  constexpr std::int64_t kMost = 1 << 14;  // whose workspace has fewer than 2^31 numbers
  if (sizes.n > kMost || sizes.row[0] > INT_MAX) return false;
  return dtype == PATCHBAY_F32 ? has_entry<float>(blas, plan) : has_entry<double>(blas, plan);
}

void factor_by_lapack(const Blas& blas, ScratchPool& scratch, const FactorPlan& plan,
                      std::uint8_t dtype, const FactorSizes& sizes,
                      const std::array<void*, 6>& operands) {
  if (dtype == PATCHBAY_F32) {
    factor<float>(blas, scratch, plan, sizes, operands);
  } else {
    factor<double>(blas, scratch, plan, sizes, operands);
  }
}

}  // namespace patchbay::cpu
