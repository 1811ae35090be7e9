// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* An ICD loader with platforms that have no usable device. No call but those of a search comes. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef NUM_PLATFORMS
#define NUM_PLATFORMS 1
#endif
#ifndef NUM_DEVICES
#define NUM_DEVICES 1
#endif

enum { kPlatformNotFound = -1001, kDeviceNotFound = -1, kInvalidValue = -30 };
enum { kPlatformVersion = 0x0901 };

static int things[2];

int32_t clGetPlatformIDs(uint32_t size, void** platforms, uint32_t* count);
int32_t clGetPlatformIDs(uint32_t size, void** platforms, uint32_t* count) {
  if (NUM_PLATFORMS == 0) return kPlatformNotFound;
  if (size != 0) platforms[0] = &things[0];
  if (count != NULL) *count = NUM_PLATFORMS;
  return 0;
}

int32_t clGetPlatformInfo(void* platform, uint32_t what, size_t size, void* value, size_t* needs);
int32_t clGetPlatformInfo(void* platform, uint32_t what, size_t size, void* value, size_t* needs) {
  const char* const text = what == kPlatformVersion ? "OpenCL " VERSION " test" : "Bare platform";
  (void)platform;
  if (needs != NULL) *needs = strlen(text) + 1;
  if (size <= strlen(text)) return kInvalidValue;
  memcpy(value, text, strlen(text) + 1);
  return 0;
}

int32_t clGetDeviceIDs(void* platform, uint64_t type, uint32_t size, void** ids, uint32_t* count);
int32_t clGetDeviceIDs(void* platform, uint64_t type, uint32_t size, void** ids, uint32_t* count) {
  (void)platform;
  (void)type;
  if (NUM_DEVICES == 0) return kDeviceNotFound;
  if (size != 0) ids[0] = &things[1];
  if (count != NULL) *count = NUM_DEVICES;
  return 0;
}

#define UNUSED(name)  \
  int32_t name(void); \
  int32_t name(void) { return kInvalidValue; }
UNUSED(clGetDeviceInfo)
UNUSED(clCreateContext)
UNUSED(clGetContextInfo)
UNUSED(clRetainContext)
UNUSED(clReleaseContext)
UNUSED(clCreateCommandQueue)
UNUSED(clRetainCommandQueue)
UNUSED(clReleaseCommandQueue)
UNUSED(clGetCommandQueueInfo)
UNUSED(clFlush)
UNUSED(clFinish)
UNUSED(clCreateBuffer)
UNUSED(clReleaseMemObject)
UNUSED(clGetMemObjectInfo)
UNUSED(clEnqueueWriteBuffer)
UNUSED(clEnqueueWriteBufferRect)
UNUSED(clEnqueueReadBuffer)
UNUSED(clEnqueueCopyBuffer)
UNUSED(clEnqueueFillBuffer)
UNUSED(clEnqueueMapBuffer)
UNUSED(clEnqueueUnmapMemObject)
UNUSED(clEnqueueMarkerWithWaitList)
UNUSED(clEnqueueBarrierWithWaitList)
UNUSED(clRetainEvent)
UNUSED(clReleaseEvent)
UNUSED(clWaitForEvents)
UNUSED(clGetEventInfo)
UNUSED(clGetEventProfilingInfo)
UNUSED(clCreateProgramWithSource)
UNUSED(clCreateProgramWithBinary)
UNUSED(clBuildProgram)
UNUSED(clGetProgramBuildInfo)
UNUSED(clGetProgramInfo)
UNUSED(clReleaseProgram)
UNUSED(clCreateKernel)
UNUSED(clReleaseKernel)
UNUSED(clGetKernelWorkGroupInfo)
UNUSED(clSetKernelArg)
UNUSED(clEnqueueNDRangeKernel)
