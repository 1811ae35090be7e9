// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of OpenCL 1.2 that are used, declared here so that no vendor header is needed. If
// <CL/cl.h> is found, declarations_check.cpp compares all of them with it.
#ifndef PATCHBAY_PLUGINS_OPENCL_API_CL_TYPES_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_CL_TYPES_HPP_

#include <cstddef>
#include <cstdint>

namespace patchbay::opencl {

// Opaque objects, named as in the specification without its prefix.
using cl_platform = struct PlatformObject*;
using cl_device = struct DeviceObject*;
using cl_context = struct ContextObject*;
using cl_queue = struct QueueObject*;
using cl_buffer = struct BufferObject*;
using cl_event = struct EventObject*;
using cl_program = struct ProgramObject*;
using cl_kernel = struct KernelObject*;

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_bits = std::uint64_t;

// our name, the specification's name, value
// clang-format off
#define PATCHBAY_CL_CONSTANTS(constant)                                                           \
  constant(kSuccess, CL_SUCCESS, 0)                                                               \
  constant(kDeviceNotFound, CL_DEVICE_NOT_FOUND, -1)                                              \
  constant(kDeviceNotAvailable, CL_DEVICE_NOT_AVAILABLE, -2)                                      \
  constant(kMemObjectAllocationFailure, CL_MEM_OBJECT_ALLOCATION_FAILURE, -4)                     \
  constant(kOutOfResources, CL_OUT_OF_RESOURCES, -5)                                              \
  constant(kOutOfHostMemory, CL_OUT_OF_HOST_MEMORY, -6)                                           \
  constant(kBuildProgramFailure, CL_BUILD_PROGRAM_FAILURE, -11)                                   \
  constant(kEventFailed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14)                       \
  constant(kInvalidKernelName, CL_INVALID_KERNEL_NAME, -46)                                       \
  constant(kInvalidWorkGroupSize, CL_INVALID_WORK_GROUP_SIZE, -54)                                \
  constant(kInvalidWorkItemSize, CL_INVALID_WORK_ITEM_SIZE, -55)                                  \
  constant(kInvalidBufferSize, CL_INVALID_BUFFER_SIZE, -61)                                       \
  constant(kTrue, CL_TRUE, 1)                                                                     \
  constant(kFalse, CL_FALSE, 0)                                                                   \
  constant(kPlatformVersion, CL_PLATFORM_VERSION, 0x0901)                                         \
  constant(kPlatformName, CL_PLATFORM_NAME, 0x0902)                                               \
  constant(kDeviceTypeAll, CL_DEVICE_TYPE_ALL, 0xFFFFFFFF)                                        \
  constant(kDeviceTypeCpu, CL_DEVICE_TYPE_CPU, 1 << 1)                                            \
  constant(kDeviceType, CL_DEVICE_TYPE, 0x1000)                                                   \
  constant(kDeviceMaxComputeUnits, CL_DEVICE_MAX_COMPUTE_UNITS, 0x1002)                           \
  constant(kDeviceMaxWorkGroupSize, CL_DEVICE_MAX_WORK_GROUP_SIZE, 0x1004)                        \
  constant(kDeviceVectorWidthFloat, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 0x100A)               \
  constant(kDeviceMaxMemAllocSize, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0x1010)                          \
  constant(kDeviceMemBaseAddrAlign, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 0x1019)                        \
  constant(kDeviceSingleFpConfig, CL_DEVICE_SINGLE_FP_CONFIG, 0x101B)                             \
  constant(kDeviceGlobalMemSize, CL_DEVICE_GLOBAL_MEM_SIZE, 0x101F)                               \
  constant(kDeviceLocalMemSize, CL_DEVICE_LOCAL_MEM_SIZE, 0x1023)                                 \
  constant(kDeviceMaxClockFrequency, CL_DEVICE_MAX_CLOCK_FREQUENCY, 0x100C)                       \
  constant(kDeviceGlobalMemCacheSize, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0x101E)                    \
  constant(kDeviceAvailable, CL_DEVICE_AVAILABLE, 0x1027)                                         \
  constant(kDeviceCompilerAvailable, CL_DEVICE_COMPILER_AVAILABLE, 0x1028)                        \
  constant(kDeviceName, CL_DEVICE_NAME, 0x102B)                                                   \
  constant(kDeviceVendor, CL_DEVICE_VENDOR, 0x102C)                                               \
  constant(kDriverVersion, CL_DRIVER_VERSION, 0x102D)                                             \
  constant(kDeviceVersion, CL_DEVICE_VERSION, 0x102F)                                             \
  constant(kDeviceExtensions, CL_DEVICE_EXTENSIONS, 0x1030)                                       \
  constant(kDeviceDoubleFpConfig, CL_DEVICE_DOUBLE_FP_CONFIG, 0x1032)                             \
  constant(kDeviceHostUnifiedMemory, CL_DEVICE_HOST_UNIFIED_MEMORY, 0x1035)                       \
  constant(kFpCorrectlyRoundedDivideSqrt, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, 1 << 7)            \
  constant(kQueueContext, CL_QUEUE_CONTEXT, 0x1090)                                               \
  constant(kQueueDevice, CL_QUEUE_DEVICE, 0x1091)                                                 \
  constant(kQueueProperties, CL_QUEUE_PROPERTIES, 0x1093)                                         \
  constant(kQueueOutOfOrder, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 1 << 0)                      \
  constant(kQueueProfilingEnable, CL_QUEUE_PROFILING_ENABLE, 1 << 1)                              \
  constant(kMemReadWrite, CL_MEM_READ_WRITE, 1 << 0)                                              \
  constant(kMemReadOnly, CL_MEM_READ_ONLY, 1 << 2)                                                \
  constant(kMemAllocHostPtr, CL_MEM_ALLOC_HOST_PTR, 1 << 4)                                       \
  constant(kContextDevices, CL_CONTEXT_DEVICES, 0x1081)                                           \
  constant(kMemObjectBuffer, CL_MEM_OBJECT_BUFFER, 0x10F0)                                        \
  constant(kMemType, CL_MEM_TYPE, 0x1100)                                                         \
  constant(kMemFlags, CL_MEM_FLAGS, 0x1101)                                                       \
  constant(kMemOffset, CL_MEM_OFFSET, 0x1108)                                                     \
  constant(kMemContext, CL_MEM_CONTEXT, 0x1106)                                                   \
  constant(kMemSize, CL_MEM_SIZE, 0x1102)                                                         \
  constant(kMapRead, CL_MAP_READ, 1 << 0)                                                         \
  constant(kMapWrite, CL_MAP_WRITE, 1 << 1)                                                       \
  constant(kProgramBinarySizes, CL_PROGRAM_BINARY_SIZES, 0x1165)                                  \
  constant(kProgramBinaries, CL_PROGRAM_BINARIES, 0x1166)                                         \
  constant(kProgramBuildLog, CL_PROGRAM_BUILD_LOG, 0x1183)                                        \
  constant(kKernelWorkGroupSize, CL_KERNEL_WORK_GROUP_SIZE, 0x11B0)                               \
  constant(kKernelLocalMemSize, CL_KERNEL_LOCAL_MEM_SIZE, 0x11B2)                                 \
  constant(kEventExecutionStatus, CL_EVENT_COMMAND_EXECUTION_STATUS, 0x11D3)                      \
  constant(kComplete, CL_COMPLETE, 0)                                                             \
  constant(kProfilingEnd, CL_PROFILING_COMMAND_END, 0x1283)
// clang-format on

#define PATCHBAY_CL_CONSTANT(ours, theirs, value) \
  inline constexpr auto ours = static_cast<std::int64_t>(value);
PATCHBAY_CL_CONSTANTS(PATCHBAY_CL_CONSTANT)
#undef PATCHBAY_CL_CONSTANT

// From extensions, which older headers lack.
inline constexpr std::int64_t kPlatformNotFoundKhr = -1001;
inline constexpr std::int64_t kDeviceUuidKhr = 0x106A;
inline constexpr std::int64_t kDevicePciBusInfoKhr = 0x410F;
inline constexpr std::int64_t kDevicePciBusIdNv = 0x4008;
inline constexpr std::int64_t kDevicePciSlotIdNv = 0x4009;
inline constexpr std::int64_t kDeviceTopologyAmd = 0x4037;

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_CL_TYPES_HPP_
