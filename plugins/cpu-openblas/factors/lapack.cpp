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
  GeevEntry<T> geev;
  ComplexGeevEntry<T> complex_geev;
};
Entries<float> entries_of(const LapackEntries& all, float) {
  return {all.ssyevd, all.cheevd, all.sgesdd, all.cgesdd, all.sgeev, all.cgeev};
}
Entries<double> entries_of(const LapackEntries& all, double) {
  return {all.dsyevd, all.zheevd, all.dgesdd, all.zgesdd, all.dgeev, all.zgeev};
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
  Problem(const LapackEntries& entries, const FactorPlan& plan, const FactorSizes& sizes,
          std::int64_t begin, std::int64_t end)
      : entries_(entries_of(entries, T())),
        sizes_(sizes),
        begin_(begin),
        end_(end),
        has_pairs_(plan.has_pairs()),
        width_(plan.has_pairs() ? 2 : 1),
        m_(static_cast<int>(sizes.m)),
        n_(static_cast<int>(sizes.n)),
        leading_(static_cast<int>(std::max<std::int64_t>(sizes.row[0], sizes.n))),
        job_(sizes.vectors != 0 ? 'V' : 'N') {}

  void eigh(ScratchPool& pool, const std::array<void*, 6>& operands) {
    T work_size[2] = {}, real_size = 0;  // complex numbers have two parts
    int integer_size = 0;
    call_eigh(nullptr, nullptr, work_size, -1, &real_size, -1, &integer_size, -1);
    const auto work = size_of(work_size[0]), reals = has_pairs_ ? size_of(real_size) : 0;
    Rooms rooms(pool, Rooms::bytes_of<T>(work * width_) + Rooms::bytes_of<T>(reals) +
                          Rooms::bytes_of<int>(count_of(integer_size)));
    T* const work_room = rooms.take<T>(work * width_);
    T* const real_room = rooms.take<T>(reals);
    int* const integers = rooms.take<int>(count_of(integer_size));
    for (std::int64_t i = begin_; i < end_; ++i) {
      T* const a = matrix(operands, 0, i);
      T* const values = static_cast<T*>(operands[1]) + i * sizes_.step[1];
      std::int64_t& info = static_cast<std::int64_t*>(operands[5])[i * sizes_.step[5]];
      info = 1;
      if (!is_finite(a, sizes_.n, sizes_.n * width(), sizes_.row[0] * width())) continue;
      const int status = call_eigh(a, values, work_room, static_cast<int>(work), real_room,
                                   static_cast<int>(reals), integers, integer_size);
      info = status == 0 ? 0 : 1;
      if (sizes_.vectors != 0) copy_rows(matrix(operands, 2, i), a);
    }
  }

  void svd(ScratchPool& pool, const std::array<void*, 6>& operands) {
    const auto m = count_of(sizes_.m), n = count_of(sizes_.n);
    T work_size[2] = {};
    call_svd(nullptr, nullptr, nullptr, work_size, -1, nullptr, nullptr);
    const auto work = size_of(work_size[0]);
    const auto reals = has_pairs_ ? std::max(5 * m * m + 7 * m, 2 * n * m + 2 * m * m + m) : 0;
    const auto right = sizes_.vectors != 0 ? m * m * width_ : width_;
    Rooms rooms(pool, Rooms::bytes_of<T>(work * width_) + Rooms::bytes_of<T>(reals) +
                          Rooms::bytes_of<T>(right) + Rooms::bytes_of<int>(8 * m));
    T* const work_room = rooms.take<T>(work * width_);
    T* const real_room = rooms.take<T>(reals);
    T* const vh = rooms.take<T>(right);
    int* const integers = rooms.take<int>(8 * m);
    for (std::int64_t i = begin_; i < end_; ++i) {
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

  /// What are columns for Fortran are the conjugates of our rows: u^H a^T = value u^H is
  /// a conj(u) = value conj(u).
  void eig(ScratchPool& pool, const std::array<void*, 6>& operands) {
    const auto n = count_of(sizes_.n);
    const std::size_t vectors_size = sizes_.vectors != 0 ? n * n * width_ : width_;
    T work_size[2] = {};
    T real_size = 0;  // which ctrevc3 writes
    call_eig(nullptr, nullptr, nullptr, work_size, -1, &real_size);
    const auto work = size_of(work_size[0]);
    Rooms rooms(pool, Rooms::bytes_of<T>(work * width_) + 2 * Rooms::bytes_of<T>(2 * n) +
                          Rooms::bytes_of<T>(vectors_size));
    T* const work_room = rooms.take<T>(work * width_);
    T* const found = rooms.take<T>(2 * n);
    T* const reals = rooms.take<T>(2 * n);
    T* const columns = rooms.take<T>(vectors_size);
    for (std::int64_t i = begin_; i < end_; ++i) {
      T* const a = matrix(operands, 0, i);
      T* const values = static_cast<T*>(operands[1]) + 2 * i * sizes_.step[1];
      std::int64_t& info = static_cast<std::int64_t*>(operands[4])[i * sizes_.step[4]];
      info = 1;
      if (!is_finite(a, sizes_.n, sizes_.n * width(), sizes_.row[0] * width())) continue;
      info = call_eig(a, found, columns, work_room, static_cast<int>(work), reals);
      if (info != 0) continue;  // some values, and all vectors, were not written
      for (std::size_t k = 0; k < n; ++k) {
        values[2 * k] = has_pairs_ ? found[2 * k] : found[k];
        values[2 * k + 1] = has_pairs_ ? found[2 * k + 1] : found[n + k];
      }
      if (sizes_.vectors == 0) continue;
      T* const vectors = static_cast<T*>(operands[2]) + 2 * i * sizes_.step[2];
      for (std::size_t k = 0; k < n; ++k) {
        T* const row = vectors + 2 * static_cast<std::int64_t>(k) * sizes_.row[2];
        const T* const from = columns + k * n * width_;
        if (has_pairs_) {
          conjugate(row, from, from + 1, 2);
        } else if (found[n + k] == 0) {
          conjugate(row, from, nullptr, 1);
        } else {  // the first one of two
          conjugate(row, from, from + n, 1);
          conjugate(row + 2 * sizes_.row[2], from, from + n, 1, -1);
          ++k;
        }
      }
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

  int call_eig(T* a, T* values, T* left, T* work, int work_size, T* reals) const {
    int info = 0;
    const char right_job = 'N';
    const int one = 1, rows = sizes_.vectors != 0 ? n_ : 1;
    if (has_pairs_) {
      entries_.complex_geev(&job_, &right_job, &n_, a, &leading_, values, left, &rows, nullptr,
                            &one, work, &work_size, reals, &info, 1, 1);
    } else {
      T* const imaginary = values == nullptr ? nullptr : values + n_;
      entries_.geev(&job_, &right_job, &n_, a, &leading_, values, imaginary, left, &rows, nullptr,
                    &one, work, &work_size, &info, 1, 1);
    }
    return info;
  }

  /// Writes a row of pairs; `step`: from an element to the next. Without imaginary parts they are
  /// 0.
  void conjugate(T* row, const T* real, const T* imaginary, std::int64_t step, T sign = 1) const {
    for (std::int64_t j = 0; j < sizes_.n; ++j) {
      row[2 * j] = real[j * step];
      row[2 * j + 1] = imaginary == nullptr ? T(0) : -sign * imaginary[j * step];
    }
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
  const std::int64_t begin_, end_;
  const bool has_pairs_;
  const std::size_t width_;  // numbers of an element
  const int m_, n_, leading_;
  const char job_;
};

template <class T>
bool has_entry(const LapackEntries& all, const FactorPlan& plan) {
  const Entries<T> entries = entries_of(all, T());
  switch (plan.factor()) {
    case Factor::eigh:
      return plan.has_pairs() ? entries.heevd != nullptr : entries.syevd != nullptr;
    case Factor::svd:
      return plan.has_pairs() ? entries.complex_gesdd != nullptr : entries.gesdd != nullptr;
    case Factor::eig:
      return plan.has_pairs() ? entries.complex_geev != nullptr : entries.geev != nullptr;
    default: return false;
  }
}

template <class T>
void factor(Problem<T>&& problem, Factor factor, ScratchPool& scratch,
            const std::array<void*, 6>& operands) {
  switch (factor) {
    case Factor::eigh: return problem.eigh(scratch, operands);
    case Factor::svd: return problem.svd(scratch, operands);
    default: return problem.eig(scratch, operands);
  }
}

}  // namespace

bool has_lapack(const LapackEntries& entries, const FactorPlan& plan, std::uint8_t dtype,
                const FactorSizes& sizes) noexcept {
  constexpr std::int64_t kMost = 1 << 14;  // whose workspace has fewer than 2^31 numbers
  if (sizes.n > kMost || sizes.row[0] > INT_MAX) return false;
  return dtype == PATCHBAY_F32 ? has_entry<float>(entries, plan) : has_entry<double>(entries, plan);
}

void factor_by_lapack(const LapackEntries& entries, ScratchPool& scratch, const FactorPlan& plan,
                      std::uint8_t dtype, const FactorSizes& sizes,
                      const std::array<void*, 6>& operands, std::int64_t begin, std::int64_t end) {
  if (dtype == PATCHBAY_F32) {
    factor(Problem<float>(entries, plan, sizes, begin, end), plan.factor(), scratch, operands);
  } else {
    factor(Problem<double>(entries, plan, sizes, begin, end), plan.factor(), scratch, operands);
  }
}

}  // namespace patchbay::cpu
