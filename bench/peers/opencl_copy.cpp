// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/opencl_copy.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <vector>

#include "peers/opencl_queue.h"

namespace bench {

struct OpenclCopy::Impl : OpenclQueue {
  explicit Impl(std::size_t size) : size_bytes(size), buffer(make_buffer(size)) {}
  ~Impl() { clReleaseMemObject(buffer); }

  const std::size_t size_bytes;
  const cl_mem buffer;
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
