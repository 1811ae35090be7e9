// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the driver that are used, declared here so that no vendor header is needed. If
// <cuda.h> is found, declarations_check.cpp compares all of them with it.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_API_HPP_

#include <cstddef>

#include "kit/card/api/entries.hpp"

namespace patchbay::cuda {

using card::Address, card::DeviceNumber, card::NativeContext, card::NativeStream, card::Result;

/// Why a graph could not be updated; not read.
struct UpdateResult {
  int code;
  void *node, *from_node;
};

// Entry by entry.
// clang-format off
// the name in card, the vendor's name: codes, flags and attributes that all cards share
#define PATCHBAY_CUDA_SHARED_CONSTANTS(constant) \
  constant(kSuccess, CUDA_SUCCESS) \
  constant(kErrorInvalidValue, CUDA_ERROR_INVALID_VALUE) \
  constant(kErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY) \
  constant(kErrorNotInitialized, CUDA_ERROR_NOT_INITIALIZED) \
  constant(kErrorDeinitialized, CUDA_ERROR_DEINITIALIZED) \
  constant(kErrorNoDevice, CUDA_ERROR_NO_DEVICE) \
  constant(kErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE) \
  constant(kErrorInvalidImage, CUDA_ERROR_INVALID_IMAGE) \
  constant(kErrorInvalidContext, CUDA_ERROR_INVALID_CONTEXT) \
  constant(kErrorNoBinary, CUDA_ERROR_NO_BINARY_FOR_GPU) \
  constant(kErrorEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE) \
  constant(kErrorPeerAccessUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) \
  constant(kErrorInvalidPtx, CUDA_ERROR_INVALID_PTX) \
  constant(kErrorNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE) \
  constant(kErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION) \
  constant(kErrorInvalidHandle, CUDA_ERROR_INVALID_HANDLE) \
  constant(kErrorNotFound, CUDA_ERROR_NOT_FOUND) \
  constant(kErrorNotReady, CUDA_ERROR_NOT_READY) \
  constant(kErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS) \
  constant(kErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT) \
  constant(kErrorPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) \
  constant(kErrorContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED) \
  constant(kErrorAssert, CUDA_ERROR_ASSERT) \
  constant(kErrorHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR) \
  constant(kErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION) \
  constant(kErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS) \
  constant(kErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE) \
  constant(kErrorInvalidPc, CUDA_ERROR_INVALID_PC) \
  constant(kErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED) \
  constant(kErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED) \
  constant(kErrorStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) \
  constant(kErrorExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE) \
  constant(kErrorUnknown, CUDA_ERROR_UNKNOWN) \
  constant(kPointerContext, CU_POINTER_ATTRIBUTE_CONTEXT) \
  constant(kPointerDevice, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) \
  constant(kFunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) \
  constant(kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER) \
  constant(kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) \
  constant(kHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE) \
  constant(kStreamNonBlocking, CU_STREAM_NON_BLOCKING) \
  constant(kCaptureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED) \
  constant(kNotCapturing, CU_STREAM_CAPTURE_STATUS_NONE) \
  constant(kEventDefault, CU_EVENT_DEFAULT) \
  constant(kEventBlockingSync, CU_EVENT_BLOCKING_SYNC) \
  constant(kEventDisableTiming, CU_EVENT_DISABLE_TIMING)

// The same, for names that headers before 13.0 may lack.
#define PATCHBAY_CUDA_NEW_SHARED_CONSTANTS(constant) \
  constant(kErrorContained, CUDA_ERROR_CONTAINED) \
  constant(kErrorTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK) \
  constant(kErrorMpsClientTerminated, CUDA_ERROR_MPS_CLIENT_TERMINATED)

// our name, the vendor's name, value
#define PATCHBAY_CUDA_CONSTANTS(constant) \
  constant(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) \
  constant(kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10) \
  constant(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16) \
  constant(kIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, 18) \
  constant(kL2CacheBytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38) \
  constant(kSharedMemoryBytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8) \
  constant(kClockKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13) \
  constant(kMemoryClockKhz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36) \
  constant(kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
  constant(kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)

// the name in card::Api, the library's symbol
#define PATCHBAY_CUDA_SYMBOLS(symbol) \
  symbol(initialise, cuInit) \
  symbol(device_count, cuDeviceGetCount) \
  symbol(device_name, cuDeviceGetName) \
  symbol(device_uuid, cuDeviceGetUuid_v2) \
  symbol(device_total_memory, cuDeviceTotalMem_v2) \
  symbol(device_attribute, cuDeviceGetAttribute) \
  symbol(device_pci, cuDeviceGetPCIBusId) \
  symbol(device_can_access_peer, cuDeviceCanAccessPeer) \
  symbol(memory_allocate, cuMemAlloc_v2) \
  symbol(memory_free, cuMemFree_v2) \
  symbol(memory_info, cuMemGetInfo_v2) \
  symbol(host_allocate, cuMemHostAlloc) \
  symbol(host_free, cuMemFreeHost) \
  symbol(pointer_attribute, cuPointerGetAttribute) \
  symbol(address_range, cuMemGetAddressRange_v2) \
  symbol(copy_to_device, cuMemcpyHtoDAsync_v2) \
  symbol(copy_to_host, cuMemcpyDtoHAsync_v2) \
  symbol(copy_on_device, cuMemcpyDtoDAsync_v2) \
  symbol(stream_priorities, cuCtxGetStreamPriorityRange) \
  symbol(stream_create, cuStreamCreateWithPriority) \
  symbol(stream_destroy, cuStreamDestroy_v2) \
  symbol(stream_synchronize, cuStreamSynchronize) \
  symbol(stream_query, cuStreamQuery) \
  symbol(stream_wait_event, cuStreamWaitEvent) \
  symbol(stream_is_capturing, cuStreamIsCapturing) \
  symbol(event_create, cuEventCreate) \
  symbol(event_destroy, cuEventDestroy_v2) \
  symbol(event_record, cuEventRecord) \
  symbol(event_query, cuEventQuery) \
  symbol(event_synchronize, cuEventSynchronize) \
  symbol(event_elapsed, cuEventElapsedTime) \
  symbol(module_load, cuModuleLoadDataEx) \
  symbol(module_unload, cuModuleUnload) \
  symbol(module_function, cuModuleGetFunction) \
  symbol(function_attribute, cuFuncGetAttribute) \
  symbol(launch, cuLaunchKernel)

// The same, optional. No driver lacks the first five.
#define PATCHBAY_CUDA_GRAPH_SYMBOLS(symbol) \
  symbol(capture_begin, cuStreamBeginCapture_v2) \
  symbol(capture_end, cuStreamEndCapture) \
  symbol(graph_destroy, cuGraphDestroy) \
  symbol(replay_launch, cuGraphLaunch) \
  symbol(replay_destroy, cuGraphExecDestroy)

// our name, the library's symbol, parameters: optional; the second exists since 12.0
#define PATCHBAY_CUDA_OWN_GRAPH_ENTRIES(entry) \
  entry(instantiate, cuGraphInstantiateWithFlags, (card::NativeReplay*, card::NativeGraph, \
        unsigned long long flags)) \
  entry(update, cuGraphExecUpdate_v2, (card::NativeReplay, card::NativeGraph, UpdateResult*))

// our name, the library's symbol, parameters: what other vendors do differently; all return a Result
#define PATCHBAY_CUDA_OWN_ENTRIES(entry) \
  entry(error_name, cuGetErrorName, (Result, const char** name)) \
  entry(error_text, cuGetErrorString, (Result, const char** text)) \
  entry(device_get, cuDeviceGet, (DeviceNumber*, int index)) \
  entry(primary_retain, cuDevicePrimaryCtxRetain, (NativeContext*, DeviceNumber)) \
  entry(primary_release, cuDevicePrimaryCtxRelease_v2, (DeviceNumber)) \
  entry(get_current, cuCtxGetCurrent, (NativeContext*)) \
  entry(set_current, cuCtxSetCurrent, (NativeContext)) \
  entry(current_device, cuCtxGetDevice, (DeviceNumber*)) \
  entry(enable_peer, cuCtxEnablePeerAccess, (NativeContext to, unsigned flags)) \
  entry(copy_peer, cuMemcpyPeerAsync, (Address to, NativeContext to_context, Address from, \
        NativeContext from_context, std::size_t bytes, NativeStream)) \
  entry(context_of_stream, cuStreamGetCtx, (NativeStream, NativeContext*))
// clang-format on

#define PATCHBAY_CUDA_CONSTANT(ours, theirs, value) inline constexpr int ours = value;
PATCHBAY_CUDA_CONSTANTS(PATCHBAY_CUDA_CONSTANT)
#undef PATCHBAY_CUDA_CONSTANT

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_API_HPP_
