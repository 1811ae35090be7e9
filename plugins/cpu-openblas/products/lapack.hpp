// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// LAPACK's drivers for eigenvalues and singular values. They are declared here, so that no vendor
// header is needed.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LAPACK_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LAPACK_HPP_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "kit/library/library.hpp"

namespace patchbay::cpu {

// Fortran passes the lengths of strings after the other arguments.
template <class T>
using SyevdEntry = void (*)(const char* job, const char* triangle, const int* n, T* a,
                            const int* lda, T* values, T* work, const int* work_size, int* integers,
                            const int* integer_size, int* info, std::size_t, std::size_t);
template <class T>
using HeevdEntry = void (*)(const char* job, const char* triangle, const int* n, T* a,
                            const int* lda, T* values, T* work, const int* work_size, T* reals,
                            const int* real_size, int* integers, const int* integer_size, int* info,
                            std::size_t, std::size_t);
template <class T>
using GesddEntry = void (*)(const char* job, const int* m, const int* n, T* a, const int* lda,
                            T* values, T* u, const int* ldu, T* vt, const int* ldvt, T* work,
                            const int* work_size, int* integers, int* info, std::size_t);
template <class T>
using ComplexGesddEntry = void (*)(const char* job, const int* m, const int* n, T* a,
                                   const int* lda, T* values, T* u, const int* ldu, T* vt,
                                   const int* ldvt, T* work, const int* work_size, T* reals,
                                   int* integers, int* info, std::size_t);
template <class T>
using GeevEntry = void (*)(const char* left_job, const char* right_job, const int* n, T* a,
                           const int* lda, T* real_values, T* imaginary_values, T* left,
                           const int* ldl, T* right, const int* ldr, T* work, const int* work_size,
                           int* info, std::size_t, std::size_t);
template <class T>
using ComplexGeevEntry = void (*)(const char* left_job, const char* right_job, const int* n, T* a,
                                  const int* lda, T* values, T* left, const int* ldl, T* right,
                                  const int* ldr, T* work, const int* work_size, T* reals,
                                  int* info, std::size_t, std::size_t);

// name in the library, member, type
#define PATCHBAY_LAPACK_SYMBOLS(symbol)                                                          \
  symbol("ssyevd_", ssyevd, SyevdEntry<float>) symbol("dsyevd_", dsyevd, SyevdEntry<double>)     \
      symbol("cheevd_", cheevd, HeevdEntry<float>) symbol("zheevd_", zheevd, HeevdEntry<double>) \
          symbol("sgesdd_", sgesdd, GesddEntry<float>)                                           \
              symbol("dgesdd_", dgesdd, GesddEntry<double>)                                      \
                  symbol("cgesdd_", cgesdd, ComplexGesddEntry<float>)                            \
                      symbol("zgesdd_", zgesdd, ComplexGesddEntry<double>)                       \
                          symbol("sgeev_", sgeev, GeevEntry<float>)                              \
                              symbol("dgeev_", dgeev, GeevEntry<double>)                         \
                                  symbol("cgeev_", cgeev, ComplexGeevEntry<float>)               \
                                      symbol("zgeev_", zgeev, ComplexGeevEntry<double>)

/// Null for what the library lacks.
struct LapackEntries {
  LapackEntries() = default;
  explicit LapackEntries(const Library& library);

#define PATCHBAY_LAPACK_MEMBER(name, member, type) type member = nullptr;
  PATCHBAY_LAPACK_SYMBOLS(PATCHBAY_LAPACK_MEMBER)
#undef PATCHBAY_LAPACK_MEMBER
};

/// An opened LAPACK that is taken to have no threads of its own, closed with this object. Several
/// threads call it at once, as the reference LAPACK may be called.
class Lapack {
 public:
  /// The only file that is tried unless there is a path.
  static constexpr const char* kFile = "liblapack.so.3";

  /// Returns null, with the reason in `why`, if the file is not there or is part of a library with
  /// threads or shared buffers.
  static std::unique_ptr<Lapack> open(const std::string& path, std::string& why);

  const LapackEntries& entries() const noexcept { return entries_; }

 private:
  explicit Lapack(Library library) : library_(std::move(library)), entries_(library_) {}

  const Library library_;
  const LapackEntries entries_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_LAPACK_HPP_
