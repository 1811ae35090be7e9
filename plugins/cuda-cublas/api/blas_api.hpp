// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of cuBLAS that are used; see driver_api.hpp. Matrices are column-major.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_API_HPP_

#include <cstddef>

#include "kit/card/api/entries.hpp"

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
  constant(kBlasArchitectureMismatch, CUBLAS_STATUS_ARCH_MISMATCH, 8) \
  constant(kBlasInternalError, CUBLAS_STATUS_INTERNAL_ERROR, 14) \
  constant(kBlasNotSupported, CUBLAS_STATUS_NOT_SUPPORTED, 15) \
  constant(kBlasNotTransposed, CUBLAS_OP_N, 0) \
  constant(kBlasTransposed, CUBLAS_OP_T, 1) \
  constant(kBlasDefaultMath, CUBLAS_DEFAULT_MATH, 0) \
  constant(kBlasTf32Math, CUBLAS_TF32_TENSOR_OP_MATH, 3) \
  constant(kBlasNoReducedSums, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 16) \
  constant(kBlasF16, CUDA_R_16F, 2) \
  constant(kBlasBf16, CUDA_R_16BF, 14) \
  constant(kBlasF32, CUDA_R_32F, 0) \
  constant(kBlasF64, CUDA_R_64F, 1) \
  constant(kBlasComputeF32, CUBLAS_COMPUTE_32F, 68) \
  constant(kBlasComputeF64, CUBLAS_COMPUTE_64F, 70) \
  constant(kBlasDefaultAlgorithm, CUBLAS_GEMM_DEFAULT, -1)

// our name, the library's symbol, parameters; all return a BlasResult
#define PATCHBAY_BLAS_ENTRIES(entry) \
  PATCHBAY_BLAS_PLAIN_ENTRIES(entry) \
  PATCHBAY_BLAS_GEMM_ENTRIES(entry)

#define PATCHBAY_BLAS_PLAIN_ENTRIES(entry) \
  entry(create, cublasCreate_v2, (NativeBlas*)) \
  entry(destroy, cublasDestroy_v2, (NativeBlas)) \
  entry(set_stream, cublasSetStream_v2, (NativeBlas, card::NativeStream)) \
  entry(set_workspace, cublasSetWorkspace_v2, (NativeBlas, void* memory, std::size_t bytes)) \
  entry(set_math_mode, cublasSetMathMode, (NativeBlas, int mode))

// Overloaded in the vendor's header.
#define PATCHBAY_BLAS_GEMM_ENTRIES(entry) \
  entry(gemm, cublasGemmStridedBatchedEx, (NativeBlas, int transpose_a, int transpose_b, int m, \
        int n, int k, const void* alpha, const void* a, int a_type, int lda, long long next_a, \
        const void* b, int b_type, int ldb, long long next_b, const void* beta, void* c, \
        int c_type, int ldc, long long next_c, int count, int compute_type, int algorithm))
// clang-format on

#define PATCHBAY_BLAS_CONSTANT(ours, theirs, value) inline constexpr int ours = value;
PATCHBAY_BLAS_CONSTANTS(PATCHBAY_BLAS_CONSTANT)
#undef PATCHBAY_BLAS_CONSTANT

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_API_HPP_
