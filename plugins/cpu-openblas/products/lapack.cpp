// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/lapack.hpp"

namespace patchbay::cpu {
namespace {

// BLAS functions that LAPACK calls by name.
constexpr const char* kCalledInside[] = {"sgemm_", "dgemm_", "cgemm_", "zgemm_",
                                         "sgemv_", "dgemv_", "xerbla_"};

/// Functions of libraries whose LAPACK several threads can't call at once, or that has threads.
constexpr const char* kUnfit[] = {"openblas_get_config", "MKL_Get_Max_Threads"};

}  // namespace

LapackEntries::LapackEntries(const Library& library) {
#define PATCHBAY_LAPACK_FIND(name, member, type) library.optional(name, member);
  PATCHBAY_LAPACK_SYMBOLS(PATCHBAY_LAPACK_FIND)
#undef PATCHBAY_LAPACK_FIND
}

std::unique_ptr<Lapack> Lapack::open(const std::string& path, std::string& why) {
  if (const char* name = replaced_function(path, kCalledInside)) {
    why = path + " can't be opened: the program has a function " + name +
          " too, which takes the place of the library's";
    return nullptr;
  }
  Library library(path, Library::Lifetime::kObject);
  void* needed = nullptr;
  library.find("dsyevd_", needed);
  why = library.why();
  for (const char* const name : kUnfit) {
    if (library.optional(name) == nullptr) continue;
    why = path + " is part of a library with threads or buffers of its own, which has " + name;
  }
  if (!why.empty()) return nullptr;
  return std::unique_ptr<Lapack>(new Lapack(std::move(library)));
}

}  // namespace patchbay::cpu
