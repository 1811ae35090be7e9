// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The objects of the simulated cuBLASLt.
#ifndef PATCHBAY_TESTS_SIM_CUDA_BLAS_LT_OBJECTS_H_
#define PATCHBAY_TESTS_SIM_CUDA_BLAS_LT_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "cuda-cublas/api/blas_lt_api.hpp"
#include "sim/blas.h"
#include "sim/vendor.h"

namespace patchbay::cuda {

struct BlasLtObject {
  std::unique_ptr<sim::Blas> blas;
};

struct MatmulObject {
  int compute_type, transpose_a = kBlasNotTransposed, transpose_b = kBlasNotTransposed;
  int epilogue = 1;  // none
  const void* bias = nullptr;

  bool operator==(const MatmulObject&) const = default;
};

struct LayoutObject {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;

  bool operator==(const LayoutObject&) const = default;
};

struct PreferenceObject {
  std::uint64_t workspace_bytes = 0;
  std::uint32_t reductions = 7;                        // all
  std::uint32_t alignments[4] = {256, 256, 256, 256};  // of a, b, c, d
};

}  // namespace patchbay::cuda

namespace patchbay::sim::lt {

using namespace cuda;

struct Problem {
  MatmulObject matmul;  // without the bias
  LayoutObject a, b, d;

  bool operator==(const Problem&) const = default;
};

/// What the heuristics have proposed.
struct Algorithm {
  Problem problem;
  PreferenceObject preference;
  std::uintptr_t bias_alignment;
  std::uint64_t workspace_bytes;
};

/// What the program holds.
struct Library {
  std::mutex mutex;  // before the machine's
  std::set<const void*> objects;
  std::vector<Algorithm> algorithms;
};
inline Library& library() {
  static Library& only = *new Library;
  return only;
}

struct Refusal {
  int status;
};
inline void require(bool holds, int status = kBlasLtInvalidValue) {
  if (!holds) throw Refusal{status};
}

template <class Body>
int answer(const Body& body) {
  if (machine().gone() != kSuccess) return kBlasNotInitialized;
  const std::lock_guard lock(library().mutex);
  try {
    body();
  } catch (const Refusal& refusal) {
    return refusal.status;
  }
  return kBlasSuccess;
}

template <class T>
T& live(T* native) {
  if (library().objects.count(native) == 0) end_for_unknown_handle(native);
  return *native;
}

template <class T>
int create(T** native, T object) {
  return answer([&] {
    *native = new T(std::move(object));
    library().objects.insert(*native);
    ++machine().num_blas_lt_objects;
  });
}

template <class T>
int destroy(T* native) {
  return answer([=] {
    const std::unique_ptr<T> object(&live(native));
    library().objects.erase(native);
    --machine().num_blas_lt_objects;
  });
}

template <class T>
void read(T& to, const void* value, std::size_t bytes) {
  require(value != nullptr && bytes == sizeof(T));
  std::memcpy(&to, value, sizeof(T));
}

}  // namespace patchbay::sim::lt

#endif  // PATCHBAY_TESTS_SIM_CUDA_BLAS_LT_OBJECTS_H_
