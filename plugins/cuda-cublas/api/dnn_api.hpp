// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of cuDNN 9's graph API that are used; see driver_api.hpp. A descriptor gets its
// attributes, is finalized, and can be used from then on.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DNN_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DNN_API_HPP_

#include <cstdint>

#include "kit/card/api/entries.hpp"

namespace patchbay::cuda {

using DnnResult = int;
using NativeDnn = struct DnnObject*;
using NativeDescriptor = void*;

// Entry by entry.
// clang-format off
// our name, the vendor's name, value
#define PATCHBAY_DNN_CONSTANTS(constant) \
  constant(kDnnSuccess, CUDNN_STATUS_SUCCESS, 0) \
  constant(kDnnNotInitialized, CUDNN_STATUS_NOT_INITIALIZED, 1001) \
  constant(kDnnBadParameter, CUDNN_STATUS_BAD_PARAM, 2000) \
  constant(kDnnNotSupported, CUDNN_STATUS_NOT_SUPPORTED, 3000) \
  constant(kDnnInternalError, CUDNN_STATUS_INTERNAL_ERROR, 4000) \
  constant(kDnnDeviceAllocationFailed, CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, 4004) \
  constant(kDnnExecutionFailed, CUDNN_STATUS_EXECUTION_FAILED, 5000) \
  /* Descriptors. */ \
  constant(kDnnConvolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, 1) \
  constant(kDnnEngine, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 2) \
  constant(kDnnEngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 3) \
  constant(kDnnHeuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, 4) \
  constant(kDnnPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, 5) \
  constant(kDnnForward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 10) \
  constant(kDnnBackwardFilter, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, 11) \
  constant(kDnnBackwardData, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, 12) \
  constant(kDnnGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, 15) \
  constant(kDnnVariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, 16) \
  constant(kDnnTensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR, 17) \
  /* Types of attributes. */ \
  constant(kDnnTypeHandle, CUDNN_TYPE_HANDLE, 0) \
  constant(kDnnTypeDataType, CUDNN_TYPE_DATA_TYPE, 1) \
  constant(kDnnTypeBoolean, CUDNN_TYPE_BOOLEAN, 2) \
  constant(kDnnTypeInt64, CUDNN_TYPE_INT64, 3) \
  constant(kDnnTypeFloat, CUDNN_TYPE_FLOAT, 4) \
  constant(kDnnTypeDouble, CUDNN_TYPE_DOUBLE, 5) \
  constant(kDnnTypePointer, CUDNN_TYPE_VOID_PTR, 6) \
  constant(kDnnTypeConvolutionMode, CUDNN_TYPE_CONVOLUTION_MODE, 7) \
  constant(kDnnTypeHeuristicsMode, CUDNN_TYPE_HEUR_MODE, 8) \
  constant(kDnnTypeNumericalNote, CUDNN_TYPE_NUMERICAL_NOTE, 11) \
  constant(kDnnTypeDescriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR, 15) \
  /* Values of attributes. */ \
  constant(kDnnF32, CUDNN_DATA_FLOAT, 0) \
  constant(kDnnF64, CUDNN_DATA_DOUBLE, 1) \
  constant(kDnnF16, CUDNN_DATA_HALF, 2) \
  constant(kDnnBf16, CUDNN_DATA_BFLOAT16, 9) \
  constant(kDnnCrossCorrelation, CUDNN_CROSS_CORRELATION, 1) \
  constant(kDnnModeFallback, CUDNN_HEUR_MODE_FALLBACK, 2) \
  constant(kDnnModeA, CUDNN_HEUR_MODE_A, 3) \
  constant(kDnnNoteTensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE, 0) \
  constant(kDnnNoteDownConvertsInputs, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, 1) \
  constant(kDnnNoteReducedSums, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, 2) \
  constant(kDnnNoteFft, CUDNN_NUMERICAL_NOTE_FFT, 3) \
  constant(kDnnNoteNondeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, 4) \
  constant(kDnnNoteWinograd, CUDNN_NUMERICAL_NOTE_WINOGRAD, 5) \
  constant(kDnnNoteWinograd4, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4, 6) \
  constant(kDnnNoteWinograd6, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6, 7) \
  constant(kDnnNoteWinograd13, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13, 8) \
  /* Attributes. */ \
  constant(kDnnConvolutionComputeType, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, 100) \
  constant(kDnnConvolutionMode, CUDNN_ATTR_CONVOLUTION_CONV_MODE, 101) \
  constant(kDnnConvolutionDilations, CUDNN_ATTR_CONVOLUTION_DILATIONS, 102) \
  constant(kDnnConvolutionStrides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 103) \
  constant(kDnnConvolutionPostPaddings, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 104) \
  constant(kDnnConvolutionPrePaddings, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 105) \
  constant(kDnnConvolutionRank, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 106) \
  constant(kDnnHeuristicsMode, CUDNN_ATTR_ENGINEHEUR_MODE, 200) \
  constant(kDnnHeuristicsGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 201) \
  constant(kDnnHeuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS, 202) \
  constant(kDnnEngineConfigEngine, CUDNN_ATTR_ENGINECFG_ENGINE, 300) \
  constant(kDnnPlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, 400) \
  constant(kDnnPlanEngineConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 401) \
  constant(kDnnPlanWorkspaceBytes, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 402) \
  constant(kDnnForwardAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 700) \
  constant(kDnnForwardBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 701) \
  constant(kDnnForwardConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, 702) \
  constant(kDnnForwardWeight, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, 703) \
  constant(kDnnForwardImages, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, 704) \
  constant(kDnnForwardWindows, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, 705) \
  constant(kDnnDataAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 706) \
  constant(kDnnDataBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 707) \
  constant(kDnnDataConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, 708) \
  constant(kDnnDataWeight, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, 709) \
  constant(kDnnDataImages, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, 710) \
  constant(kDnnDataWindows, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, 711) \
  constant(kDnnFilterAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 712) \
  constant(kDnnFilterBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 713) \
  constant(kDnnFilterConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, 714) \
  constant(kDnnFilterWeight, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, 715) \
  constant(kDnnFilterImages, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, 716) \
  constant(kDnnFilterWindows, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, 717) \
  constant(kDnnGraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, 800) \
  constant(kDnnGraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS, 801) \
  constant(kDnnTensorAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 900) \
  constant(kDnnTensorType, CUDNN_ATTR_TENSOR_DATA_TYPE, 901) \
  constant(kDnnTensorExtents, CUDNN_ATTR_TENSOR_DIMENSIONS, 902) \
  constant(kDnnTensorStrides, CUDNN_ATTR_TENSOR_STRIDES, 903) \
  constant(kDnnTensorId, CUDNN_ATTR_TENSOR_UNIQUE_ID, 906) \
  constant(kDnnTensorIsByValue, CUDNN_ATTR_TENSOR_IS_BY_VALUE, 908) \
  constant(kDnnPackIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, 1000) \
  constant(kDnnPackPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, 1001) \
  constant(kDnnPackWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 1003) \
  constant(kDnnEngineNotes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, 1303)

// Since cuDNN 9.13.1.
inline constexpr std::size_t kDnnOldestWithAttention = 91301;
#define PATCHBAY_DNN_ATTENTION_CONSTANTS(constant) \
  constant(kDnnAttention, CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, 41) \
  constant(kDnnAttentionQuery, CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, 2800) \
  constant(kDnnAttentionKey, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, 2801) \
  constant(kDnnAttentionValue, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, 2802) \
  constant(kDnnAttentionOut, CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, 2803) \
  constant(kDnnAttentionScale, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, 2805)

// The library's version, as it counts: 91301 is 9.13.1.
using DnnVersion = std::size_t();
inline constexpr const char* kDnnVersionSymbol = "cudnnGetVersion";

// our name, the library's symbol, parameters; all return a DnnResult
#define PATCHBAY_DNN_ENTRIES(entry) \
  entry(create, cudnnCreate, (NativeDnn*)) \
  entry(destroy, cudnnDestroy, (NativeDnn)) \
  entry(set_stream, cudnnSetStream, (NativeDnn, card::NativeStream)) \
  entry(create_descriptor, cudnnBackendCreateDescriptor, (int kind, NativeDescriptor*)) \
  entry(destroy_descriptor, cudnnBackendDestroyDescriptor, (NativeDescriptor)) \
  entry(set_attribute, cudnnBackendSetAttribute, (NativeDescriptor, int attribute, int type, \
        std::int64_t count, const void* values)) \
  entry(get_attribute, cudnnBackendGetAttribute, (NativeDescriptor, int attribute, int type, \
        std::int64_t most, std::int64_t* count, void* values)) \
  entry(finalize, cudnnBackendFinalize, (NativeDescriptor)) \
  entry(execute, cudnnBackendExecute, (NativeDnn, NativeDescriptor plan, NativeDescriptor pack))
// clang-format on

#define PATCHBAY_DNN_CONSTANT(ours, theirs, value) inline constexpr int ours = value;
PATCHBAY_DNN_CONSTANTS(PATCHBAY_DNN_CONSTANT)
PATCHBAY_DNN_ATTENTION_CONSTANTS(PATCHBAY_DNN_CONSTANT)
#undef PATCHBAY_DNN_CONSTANT

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DNN_API_HPP_
