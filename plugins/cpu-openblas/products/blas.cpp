// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/blas.hpp"

#include <algorithm>
#include <climits>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::cpu {
namespace {

#if defined(__x86_64__)
#define PATCHBAY_MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define PATCHBAY_MULTIARCH "aarch64-linux-gnu"
#else
#define PATCHBAY_MULTIARCH "."
#endif

// Builds with their own threads first: the OpenMP build is slow if several threads call it.
constexpr const char* kCandidates[] = {
    "/usr/lib/" PATCHBAY_MULTIARCH "/openblas-pthread/libopenblas.so.0",
    "/usr/lib64/libopenblasp.so.0",
    "libopenblas.so.0",
    "/usr/lib/" PATCHBAY_MULTIARCH "/openblas-openmp/libopenblas.so.0",
    "libopenblas.so",
};

// Some functions that the library calls by name when it multiplies or is opened.
constexpr const char* kCalledInside[] = {
    "blas_memory_alloc", "blas_memory_free", "exec_blas", "gotoblas",       "openblas_get_config",
    "sgemm_nn",          "sgemm_nt",         "sgemm_tn",  "sgemm_tt",       "sgemm_thread_nn",
    "dgemm_nn",          "dgemm_nt",         "dgemm_tn",  "dgemm_thread_nn"};

std::vector<const char*> candidates_of(const std::optional<std::string>& path) {
  if (path) return {path->c_str()};
  return {std::begin(kCandidates), std::end(kCandidates)};
}

}  // namespace

bool Blas::try_open(const char* path, std::string& why) {
  if (const char* name = replaced_function(path, kCalledInside)) {
    why = std::string(path) +
          " can't be opened: the program, or another build of OpenBLAS in it, " +
          "has a function " + name + " too, which takes the place of the library's";
    return false;
  }
  library_ = Library(path, Library::Lifetime::kObject);
#define PATCHBAY_BLAS_FIND(name, member, type) library_.find(name, member);
  PATCHBAY_BLAS_SYMBOLS(PATCHBAY_BLAS_FIND)
#undef PATCHBAY_BLAS_FIND
  why = library_.why();
  if (why.empty() && get_parallel() == 0) {
    why = std::string(path) +
          " is a serial build, which several threads can't call at once; install "
          "libopenblas0-pthread";
  }
  lapack = LapackEntries(library_);
  if (!why.empty()) library_ = Library();
  return why.empty();
}

std::string Blas::find(const std::optional<std::string>& path) {
  for (const char* const candidate : candidates_of(path)) {
    if (is_installed(candidate)) return candidate;
  }
  return {};
}

std::unique_ptr<Blas> Blas::open(const std::optional<std::string>& path, std::string& why) {
  std::unique_ptr<Blas> blas(new Blas);
  for (const char* const candidate : candidates_of(path)) {
    std::string failure;
    if (blas->try_open(candidate, failure)) return blas;
    if (why.empty()) why = std::move(failure);
  }
  return nullptr;
}

/// The configuration starts with the name: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
std::string Blas::name() const {
  const std::string_view config = get_config();
  const std::size_t first = config.find(' ');
  return std::string(config.substr(0, config.find(' ', first + 1)));
}

namespace {

/// 'N' with the leading dimension of a column-major matrix, or 'T' with that of a row-major one.
struct Layout {
  char trans;
  int leading;
  Layout(const std::int64_t (&strides)[2], std::int64_t rows)
      : trans(strides[0] == 1 && strides[1] >= rows ? 'N' : 'T'),
        leading(static_cast<int>(trans == 'N' ? strides[1] : strides[0])) {}
};

template <class T>
void call_gemm(GemmEntry<T> gemm, const GemmProblem& p, T alpha, T beta) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const Layout a(p.a_strides, p.m), b(p.b_strides, p.k);
  const int ldc = static_cast<int>(p.out_strides[1]);
  gemm(&a.trans, &b.trans, &m, &n, &k, &alpha, reinterpret_cast<const T*>(p.a), &a.leading,
       reinterpret_cast<const T*>(p.b), &b.leading, &beta, reinterpret_cast<T*>(p.out), &ldc);
}

/// Computes a column of out without packing a.
template <class T>
void call_gemv(GemvEntry<T> gemv, const GemmProblem& p, T alpha, T beta) {
  T* out = reinterpret_cast<T*>(p.out);
  if (beta == 0) std::fill(out, out + p.m, T(0));  // out is not read, because 0 times NaN is NaN
  const Layout a(p.a_strides, p.m);
  const bool plain = a.trans == 'N';
  const int rows = static_cast<int>(plain ? p.m : p.k);
  const int columns = static_cast<int>(plain ? p.k : p.m);
  const int step_b = static_cast<int>(p.b_strides[0]), step_out = 1;
  gemv(&a.trans, &rows, &columns, &alpha, reinterpret_cast<const T*>(p.a), &a.leading,
       reinterpret_cast<const T*>(p.b), &step_b, &beta, out, &step_out);
}

template <class T>
void multiply(GemmEntry<T> gemm, GemvEntry<T> gemv, const GemmProblem& p, const void* alpha,
              const void* beta) {
  const T by = *static_cast<const T*>(alpha), before = *static_cast<const T*>(beta);
  if (p.n == 1 && p.k > 0 && p.b_strides[0] > 0) return call_gemv<T>(gemv, p, by, before);
  call_gemm<T>(gemm, p, by, before);
}

}  // namespace

bool fits_blas(const GemmProblem& p) noexcept {
  std::int64_t largest = std::max({p.m, p.n, p.k});
  for (const auto* strides : {&p.a_strides, &p.b_strides, &p.out_strides}) {
    largest = std::max({largest, (*strides)[0], (*strides)[1]});
  }
  return largest <= INT_MAX;
}

void multiply_by_blas(const Blas& blas, std::uint8_t dtype, const GemmProblem& p, const void* alpha,
                      const void* beta) noexcept {
  if (dtype == PATCHBAY_F32) return multiply<float>(blas.sgemm, blas.sgemv, p, alpha, beta);
  multiply<double>(blas.dgemm, blas.dgemv, p, alpha, beta);
}

}  // namespace patchbay::cpu
