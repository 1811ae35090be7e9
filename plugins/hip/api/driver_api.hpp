// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the driver that are used, declared here so that no vendor header is needed. If
// <hip/hip_runtime_api.h> is found, declarations_check.cpp compares all of them with it.
#ifndef PATCHBAY_PLUGINS_HIP_API_DRIVER_API_HPP_
#define PATCHBAY_PLUGINS_HIP_API_DRIVER_API_HPP_

#include <cstddef>

#include "kit/card/api/entries.hpp"

namespace patchbay::hip {

using card::Address, card::DeviceNumber, card::NativeStream, card::Result;

// Entry by entry.
// clang-format off
// the name in card, the vendor's name: codes, flags and attributes that all cards share
#define PATCHBAY_HIP_SHARED_CONSTANTS(constant) \
  constant(kSuccess, hipSuccess) \
  constant(kErrorInvalidValue, hipErrorInvalidValue) \
  constant(kErrorOutOfMemory, hipErrorOutOfMemory) \
  constant(kErrorNotInitialized, hipErrorNotInitialized) \
  constant(kErrorDeinitialized, hipErrorDeinitialized) \
  constant(kErrorNoDevice, hipErrorNoDevice) \
  constant(kErrorInvalidDevice, hipErrorInvalidDevice) \
  constant(kErrorInvalidImage, hipErrorInvalidImage) \
  constant(kErrorInvalidContext, hipErrorInvalidContext) \
  constant(kErrorNoBinary, hipErrorNoBinaryForGpu) \
  constant(kErrorEccUncorrectable, hipErrorECCNotCorrectable) \
  constant(kErrorPeerAccessUnsupported, hipErrorPeerAccessUnsupported) \
  constant(kErrorInvalidPtx, hipErrorInvalidKernelFile) \
  constant(kErrorObjectInit, hipErrorSharedObjectInitFailed) \
  constant(kErrorInvalidHandle, hipErrorInvalidHandle) \
  constant(kErrorNotFound, hipErrorNotFound) \
  constant(kErrorNotReady, hipErrorNotReady) \
  constant(kErrorIllegalAddress, hipErrorIllegalAddress) \
  constant(kErrorLaunchTimeout, hipErrorLaunchTimeOut) \
  constant(kErrorPeerAccessAlreadyEnabled, hipErrorPeerAccessAlreadyEnabled) \
  constant(kErrorContextIsDestroyed, hipErrorContextIsDestroyed) \
  constant(kErrorAssert, hipErrorAssert) \
  constant(kErrorLaunchFailed, hipErrorLaunchFailure) \
  constant(kErrorNotSupported, hipErrorNotSupported) \
  constant(kErrorStreamCaptureImplicit, hipErrorStreamCaptureImplicit) \
  constant(kErrorUnknown, hipErrorUnknown) \
  constant(kPointerContext, HIP_POINTER_ATTRIBUTE_CONTEXT) \
  constant(kPointerDevice, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL) \
  constant(kFunctionMaxThreads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) \
  constant(kJitErrorLog, hipJitOptionErrorLogBuffer) \
  constant(kJitErrorLogBytes, hipJitOptionErrorLogBufferSizeBytes) \
  constant(kHostAllocPortable, hipHostMallocPortable) \
  constant(kStreamNonBlocking, hipStreamNonBlocking) \
  constant(kCaptureRelaxed, hipStreamCaptureModeRelaxed) \
  constant(kNotCapturing, hipStreamCaptureStatusNone) \
  constant(kEventDefault, hipEventDefault) \
  constant(kEventBlockingSync, hipEventBlockingSync) \
  constant(kEventDisableTiming, hipEventDisableTiming)

// our name, the vendor's name, value
#define PATCHBAY_HIP_CONSTANTS(constant) \
  constant(kMaxThreadsPerBlock, hipDeviceAttributeMaxThreadsPerBlock, 56) \
  constant(kWarpSize, hipDeviceAttributeWarpSize, 87) \
  constant(kMultiprocessorCount, hipDeviceAttributeMultiprocessorCount, 63) \
  constant(kIntegrated, hipDeviceAttributeIntegrated, 16) \
  constant(kL2CacheBytes, hipDeviceAttributeL2CacheSize, 19) \
  constant(kSharedMemoryBytes, hipDeviceAttributeMaxSharedMemoryPerBlock, 74) \
  constant(kClockKhz, hipDeviceAttributeClockRate, 5) \
  constant(kMemoryClockKhz, hipDeviceAttributeMemoryClockRate, 60) \
  constant(kErrorRuntimeMemory, hipErrorRuntimeMemory, 1052) \
  constant(kErrorRuntimeOther, hipErrorRuntimeOther, 1053)

// the name in card::Api, the library's symbol
#define PATCHBAY_HIP_SYMBOLS(symbol) \
  symbol(initialise, hipInit) \
  symbol(device_count, hipGetDeviceCount) \
  symbol(device_name, hipDeviceGetName) \
  symbol(device_uuid, hipDeviceGetUuid) \
  symbol(device_total_memory, hipDeviceTotalMem) \
  symbol(device_attribute, hipDeviceGetAttribute) \
  symbol(device_pci, hipDeviceGetPCIBusId) \
  symbol(device_can_access_peer, hipDeviceCanAccessPeer) \
  symbol(memory_allocate, hipMalloc) \
  symbol(memory_free, hipFree) \
  symbol(memory_info, hipMemGetInfo) \
  symbol(host_allocate, hipHostMalloc) \
  symbol(host_free, hipHostFree) \
  symbol(pointer_attribute, hipPointerGetAttribute) \
  symbol(address_range, hipMemGetAddressRange) \
  symbol(copy_to_device, hipMemcpyHtoDAsync) \
  symbol(copy_to_host, hipMemcpyDtoHAsync) \
  symbol(copy_on_device, hipMemcpyDtoDAsync) \
  symbol(stream_priorities, hipDeviceGetStreamPriorityRange) \
  symbol(stream_create, hipStreamCreateWithPriority) \
  symbol(stream_destroy, hipStreamDestroy) \
  symbol(stream_synchronize, hipStreamSynchronize) \
  symbol(stream_query, hipStreamQuery) \
  symbol(stream_wait_event, hipStreamWaitEvent) \
  symbol(stream_is_capturing, hipStreamIsCapturing) \
  symbol(event_create, hipEventCreateWithFlags) \
  symbol(event_destroy, hipEventDestroy) \
  symbol(event_record, hipEventRecord) \
  symbol(event_query, hipEventQuery) \
  symbol(event_synchronize, hipEventSynchronize) \
  symbol(event_elapsed, hipEventElapsedTime) \
  symbol(module_load, hipModuleLoadDataEx) \
  symbol(module_unload, hipModuleUnload) \
  symbol(module_function, hipModuleGetFunction) \
  symbol(function_attribute, hipFuncGetAttribute) \
  symbol(launch, hipModuleLaunchKernel)

// The same, optional.
#define PATCHBAY_HIP_GRAPH_SYMBOLS(symbol) \
  symbol(capture_begin, hipStreamBeginCapture) \
  symbol(capture_end, hipStreamEndCapture) \
  symbol(graph_destroy, hipGraphDestroy) \
  symbol(replay_launch, hipGraphLaunch) \
  symbol(replay_destroy, hipGraphExecDestroy)

// our name, the library's symbol, parameters: optional
#define PATCHBAY_HIP_OWN_GRAPH_ENTRIES(entry) \
  entry(instantiate, hipGraphInstantiate, (card::NativeReplay*, card::NativeGraph, void** node, \
        char* log, std::size_t log_bytes))

// our name, the library's symbol, parameters: what other vendors do differently; all return a Result
#define PATCHBAY_HIP_OWN_ENTRIES(entry) \
  entry(runtime_version, hipRuntimeGetVersion, (int* version)) \
  entry(get_device, hipGetDevice, (DeviceNumber*)) \
  entry(set_device, hipSetDevice, (DeviceNumber)) \
  entry(enable_peer, hipDeviceEnablePeerAccess, (DeviceNumber to, unsigned flags)) \
  entry(copy_peer, hipMemcpyPeerAsync, (Address to, DeviceNumber to_device, Address from, \
        DeviceNumber from_device, std::size_t bytes, NativeStream))

// our name, the library's symbol; they take a Result and return a text
#define PATCHBAY_HIP_TEXT_ENTRIES(entry) \
  entry(error_name, hipGetErrorName) \
  entry(error_text, hipGetErrorString)
// clang-format on

/// The device's properties. From version 6 on the structure and its entry are others. Only the name
/// of the architecture, a zero-terminated text, is read.
inline constexpr const char* kPropertiesSymbol = "hipGetDeviceProperties";
inline constexpr const char* kProperties6Symbol = "hipGetDevicePropertiesR0600";
inline constexpr std::size_t kArchitectureOffset = 396, kArchitectureOffset6 = 1160;
inline constexpr std::size_t kArchitectureBytes = 256;
inline constexpr std::size_t kPropertiesBytes = 4096;  // larger than each version's structure

/// Optional, from version 5.6 on: the device of a stream.
inline constexpr const char* kStreamDeviceSymbol = "hipStreamGetDevice";

#define PATCHBAY_HIP_CONSTANT(ours, theirs, value) inline constexpr int ours = value;
PATCHBAY_HIP_CONSTANTS(PATCHBAY_HIP_CONSTANT)
#undef PATCHBAY_HIP_CONSTANT

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_API_DRIVER_API_HPP_
