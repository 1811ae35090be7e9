// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the BLAS library that are used; see driver_api.hpp. Matrices are column-major.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_API_HPP_

#include <cstddef>

#include "cuda-cublas/api/driver_api.hpp"

namespace patchbay::cuda {

using BlasResult = int;
using NativeBlas = struct BlasObject*;

// Entry by entry.
// clang-format off
// our name, the vendor's name, value
#define PATCHBAY_BLAS_CONSTANTS(constant) \
  constant(kBlasSuccess, CUBLAS_STATUS_SUCCESS, 0) \
  constant(kBlasNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED, 1) \
  constant(kBlasAllocationFailed, CUBLAS_STATUS_ALLOC_FAILED, 3) \
  constant(kBlasInternalError, CUBLAS_STATUS_INTERNAL_ERROR, 14) \
  constant(kBlasNotTransposed, CUBLAS_OP_N, 0) \
  constant(kBlasTransposed, CUBLAS_OP_T, 1) \
  constant(kBlasDefaultMath, CUBLAS_DEFAULT_MATH, 0)

// our name, the library's symbol, parameters; all return a BlasResult
#define PATCHBAY_BLAS_ENTRIES(entry) \
  entry(create, cublasCreate_v2, (NativeBlas*)) \
  entry(destroy, cublasDestroy_v2, (NativeBlas)) \
  entry(set_stream, cublasSetStream_v2, (NativeBlas, NativeStream)) \
  entry(set_workspace, cublasSetWorkspace_v2, (NativeBlas, void* memory, std::size_t bytes)) \
  entry(set_math_mode, cublasSetMathMode, (NativeBlas, int mode)) \
  entry(gemm_f32, cublasSgemm_v2, (NativeBlas, int transpose_a, int transpose_b, int m, int n, \
        int k, const float* alpha, const float* a, int lda, const float* b, int ldb, \
        const float* beta, float* c, int ldc)) \
  entry(gemm_f64, cublasDgemm_v2, (NativeBlas, int transpose_a, int transpose_b, int m, int n, \
        int k, const double* alpha, const double* a, int lda, const double* b, int ldb, \
        const double* beta, double* c, int ldc)) \
  entry(gemm_batched_f32, cublasSgemmStridedBatched, (NativeBlas, int transpose_a, \
        int transpose_b, int m, int n, int k, const float* alpha, const float* a, int lda, \
        long long next_a, const float* b, int ldb, long long next_b, const float* beta, float* c, \
        int ldc, long long next_c, int count)) \
  entry(gemm_batched_f64, cublasDgemmStridedBatched, (NativeBlas, int transpose_a, \
        int transpose_b, int m, int n, int k, const double* alpha, const double* a, int lda, \
        long long next_a, const double* b, int ldb, long long next_b, const double* beta, \
        double* c, int ldc, long long next_c, int count))
// clang-format on

#define PATCHBAY_BLAS_CONSTANT(ours, theirs, value) inline constexpr int ours = value;
PATCHBAY_BLAS_CONSTANTS(PATCHBAY_BLAS_CONSTANT)
#undef PATCHBAY_BLAS_CONSTANT

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_API_HPP_
