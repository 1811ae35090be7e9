// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compares our declarations with the vendor's. Compiled if its headers are found; never linked.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <nvrtc.h>
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#endif

#include "cuda-cublas/api/blas_api.hpp"
#include "cuda-cublas/api/blas_lt_api.hpp"
#include "cuda-cublas/api/dnn_api.hpp"
#include "cuda-cublas/api/driver_api.hpp"
#include "cuda-cublas/api/rtc_api.hpp"
#include "kit/card/api/same_declaration.hpp"

// The plugin works with no older driver, whose headers lack some entries.
#if CUDA_VERSION >= 11040

namespace patchbay::cuda {
namespace {

#define PATCHBAY_SAME_SHARED(ours, theirs) \
  static_assert(card::ours == static_cast<int>(theirs), #theirs);
PATCHBAY_CUDA_SHARED_CONSTANTS(PATCHBAY_SAME_SHARED)
#if CUDA_VERSION >= 13000
PATCHBAY_CUDA_NEW_SHARED_CONSTANTS(PATCHBAY_SAME_SHARED)
#endif
#define PATCHBAY_SAME_CONSTANT(ours, theirs, value) \
  static_assert(ours == static_cast<int>(theirs), #theirs);
PATCHBAY_CUDA_CONSTANTS(PATCHBAY_SAME_CONSTANT)
PATCHBAY_BLAS_CONSTANTS(PATCHBAY_SAME_CONSTANT)
static_assert(card::kRtcSuccess == NVRTC_SUCCESS &&
              card::kRtcErrorCompilation == NVRTC_ERROR_COMPILATION);
static_assert(sizeof(card::Uuid) == sizeof(CUuuid));

#define PATCHBAY_SAME_SYMBOL(member, symbol)                                                  \
  static_assert(                                                                              \
      card::is_same_call<card::SignatureOf<decltype(card::Api::member)>, decltype(::symbol)>, \
      #symbol);
PATCHBAY_CUDA_SYMBOLS(PATCHBAY_SAME_SYMBOL)
PATCHBAY_CUDA_GRAPH_SYMBOLS(PATCHBAY_SAME_SYMBOL)
#define PATCHBAY_SAME_RTC_SYMBOL(member, symbol)                                              \
  static_assert(                                                                              \
      card::is_same_call<card::SignatureOf<decltype(card::Rtc::member)>, decltype(::symbol)>, \
      #symbol);
PATCHBAY_CUDA_RTC_SYMBOLS(PATCHBAY_SAME_RTC_SYMBOL)
#define PATCHBAY_SAME_ENTRY(member, symbol, parameters) \
  static_assert(card::is_same_call<int parameters, decltype(::symbol)>, #symbol);
PATCHBAY_CUDA_OWN_ENTRIES(PATCHBAY_SAME_ENTRY)
#if CUDA_VERSION >= 12000
PATCHBAY_CUDA_OWN_GRAPH_ENTRIES(PATCHBAY_SAME_ENTRY)
static_assert(sizeof(UpdateResult) == sizeof(CUgraphExecUpdateResultInfo));
#endif
PATCHBAY_CUDA_RTC_OWN_ENTRIES(PATCHBAY_SAME_ENTRY)
PATCHBAY_BLAS_PLAIN_ENTRIES(PATCHBAY_SAME_ENTRY)
PATCHBAY_BLAS_LT_CONSTANTS(PATCHBAY_SAME_CONSTANT)
PATCHBAY_BLAS_LT_ENTRIES(PATCHBAY_SAME_ENTRY)
static_assert(sizeof(MatmulAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(MatmulProposal) == sizeof(cublasLtMatmulHeuristicResult_t) &&
              offsetof(MatmulProposal, workspace_bytes) ==
                  offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) &&
              offsetof(MatmulProposal, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
#if defined(CUDNN_MAJOR) && CUDNN_MAJOR >= 9
PATCHBAY_DNN_CONSTANTS(PATCHBAY_SAME_CONSTANT)
#if CUDNN_VERSION >= 91301
PATCHBAY_DNN_ATTENTION_CONSTANTS(PATCHBAY_SAME_CONSTANT)
#endif
PATCHBAY_DNN_ENTRIES(PATCHBAY_SAME_ENTRY)
[[maybe_unused]] DnnVersion* const version = cudnnGetVersion;
#endif

// The overload for C.
using Gemm = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                            const void*, const void*, cudaDataType, int, long long, const void*,
                            cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                            long long, int, cublasComputeType_t, cublasGemmAlgo_t);
[[maybe_unused]] Gemm* const gemm = cublasGemmStridedBatchedEx;
#define PATCHBAY_SAME_GEMM(member, symbol, parameters) \
  static_assert(card::is_same_call<int parameters, Gemm>, #symbol);
PATCHBAY_BLAS_GEMM_ENTRIES(PATCHBAY_SAME_GEMM)

}  // namespace
}  // namespace patchbay::cuda

#endif
