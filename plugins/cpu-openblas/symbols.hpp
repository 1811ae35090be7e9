// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of the BLAS library that this plugin uses, declared here: no vendor header is needed.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_SYMBOLS_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_SYMBOLS_HPP_

#include <optional>
#include <string>

namespace patchbay::cpu {

/// Fortran's gemm: column-major, everything by pointer.
template <class T>
using GemmEntry = void (*)(const char* trans_a, const char* trans_b, const int* m, const int* n,
                           const int* k, const T* alpha, const T* a, const int* lda, const T* b,
                           const int* ldb, const T* beta, T* c, const int* ldc);

template <class T>
using GemvEntry = void (*)(const char* trans, const int* m, const int* n, const T* alpha,
                           const T* a, const int* lda, const T* x, const int* step_x, const T* beta,
                           T* y, const int* step_y);

// name in the library, member, type
#define PATCHBAY_BLAS_SYMBOLS(symbol)                                                  \
  symbol("sgemm_", sgemm, GemmEntry<float>) symbol("dgemm_", dgemm, GemmEntry<double>) \
      symbol("sgemv_", sgemv, GemvEntry<float>) symbol("dgemv_", dgemv, GemvEntry<double>)

/// An opened BLAS library, closed with this object.
class Blas {
 public:
  /// Opens the serial build by its own path, else what there is, set to one thread. `path`: the
  /// only file to try. Throws `unsupported`, naming what was tried and the package that has it.
  explicit Blas(const std::optional<std::string>& path);
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

#define PATCHBAY_BLAS_MEMBER(name, member, type) type member = nullptr;
  PATCHBAY_BLAS_SYMBOLS(PATCHBAY_BLAS_MEMBER)
#undef PATCHBAY_BLAS_MEMBER

  /// Whether several threads may call it at once.
  bool is_concurrent() const noexcept { return concurrent_; }
  const std::string& path() const noexcept { return path_; }

 private:
  bool try_open(const char* path, std::string& why);
  void make_concurrent() noexcept;

  void* library_ = nullptr;
  bool locks_buffers_ = false;
  bool concurrent_ = false;
  std::string path_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_SYMBOLS_HPP_
