// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of floats with OpenBLAS. Its functions are declared here, so that no vendor header is
// needed.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_BLAS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_BLAS_HPP_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cpu-openblas/products/gemm.hpp"
#include "cpu-openblas/products/lapack.hpp"
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

/// An opened OpenBLAS, closed with this object. The application may use the same file, so nothing
/// in it is changed.
class Blas {
 public:
  /// Returns the file that is the first to be tried of those that are there, or "". It may turn out
  /// that it can't be used.
  static std::string find(const std::optional<std::string>& path);
  /// Opens a build that can be called from several threads at once. `path`: the only file to try.
  /// Returns null, with the reason in `why`, if there is none.
  static std::unique_ptr<Blas> open(const std::optional<std::string>& path, std::string& why);
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

#define PATCHBAY_BLAS_MEMBER(name, member, type) type member = nullptr;
  PATCHBAY_BLAS_SYMBOLS(PATCHBAY_BLAS_MEMBER)
#undef PATCHBAY_BLAS_MEMBER
  LapackEntries lapack;

  /// "OpenBLAS 0.3.21"
  std::string name() const;
  /// The name by which it was opened.
  const std::string& file() const { return library_.file(); }

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
