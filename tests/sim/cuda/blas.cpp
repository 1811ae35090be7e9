// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of cuBLAS.
#include "sim/blas.h"

#include <cstdlib>
#include <utility>

namespace patchbay::cuda {

struct BlasObject {
  std::unique_ptr<sim::Blas> blas;
};

}  // namespace patchbay::cuda

using namespace patchbay::cuda;
using namespace patchbay;
using namespace patchbay::sim;

PATCHBAY_BLAS_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)

namespace {

constexpr int kInvalidValueStatus = 7, kExecutionFailedStatus = 13;

bool is_before(int capability) {
  return std::atoi(machine().config.architecture.c_str()) < capability;
}

}  // namespace

int cublasCreate_v2(NativeBlas* handle) {
  int code = 0;
  ContextObject* const context = current_context(code);
  if (context == nullptr) return kBlasNotInitialized;
  if (is_before(75) && machine().config.blas_major >= 13) return kBlasArchitectureMismatch;
  auto blas = create_blas(*context);
  if (blas == nullptr) return machine().config.blas_status;
  *handle = new BlasObject{std::move(blas)};
  return kBlasSuccess;
}

int cublasDestroy_v2(NativeBlas handle) {
  if (machine().gone() != kSuccess) return kBlasNotInitialized;
  delete handle;
  return kBlasSuccess;
}

/// The library's own workspace comes back.
int cublasSetStream_v2(NativeBlas handle, NativeStream stream) {
  handle->blas->stream = stream;
  handle->blas->workspace = nullptr;
  handle->blas->workspace_bytes = 0;
  return kBlasSuccess;
}

int cublasSetWorkspace_v2(NativeBlas handle, void* memory, std::size_t bytes) {
  return set_workspace(*handle->blas, memory, bytes) ? kBlasSuccess : kInvalidValueStatus;
}

int cublasSetMathMode(NativeBlas handle, int mode) {
  const int kind = mode & ~kBlasNoReducedSums;
  handle->blas->is_set_up = kind == kBlasDefaultMath || kind == kBlasTf32Math;
  handle->blas->uses_tf32 = kind == kBlasTf32Math;
  handle->blas->rounds_parts = (mode & kBlasNoReducedSums) == 0;
  return kBlasSuccess;
}

int cublasGemmStridedBatchedEx(NativeBlas handle, int transpose_a, int transpose_b, int m, int n,
                               int k, const void* alpha, const void* a, int a_type, int lda,
                               long long next_a, const void* b, int b_type, int ldb,
                               long long next_b, const void* beta, void* c, int c_type, int ldc,
                               long long next_c, int count, int compute_type, int) {
  if (a_type == kBlasBf16 && is_before(70)) return kBlasNotSupported;
  const Gemm::Matrix of_a{a, a_type, lda, next_a}, of_b{b, b_type, ldb, next_b},
      of_c{c, c_type, ldc, next_c};
  switch (multiply(*handle->blas, {transpose_a, transpose_b, m, n, k, alpha, beta, of_a, of_b, of_c,
                                   count, compute_type})) {
    case BlasError::kNone: return kBlasSuccess;
    case BlasError::kNoContext: return kBlasNotInitialized;
    case BlasError::kInvalid: return kInvalidValueStatus;
    default: return kExecutionFailedStatus;
  }
}
