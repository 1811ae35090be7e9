// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of floats with OpenBLAS. Its functions are declared here, so that no vendor header is
// needed.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_BLAS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_BLAS_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cpu-openblas/products/gemm.hpp"
#include "kit/library/library.hpp"

namespace patchbay::cpu {

/// Fortran's gemm: column-major, all arguments are pointers.
template <class T>
using GemmEntry = void (*)(const char* trans_a, const char* trans_b, const int* m, const int* n,
                           const int* k, const T* alpha, const T* a, const int* lda, const T* b,
                           const int* ldb, const T* beta, T* c, const int* ldc);

template <class T>
using GemvEntry = void (*)(const char* trans, const int* m, const int* n, const T* alpha,
                           const T* a, const int* lda, const T* x, const int* step_x, const T* beta,
                           T* y, const int* step_y);

using GetNumberEntry = int (*)();
using GetConfigEntry = const char* (*)();

// name in the library, member, type
#define PATCHBAY_BLAS_SYMBOLS(symbol)                                                      \
  symbol("sgemm_", sgemm, GemmEntry<float>) symbol("dgemm_", dgemm, GemmEntry<double>)     \
      symbol("sgemv_", sgemv, GemvEntry<float>) symbol("dgemv_", dgemv, GemvEntry<double>) \
          symbol("openblas_get_parallel", get_parallel, GetNumberEntry)                    \
              symbol("openblas_get_num_threads", get_num_threads, GetNumberEntry)          \
                  symbol("openblas_get_config", get_config, GetConfigEntry)

// LAPACK's drivers for eigenvalues and singular values. The lengths of strings follow the
// arguments.
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

// Null in builds without LAPACK.
#define PATCHBAY_LAPACK_SYMBOLS(symbol)                                                          \
  symbol("ssyevd_", ssyevd, SyevdEntry<float>) symbol("dsyevd_", dsyevd, SyevdEntry<double>)     \
      symbol("cheevd_", cheevd, HeevdEntry<float>) symbol("zheevd_", zheevd, HeevdEntry<double>) \
          symbol("sgesdd_", sgesdd, GesddEntry<float>)                                           \
              symbol("dgesdd_", dgesdd, GesddEntry<double>)                                      \
                  symbol("cgesdd_", cgesdd, ComplexGesddEntry<float>)                            \
                      symbol("zgesdd_", zgesdd, ComplexGesddEntry<double>)

/// An opened OpenBLAS, closed with this object. The application may use the same file, so nothing
/// in it is changed.
class Blas {
 public:
  /// Opens a build that can be called from several threads at once. `path`: the only file to try.
  /// Returns null, with the reason in `why`, if there is none.
  static std::unique_ptr<Blas> open(const std::optional<std::string>& path, std::string& why);
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

#define PATCHBAY_BLAS_MEMBER(name, member, type) type member = nullptr;
  PATCHBAY_BLAS_SYMBOLS(PATCHBAY_BLAS_MEMBER)
  PATCHBAY_LAPACK_SYMBOLS(PATCHBAY_BLAS_MEMBER)
#undef PATCHBAY_BLAS_MEMBER

  /// "OpenBLAS 0.3.21"
  std::string name() const;

 private:
  Blas() = default;
  bool try_open(const char* path, std::string& why);

  Library library_;
};

/// Whether the extents and leading dimensions of a normalised problem fit BLAS's int.
bool fits_blas(const GemmProblem& problem) noexcept;

/// Calls the library once, for f32 or f64; it uses its own threads.
void multiply_by_blas(const Blas& blas, std::uint8_t dtype, const GemmProblem& problem,
                      const void* alpha, const void* beta) noexcept;

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_BLAS_HPP_
