// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the driver that are used, declared here so that no vendor header is needed. If
// <cuda.h> is found, declarations_check.cpp compares all of them with it.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_API_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_API_HPP_

#include <cstddef>
#include <cstdint>

namespace patchbay::cuda {

// The driver's enumerations are passed as ints.
using Result = int;
using DeviceNumber = int;
using Address = std::uint64_t;  // in device memory
using NativeContext = struct ContextObject*;
using NativeStream = struct StreamObject*;
using NativeEvent = struct EventObject*;
using NativeModule = struct ModuleObject*;
using NativeFunction = struct FunctionObject*;
struct Uuid {
  char bytes[16];
};

// Entry by entry.
// clang-format off
// our name, the vendor's name, value
#define PATCHBAY_DRIVER_CONSTANTS(constant) \
  constant(kSuccess, CUDA_SUCCESS, 0) \
  constant(kErrorInvalidValue, CUDA_ERROR_INVALID_VALUE, 1) \
  constant(kErrorOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY, 2) \
  constant(kErrorNotInitialized, CUDA_ERROR_NOT_INITIALIZED, 3) \
  constant(kErrorDeinitialized, CUDA_ERROR_DEINITIALIZED, 4) \
  constant(kErrorNoDevice, CUDA_ERROR_NO_DEVICE, 100) \
  constant(kErrorInvalidImage, CUDA_ERROR_INVALID_IMAGE, 200) \
  constant(kErrorInvalidContext, CUDA_ERROR_INVALID_CONTEXT, 201) \
  constant(kErrorNoBinary, CUDA_ERROR_NO_BINARY_FOR_GPU, 209) \
  constant(kErrorEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE, 214) \
  constant(kErrorInvalidPtx, CUDA_ERROR_INVALID_PTX, 218) \
  constant(kErrorNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) \
  constant(kErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222) \
  constant(kErrorNotReady, CUDA_ERROR_NOT_READY, 600) \
  constant(kErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, 700) \
  constant(kErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT, 702) \
  constant(kErrorPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704) \
  constant(kErrorContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) \
  constant(kErrorAssert, CUDA_ERROR_ASSERT, 710) \
  constant(kErrorHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR, 714) \
  constant(kErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) \
  constant(kErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS, 716) \
  constant(kErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) \
  constant(kErrorInvalidPc, CUDA_ERROR_INVALID_PC, 718) \
  constant(kErrorLaunchFailed, CUDA_ERROR_LAUNCH_FAILED, 719) \
  constant(kErrorMpsClientTerminated, CUDA_ERROR_MPS_CLIENT_TERMINATED, 810) \
  constant(kErrorExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE, 911) \
  constant(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) \
  constant(kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10) \
  constant(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16) \
  constant(kIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, 18) \
  constant(kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
  constant(kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
  constant(kPointerContext, CU_POINTER_ATTRIBUTE_CONTEXT, 1) \
  constant(kPointerDevice, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9) \
  constant(kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER, 5) \
  constant(kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6) \
  constant(kHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE, 1) \
  constant(kStreamNonBlocking, CU_STREAM_NON_BLOCKING, 1) \
  constant(kEventDefault, CU_EVENT_DEFAULT, 0) \
  constant(kEventBlockingSync, CU_EVENT_BLOCKING_SYNC, 1) \
  constant(kEventDisableTiming, CU_EVENT_DISABLE_TIMING, 2)

// The same, for names that headers before 13.0 may lack.
#define PATCHBAY_NEW_DRIVER_CONSTANTS(constant) \
  constant(kErrorContained, CUDA_ERROR_CONTAINED, 226) \
  constant(kErrorTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK, 721)

// our name, the library's symbol, parameters; all return a Result
#define PATCHBAY_DRIVER_ENTRIES(entry) \
  entry(initialise, cuInit, (unsigned flags)) \
  entry(error_name, cuGetErrorName, (Result, const char** name)) \
  entry(error_text, cuGetErrorString, (Result, const char** text)) \
  entry(device_count, cuDeviceGetCount, (int* count)) \
  entry(device_get, cuDeviceGet, (DeviceNumber*, int index)) \
  entry(device_name, cuDeviceGetName, (char* name, int size, DeviceNumber)) \
  entry(device_uuid, cuDeviceGetUuid_v2, (Uuid*, DeviceNumber)) \
  entry(device_total_memory, cuDeviceTotalMem_v2, (std::size_t* bytes, DeviceNumber)) \
  entry(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, DeviceNumber)) \
  entry(device_pci, cuDeviceGetPCIBusId, (char* address, int size, DeviceNumber)) \
  entry(device_can_access_peer, cuDeviceCanAccessPeer, (int* can, DeviceNumber from, \
        DeviceNumber to)) \
  entry(context_retain, cuDevicePrimaryCtxRetain, (NativeContext*, DeviceNumber)) \
  entry(context_release, cuDevicePrimaryCtxRelease_v2, (DeviceNumber)) \
  entry(context_get_current, cuCtxGetCurrent, (NativeContext*)) \
  entry(context_set_current, cuCtxSetCurrent, (NativeContext)) \
  entry(context_device, cuCtxGetDevice, (DeviceNumber*)) \
  entry(context_enable_peer, cuCtxEnablePeerAccess, (NativeContext to, unsigned flags)) \
  entry(memory_allocate, cuMemAlloc_v2, (Address*, std::size_t bytes)) \
  entry(memory_free, cuMemFree_v2, (Address)) \
  entry(memory_info, cuMemGetInfo_v2, (std::size_t* free_bytes, std::size_t* total_bytes)) \
  entry(host_allocate, cuMemHostAlloc, (void**, std::size_t bytes, unsigned flags)) \
  entry(host_free, cuMemFreeHost, (void*)) \
  entry(pointer_attribute, cuPointerGetAttribute, (void* value, int attribute, Address)) \
  entry(address_range, cuMemGetAddressRange_v2, (Address* base, std::size_t* bytes, Address)) \
  entry(copy_to_device, cuMemcpyHtoDAsync_v2, (Address to, const void* from, std::size_t bytes, \
        NativeStream)) \
  entry(copy_to_host, cuMemcpyDtoHAsync_v2, (void* to, Address from, std::size_t bytes, \
        NativeStream)) \
  entry(copy_on_device, cuMemcpyDtoDAsync_v2, (Address to, Address from, std::size_t bytes, \
        NativeStream)) \
  entry(copy_to_peer, cuMemcpyPeerAsync, (Address to, NativeContext to_context, Address from, \
        NativeContext from_context, std::size_t bytes, NativeStream)) \
  entry(context_stream_priorities, cuCtxGetStreamPriorityRange, (int* least, int* greatest)) \
  entry(stream_create, cuStreamCreateWithPriority, (NativeStream*, unsigned flags, int priority)) \
  entry(stream_destroy, cuStreamDestroy_v2, (NativeStream)) \
  entry(stream_synchronize, cuStreamSynchronize, (NativeStream)) \
  entry(stream_query, cuStreamQuery, (NativeStream)) \
  entry(stream_wait_event, cuStreamWaitEvent, (NativeStream, NativeEvent, unsigned flags)) \
  entry(stream_context, cuStreamGetCtx, (NativeStream, NativeContext*)) \
  entry(event_create, cuEventCreate, (NativeEvent*, unsigned flags)) \
  entry(event_destroy, cuEventDestroy_v2, (NativeEvent)) \
  entry(event_record, cuEventRecord, (NativeEvent, NativeStream)) \
  entry(event_query, cuEventQuery, (NativeEvent)) \
  entry(event_synchronize, cuEventSynchronize, (NativeEvent)) \
  entry(event_elapsed, cuEventElapsedTime, (float* milliseconds, NativeEvent from, \
        NativeEvent to)) \
  entry(module_load, cuModuleLoadDataEx, (NativeModule*, const void* image, \
        unsigned num_options, int* options, void** values)) \
  entry(module_unload, cuModuleUnload, (NativeModule)) \
  entry(module_function, cuModuleGetFunction, (NativeFunction*, NativeModule, const char* name)) \
  entry(launch, cuLaunchKernel, (NativeFunction, unsigned groups_x, unsigned groups_y, \
        unsigned groups_z, unsigned group_x, unsigned group_y, unsigned group_z, \
        unsigned shared_bytes, NativeStream, void** arguments, void** extra))
// clang-format on

#define PATCHBAY_DRIVER_CONSTANT(ours, theirs, value) inline constexpr int ours = value;
PATCHBAY_DRIVER_CONSTANTS(PATCHBAY_DRIVER_CONSTANT)
PATCHBAY_NEW_DRIVER_CONSTANTS(PATCHBAY_DRIVER_CONSTANT)
#undef PATCHBAY_DRIVER_CONSTANT

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_API_DRIVER_API_HPP_
