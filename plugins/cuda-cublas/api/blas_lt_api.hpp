// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of cuBLASLt that are used; see driver_api.hpp. Types of data, operations and statuses
// are those of cuBLAS. Matrices are column-major.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_LT_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_LT_API_HPP_

#include <cstddef>
#include <cstdint>

#include "cuda-cublas/api/blas_api.hpp"

namespace patchbay::cuda {

using NativeBlasLt = struct BlasLtObject*;
using NativeMatmul = struct MatmulObject*;  // what is computed
using NativeLayout = struct LayoutObject*;  // of a matrix
using NativePreference = struct PreferenceObject*;

struct MatmulAlgorithm {
  std::uint64_t data[8];
};
/// What the heuristics propose.
struct MatmulProposal {
  MatmulAlgorithm algorithm;
  std::size_t workspace_bytes;
  BlasResult state;  // if it is not 0, nothing else is valid
  float waves;
  int reserved[4];
};

// Entry by entry.
// clang-format off
// our name, the vendor's name, value
#define PATCHBAY_BLAS_LT_CONSTANTS(constant) \
  constant(kBlasLtInvalidValue, CUBLAS_STATUS_INVALID_VALUE, 7) \
  constant(kBlasLtComputeTf32, CUBLAS_COMPUTE_32F_FAST_TF32, 77) \
  constant(kBlasLtEpilogueBias, CUBLASLT_EPILOGUE_BIAS, 4) \
  constant(kBlasLtSumsInComputeType, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, 2) \
  /* Attributes of a matmul. */ \
  constant(kMatmulTransposeA, CUBLASLT_MATMUL_DESC_TRANSA, 3) \
  constant(kMatmulTransposeB, CUBLASLT_MATMUL_DESC_TRANSB, 4) \
  constant(kMatmulEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE, 7) \
  constant(kMatmulBias, CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8) \
  /* Attributes of a preference. */ \
  constant(kPreferenceWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1) \
  constant(kPreferenceReductions, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 3) \
  constant(kPreferenceAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5) \
  constant(kPreferenceAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6) \
  constant(kPreferenceAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7) \
  constant(kPreferenceAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8)

// our name, the library's symbol, parameters; all return a BlasResult
#define PATCHBAY_BLAS_LT_ENTRIES(entry) \
  entry(create, cublasLtCreate, (NativeBlasLt*)) \
  entry(destroy, cublasLtDestroy, (NativeBlasLt)) \
  entry(create_matmul, cublasLtMatmulDescCreate, (NativeMatmul*, int compute_type, \
        int scale_type)) \
  entry(destroy_matmul, cublasLtMatmulDescDestroy, (NativeMatmul)) \
  entry(set_matmul, cublasLtMatmulDescSetAttribute, (NativeMatmul, int attribute, \
        const void* value, std::size_t bytes)) \
  entry(create_layout, cublasLtMatrixLayoutCreate, (NativeLayout*, int type, std::uint64_t rows, \
        std::uint64_t columns, std::int64_t leading)) \
  entry(destroy_layout, cublasLtMatrixLayoutDestroy, (NativeLayout)) \
  entry(create_preference, cublasLtMatmulPreferenceCreate, (NativePreference*)) \
  entry(destroy_preference, cublasLtMatmulPreferenceDestroy, (NativePreference)) \
  entry(set_preference, cublasLtMatmulPreferenceSetAttribute, (NativePreference, int attribute, \
        const void* value, std::size_t bytes)) \
  entry(propose, cublasLtMatmulAlgoGetHeuristic, (NativeBlasLt, NativeMatmul, NativeLayout a, \
        NativeLayout b, NativeLayout c, NativeLayout d, NativePreference, int most, \
        MatmulProposal* proposals, int* count)) \
  entry(multiply, cublasLtMatmul, (NativeBlasLt, NativeMatmul, const void* alpha, const void* a, \
        NativeLayout, const void* b, NativeLayout, const void* beta, const void* c, NativeLayout, \
        void* d, NativeLayout, const MatmulAlgorithm*, void* workspace, \
        std::size_t workspace_bytes, card::NativeStream))
// clang-format on

#define PATCHBAY_BLAS_LT_CONSTANT(ours, theirs, value) inline constexpr int ours = value;
PATCHBAY_BLAS_LT_CONSTANTS(PATCHBAY_BLAS_LT_CONSTANT)
#undef PATCHBAY_BLAS_LT_CONSTANT

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_BLAS_LT_API_HPP_
