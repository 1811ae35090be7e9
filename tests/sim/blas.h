// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The simulated BLAS library: plain loops, queued on a stream of the simulated driver.
#ifndef PATCHBAY_TESTS_SIM_BLAS_H_
#define PATCHBAY_TESTS_SIM_BLAS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "machine.h"

namespace patchbay::sim {

/// What a handle stands for.
struct Blas {
  /// Gives the memory back.
  ~Blas();

  ContextObject& context;
  Address memory = 0;  // what it keeps of the device
  NativeStream stream = nullptr;
  std::byte* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  bool is_set_up = false;  // for equal bits on each machine and in each run
  bool uses_tf32 = false;
  bool rounds_parts = false;  // of long sums, to a result of 16 bits
};

/// d = alpha op(a) op(b) + beta c, by columns. Types are the library's numbers.
struct Gemm {
  struct Matrix {
    const void* address;
    int type, leading;
    std::int64_t next;
  };
  int transpose_a, transpose_b, m, n, k;
  const void *alpha, *beta;
  Matrix a, b, c;
  int count, compute_type;
  const void* bias = nullptr;   // of m elements of c's type, for each column
  bool rounds_product = false;  // before the bias is added
};

enum class BlasError { kNone, kNoContext, kInvalid, kFailed };

/// Null if the device has too little memory left for a handle.
std::unique_ptr<Blas> create_blas(ContextObject& context);
/// Whether the workspace is taken: aligned memory of the context's device.
bool set_workspace(Blas& blas, void* memory, std::size_t bytes);
/// The matrices of a product must lie completely in the context's memory; empty ones need an
/// address too. It overwrites its workspace.
BlasError multiply(const Blas& blas, const Gemm& gemm);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_BLAS_H_
