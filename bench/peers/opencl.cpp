// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench/peers/opencl.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#ifdef PATCHBAY_BENCH_CLBLAST
#include <clblast_c.h>
#endif

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "bench/bench.h"

namespace bench {
namespace {

/// Of OpenCL's and CLBlast's calls.
void check(int code, const char* call) {
  if (code == 0) return;
  throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code));
}

}  // namespace

/// The first device, opened directly, with buffers of one size.
class OpenclQueue {
 public:
  OpenclQueue(std::size_t size_bytes, std::size_t num_buffers) : size_bytes_(size_bytes) {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_int code = 0;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueue(context_, device, 0, &code);
    check(code, "clCreateCommandQueue");
    const std::vector<float> values =
        random_values(static_cast<std::int64_t>(size_bytes / sizeof(float)));
    for (std::size_t i = 0; i < num_buffers; ++i) {
      buffers.push_back(clCreateBuffer(context_, CL_MEM_READ_WRITE, size_bytes, nullptr, &code));
      check(code, "clCreateBuffer");
      write(i, values.data());
    }
  }
  ~OpenclQueue() {
    for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context_);
  }
  OpenclQueue(const OpenclQueue&) = delete;
  OpenclQueue& operator=(const OpenclQueue&) = delete;

  void write(std::size_t i, const void* values) {
    check(clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, size_bytes_, values, 0, nullptr,
                               nullptr),
          "clEnqueueWriteBuffer");
  }
  void read(std::size_t i, void* values) {
    check(clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0, size_bytes_, values, 0, nullptr,
                              nullptr),
          "clEnqueueReadBuffer");
  }

  cl_command_queue queue = nullptr;
  std::vector<cl_mem> buffers;

 private:
  const std::size_t size_bytes_;
  cl_context context_ = nullptr;
};

OpenclCopy::OpenclCopy(std::size_t size_bytes)
    : queue_(std::make_unique<OpenclQueue>(size_bytes, 1)) {}
OpenclCopy::~OpenclCopy() = default;
void OpenclCopy::write(const void* values) { queue_->write(0, values); }
void OpenclCopy::read(void* values) { queue_->read(0, values); }

#ifdef PATCHBAY_BENCH_CLBLAST
ClblastGemm::ClblastGemm(int n)
    : queue_(std::make_unique<OpenclQueue>(
          static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * 4, 3)),
      n_(static_cast<std::size_t>(n)) {}
ClblastGemm::~ClblastGemm() = default;
void ClblastGemm::run() {
  const auto& [a, b, c] = std::tie(queue_->buffers[0], queue_->buffers[1], queue_->buffers[2]);
  check(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, n_, n_, n_,
                     1.0F, a, 0, n_, b, 0, n_, 0.0F, c, 0, n_, &queue_->queue, nullptr),
        "CLBlastSgemm");
  check(clFinish(queue_->queue), "clFinish");
}
#endif

}  // namespace bench
