// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/opencl_copy.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace bench {
namespace {

void check(int code, const char* call) {
  if (code == 0) return;
  throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code));
}

}  // namespace

struct OpenclCopy::Impl {
  explicit Impl(std::size_t size) : size_bytes(size) {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_int code = 0;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size_bytes, nullptr, &code);
    check(code, "clCreateBuffer");
  }
  ~Impl() {
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const std::size_t size_bytes;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_mem buffer = nullptr;
};

OpenclCopy::OpenclCopy(std::size_t size_bytes) : impl_(std::make_unique<Impl>(size_bytes)) {
  write(std::vector<char>(size_bytes, 1).data());
}
OpenclCopy::~OpenclCopy() = default;

void OpenclCopy::write(const void* values) {
  check(clEnqueueWriteBuffer(impl_->queue, impl_->buffer, CL_TRUE, 0, impl_->size_bytes, values, 0,
                             nullptr, nullptr),
        "clEnqueueWriteBuffer");
}

void OpenclCopy::read(void* values) {
  check(clEnqueueReadBuffer(impl_->queue, impl_->buffer, CL_TRUE, 0, impl_->size_bytes, values, 0,
                            nullptr, nullptr),
        "clEnqueueReadBuffer");
}

}  // namespace bench
