// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of the ICD loader that this plugin calls, resolved when it is opened.
#ifndef PATCHBAY_PLUGINS_OPENCL_API_SYMBOLS_HPP_
#define PATCHBAY_PLUGINS_OPENCL_API_SYMBOLS_HPP_

#include <optional>
#include <string>

#include "opencl/api/cl_types.hpp"

namespace patchbay::opencl {

using BuildCallback = void (*)(cl_program, void*);
using ContextCallback = void (*)(const char*, const void*, std::size_t, void*);

// name, result, parameters
// clang-format off
#define PATCHBAY_CL_SYMBOLS(symbol)                                                               \
  symbol(clGetPlatformIDs, cl_int, (cl_uint, cl_platform*, cl_uint*))                             \
  symbol(clGetPlatformInfo, cl_int, (cl_platform, cl_uint, std::size_t, void*, std::size_t*))     \
  symbol(clGetDeviceIDs, cl_int, (cl_platform, cl_bits, cl_uint, cl_device*, cl_uint*))           \
  symbol(clGetDeviceInfo, cl_int, (cl_device, cl_uint, std::size_t, void*, std::size_t*))         \
  symbol(clCreateContext, cl_context,                                                             \
         (const std::intptr_t*, cl_uint, const cl_device*, ContextCallback, void*, cl_int*))      \
  symbol(clGetContextInfo, cl_int, (cl_context, cl_uint, std::size_t, void*, std::size_t*))       \
  symbol(clRetainContext, cl_int, (cl_context))                                                   \
  symbol(clReleaseContext, cl_int, (cl_context))                                                  \
  symbol(clCreateCommandQueue, cl_queue, (cl_context, cl_device, cl_bits, cl_int*))               \
  symbol(clRetainCommandQueue, cl_int, (cl_queue))                                                \
  symbol(clReleaseCommandQueue, cl_int, (cl_queue))                                               \
  symbol(clGetCommandQueueInfo, cl_int, (cl_queue, cl_uint, std::size_t, void*, std::size_t*))    \
  symbol(clFlush, cl_int, (cl_queue))                                                             \
  symbol(clFinish, cl_int, (cl_queue))                                                            \
  symbol(clCreateBuffer, cl_buffer, (cl_context, cl_bits, std::size_t, void*, cl_int*))           \
  symbol(clReleaseMemObject, cl_int, (cl_buffer))                                                 \
  symbol(clGetMemObjectInfo, cl_int, (cl_buffer, cl_uint, std::size_t, void*, std::size_t*))      \
  symbol(clEnqueueWriteBuffer, cl_int,                                                            \
         (cl_queue, cl_buffer, cl_uint, std::size_t, std::size_t, const void*, cl_uint,           \
          const cl_event*, cl_event*))                                                            \
  symbol(clEnqueueWriteBufferRect, cl_int,                                                        \
         (cl_queue, cl_buffer, cl_uint, const std::size_t*, const std::size_t*,                   \
          const std::size_t*, std::size_t, std::size_t, std::size_t, std::size_t, const void*,    \
          cl_uint, const cl_event*, cl_event*))                                                   \
  symbol(clEnqueueReadBuffer, cl_int,                                                             \
         (cl_queue, cl_buffer, cl_uint, std::size_t, std::size_t, void*, cl_uint,                 \
          const cl_event*, cl_event*))                                                            \
  symbol(clEnqueueCopyBuffer, cl_int,                                                             \
         (cl_queue, cl_buffer, cl_buffer, std::size_t, std::size_t, std::size_t, cl_uint,         \
          const cl_event*, cl_event*))                                                            \
  symbol(clEnqueueFillBuffer, cl_int,                                                             \
         (cl_queue, cl_buffer, const void*, std::size_t, std::size_t, std::size_t, cl_uint,       \
          const cl_event*, cl_event*))                                                            \
  symbol(clEnqueueMapBuffer, void*,                                                               \
         (cl_queue, cl_buffer, cl_uint, cl_bits, std::size_t, std::size_t, cl_uint,               \
          const cl_event*, cl_event*, cl_int*))                                                   \
  symbol(clEnqueueUnmapMemObject, cl_int,                                                         \
         (cl_queue, cl_buffer, void*, cl_uint, const cl_event*, cl_event*))                       \
  symbol(clEnqueueMarkerWithWaitList, cl_int, (cl_queue, cl_uint, const cl_event*, cl_event*))    \
  symbol(clEnqueueBarrierWithWaitList, cl_int, (cl_queue, cl_uint, const cl_event*, cl_event*))   \
  symbol(clRetainEvent, cl_int, (cl_event))                                                       \
  symbol(clReleaseEvent, cl_int, (cl_event))                                                      \
  symbol(clWaitForEvents, cl_int, (cl_uint, const cl_event*))                                     \
  symbol(clGetEventInfo, cl_int, (cl_event, cl_uint, std::size_t, void*, std::size_t*))           \
  symbol(clGetEventProfilingInfo, cl_int, (cl_event, cl_uint, std::size_t, void*, std::size_t*))  \
  symbol(clCreateProgramWithSource, cl_program,                                                   \
         (cl_context, cl_uint, const char**, const std::size_t*, cl_int*))                        \
  symbol(clCreateProgramWithBinary, cl_program,                                                   \
         (cl_context, cl_uint, const cl_device*, const std::size_t*, const unsigned char**,       \
          cl_int*, cl_int*))                                                                      \
  symbol(clBuildProgram, cl_int,                                                                  \
         (cl_program, cl_uint, const cl_device*, const char*, BuildCallback, void*))              \
  symbol(clGetProgramBuildInfo, cl_int,                                                           \
         (cl_program, cl_device, cl_uint, std::size_t, void*, std::size_t*))                      \
  symbol(clGetProgramInfo, cl_int, (cl_program, cl_uint, std::size_t, void*, std::size_t*))       \
  symbol(clReleaseProgram, cl_int, (cl_program))                                                  \
  symbol(clCreateKernel, cl_kernel, (cl_program, const char*, cl_int*))                           \
  symbol(clReleaseKernel, cl_int, (cl_kernel))                                                    \
  symbol(clGetKernelWorkGroupInfo, cl_int,                                                        \
         (cl_kernel, cl_device, cl_uint, std::size_t, void*, std::size_t*))                       \
  symbol(clSetKernelArg, cl_int, (cl_kernel, cl_uint, std::size_t, const void*))                  \
  symbol(clEnqueueNDRangeKernel, cl_int,                                                          \
         (cl_queue, cl_kernel, cl_uint, const std::size_t*, const std::size_t*,                   \
          const std::size_t*, cl_uint, const cl_event*, cl_event*))
// clang-format on

/// The opened ICD loader. It is never unloaded, because the drivers behind it keep threads.
class Symbols {
 public:
  /// `path`: the only file to try. Throws PATCHBAY_NO_DRIVER with the dynamic linker's message.
  explicit Symbols(const std::optional<std::string>& path);

#define PATCHBAY_CL_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  PATCHBAY_CL_SYMBOLS(PATCHBAY_CL_MEMBER)
#undef PATCHBAY_CL_MEMBER
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_API_SYMBOLS_HPP_
