// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The first OpenCL device, opened directly: for the peers that use it. Included after the version
// of OpenCL is chosen.
#ifndef PATCHBAY_BENCH_PEERS_OPENCL_QUEUE_H_
#define PATCHBAY_BENCH_PEERS_OPENCL_QUEUE_H_

#include <CL/cl.h>

#include <stdexcept>
#include <string>

namespace bench {

/// Of OpenCL's and CLBlast's calls.
inline void check(int code, const char* call) {
  if (code == 0) return;
  throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code));
}

struct OpenclQueue {
  OpenclQueue() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_int code = 0;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
  }
  ~OpenclQueue() {
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  OpenclQueue(const OpenclQueue&) = delete;
  OpenclQueue& operator=(const OpenclQueue&) = delete;

  cl_mem make_buffer(std::size_t size_bytes) const {
    cl_int code = 0;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size_bytes, nullptr, &code);
    check(code, "clCreateBuffer");
    return buffer;
  }

  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_OPENCL_QUEUE_H_
