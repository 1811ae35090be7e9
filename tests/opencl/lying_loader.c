// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The real ICD loader, but for what the environment variable LYING_ICD asks for, words in it:
 *
 *   no-f64       the devices have no f64
 *   coarse       buffers begin at multiples of 4096 bytes
 *   accelerator  they are accelerators
 *   no-memory    buffers of a MiB and more can't be made
 *   small-groups kernels have groups of 64 work-items at most
 *   fail-launch  the first launch of a kernel fails when it is over
 *   slow-build   a build takes 100 ms more; while it does there is the file LYING_ICD_FILE, and if
 *                it was there already the file LYING_ICD_FILE.met is made */
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum {
  kDeviceType = 0x1000,
  kBaseAlignment = 0x1019,
  kDoubleFpConfig = 0x1032,
  kExecutionStatus = 0x11D3
};
enum { kKernelWorkGroupSize = 0x11B0 };
enum { kAllocationFailure = -4, kOutOfResources = -5 };

static int is_asked(const char* what) {
  const char* const asked = getenv("LYING_ICD");
  return asked != NULL && strstr(asked, what) != NULL;
}

/* The entry of the same name in the real loader. */
static void find_real(const char* name, void* function, size_t size) {
  void* const found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, size);
}

typedef int32_t (*info_entry)(void*, uint32_t, size_t, void*, size_t*);

int32_t clGetDeviceInfo(void* device, uint32_t what, size_t size, void* value, size_t* needs);
int32_t clGetDeviceInfo(void* device, uint32_t what, size_t size, void* value, size_t* needs) {
  info_entry real = NULL;
  find_real("clGetDeviceInfo", &real, sizeof real);
  const int32_t code = real(device, what, size, value, needs);
  const uint64_t none = 0, gpu = 4;
  if (code != 0 || value == NULL) return code;
  if (what == kDoubleFpConfig && is_asked("no-f64")) memcpy(value, &none, sizeof none);
  const uint32_t page_bits = 8 * 4096;
  if (what == kBaseAlignment && is_asked("coarse")) memcpy(value, &page_bits, sizeof page_bits);
  if (what == kDeviceType && is_asked("accelerator")) memcpy(value, &gpu, sizeof gpu);
  return code;
}

void* clCreateBuffer(void* context, uint64_t flags, size_t size, void* host, int32_t* code);
void* clCreateBuffer(void* context, uint64_t flags, size_t size, void* host, int32_t* code) {
  void* (*real)(void*, uint64_t, size_t, void*, int32_t*) = NULL;
  find_real("clCreateBuffer", &real, sizeof real);
  if (size >= 1u << 20 && is_asked("no-memory")) {
    *code = kAllocationFailure;
    return NULL;
  }
  return real(context, flags, size, host, code);
}

int32_t clGetKernelWorkGroupInfo(void* kernel, void* device, uint32_t what, size_t size,
                                 void* value, size_t* needs);
int32_t clGetKernelWorkGroupInfo(void* kernel, void* device, uint32_t what, size_t size,
                                 void* value, size_t* needs) {
  int32_t (*real)(void*, void*, uint32_t, size_t, void*, size_t*) = NULL;
  find_real("clGetKernelWorkGroupInfo", &real, sizeof real);
  const int32_t code = real(kernel, device, what, size, value, needs);
  const size_t few = 64;
  if (code == 0 && what == kKernelWorkGroupSize && is_asked("small-groups")) {
    memcpy(value, &few, sizeof few);
  }
  return code;
}

static void make_file(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT, 0600);
  if (file >= 0) close(file);
}

typedef void (*build_callback)(void*, void*);

int32_t clBuildProgram(void* program, uint32_t num_devices, void* const* devices,
                       const char* options, build_callback callback, void* user);
int32_t clBuildProgram(void* program, uint32_t num_devices, void* const* devices,
                       const char* options, build_callback callback, void* user) {
  int32_t (*real)(void*, uint32_t, void* const*, const char*, build_callback, void*) = NULL;
  find_real("clBuildProgram", &real, sizeof real);
  const char* const path = getenv("LYING_ICD_FILE");
  if (path == NULL || !is_asked("slow-build")) {
    return real(program, num_devices, devices, options, callback, user);
  }
  if (access(path, F_OK) == 0) {
    char met[4096];
    snprintf(met, sizeof met, "%s.met", path);
    make_file(met);
  }
  make_file(path);
  const struct timespec pause = {0, 100 * 1000 * 1000};
  thrd_sleep(&pause, NULL);
  const int32_t code = real(program, num_devices, devices, options, callback, user);
  unlink(path);
  return code;
}

static void* failing_event;

int32_t clEnqueueNDRangeKernel(void* queue, void* kernel, uint32_t rank, const size_t* first,
                               const size_t* items, const size_t* group, uint32_t num_waits,
                               void* const* waits, void** event);
int32_t clEnqueueNDRangeKernel(void* queue, void* kernel, uint32_t rank, const size_t* first,
                               const size_t* items, const size_t* group, uint32_t num_waits,
                               void* const* waits, void** event) {
  int32_t (*real)(void*, void*, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t,
                  void* const*, void**) = NULL;
  find_real("clEnqueueNDRangeKernel", &real, sizeof real);
  const int32_t code = real(queue, kernel, rank, first, items, group, num_waits, waits, event);
  if (failing_event == NULL && is_asked("fail-launch")) failing_event = *event;
  return code;
}

int32_t clGetEventInfo(void* event, uint32_t what, size_t size, void* value, size_t* needs);
int32_t clGetEventInfo(void* event, uint32_t what, size_t size, void* value, size_t* needs) {
  info_entry real = NULL;
  find_real("clGetEventInfo", &real, sizeof real);
  const int32_t code = real(event, what, size, value, needs);
  int32_t status = 1;
  const int32_t failed = kOutOfResources;
  if (code != 0 || what != kExecutionStatus || event != failing_event) return code;
  if (!is_asked("fail-launch")) return code;
  memcpy(&status, value, sizeof status);
  if (status == 0) memcpy(value, &failed, sizeof failed);
  return code;
}
