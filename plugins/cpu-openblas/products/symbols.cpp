// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/symbols.hpp"

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
  if (!why.empty()) library_ = Library();
  return why.empty();
}

std::unique_ptr<Blas> Blas::open(const std::optional<std::string>& path, std::string& why) {
  std::vector<const char*> candidates(std::begin(kCandidates), std::end(kCandidates));
  if (path) candidates = {path->c_str()};
  std::unique_ptr<Blas> blas(new Blas);
  for (const char* candidate : candidates) {
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

}  // namespace patchbay::cpu
