// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of rocBLAS.
#include "sim/blas.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace patchbay::hip {

struct BlasObject {
  std::unique_ptr<sim::Blas> blas;
};

}  // namespace patchbay::hip

using namespace patchbay::hip;
using namespace patchbay;
using namespace patchbay::sim;

PATCHBAY_HIP_BLAS_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)
PATCHBAY_HIP_BLAS_LATER_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)

namespace {

constexpr int kInvalidValueStatus = 11, kInvalidSizeStatus = 4;

/// The library ends the process if it has no kernels for the card.
void end_without_kernels() {
  const char* const folder = std::getenv("ROCBLAS_TENSILE_LIBPATH");
  if (folder == nullptr) return;
  std::string processor = machine().config.architecture;
  processor.resize(std::min(processor.find(':'), processor.size()));
  std::string place = folder;
  if (access((place + "/" + processor).c_str(), R_OK) == 0) place += "/" + processor;
  if (access((place + "/TensileLibrary_lazy_" + processor + ".dat").c_str(), R_OK) != 0) {
    std::abort();
  }
}

}  // namespace

int rocblas_create_handle(NativeBlas* handle) {
  int code = 0;
  ContextObject* const context = current_context(code);
  if (context == nullptr) return kBlasInternalError;
  auto blas = create_blas(*context);
  if (blas == nullptr) return machine().config.blas_status;
  *handle = new BlasObject{std::move(blas)};
  return kBlasSuccess;
}

int rocblas_destroy_handle(NativeBlas handle) {
  if (machine().gone() != kSuccess) return kBlasInternalError;
  delete handle;
  return kBlasSuccess;
}

int rocblas_set_stream(NativeBlas handle, NativeStream stream) {
  handle->blas->stream = stream;
  return kBlasSuccess;
}

/// No memory brings the library's own back.
int rocblas_set_workspace(NativeBlas handle, void* memory, std::size_t bytes) {
  if (memory == nullptr && bytes == 0) {
    handle->blas->workspace = nullptr;
    handle->blas->workspace_bytes = 0;
    return kBlasSuccess;
  }
  return set_workspace(*handle->blas, memory, bytes) ? kBlasSuccess : kInvalidValueStatus;
}

int rocblas_set_atomics_mode(NativeBlas handle, int mode) {
  handle->blas->is_set_up = mode == kBlasNoAtomics;
  return kBlasSuccess;
}

int rocblas_set_math_mode(NativeBlas handle, int mode) {
  handle->blas->uses_tf32 = mode == kBlasXf32Math;
  return kBlasSuccess;
}

int rocblas_gemm_strided_batched_ex(NativeBlas handle, int transpose_a, int transpose_b, int m,
                                    int n, int k, const void* alpha, const void* a, int a_type,
                                    int lda, std::int64_t next_a, const void* b, int b_type,
                                    int ldb, std::int64_t next_b, const void* beta, const void* c,
                                    int c_type, int ldc, std::int64_t next_c, void* d, int d_type,
                                    int ldd, std::int64_t next_d, int count, int compute_type,
                                    int algorithm, std::int32_t, std::uint32_t) {
  // The plugin computes in place.
  if (c != d || c_type != d_type || ldc != ldd || next_c != next_d) return kInvalidValueStatus;
  if (algorithm != kBlasStandardAlgorithm) return kInvalidValueStatus;
  end_without_kernels();
  const Gemm::Matrix of_a{a, a_type, lda, next_a}, of_b{b, b_type, ldb, next_b},
      of_c{c, c_type, ldc, next_c};
  switch (multiply(*handle->blas, {transpose_a, transpose_b, m, n, k, alpha, beta, of_a, of_b, of_c,
                                   count, compute_type})) {
    case BlasError::kNone: return kBlasSuccess;
    case BlasError::kNoContext: return kBlasInvalidHandle;
    case BlasError::kInvalid: return kInvalidSizeStatus;
    default: return kBlasInternalError;
  }
}
