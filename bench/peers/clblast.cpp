// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/clblast.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include <stdexcept>
#include <string>

#include "bench.h"

namespace bench {
namespace {

void check(int code, const char* call) {
  if (code == 0) return;
  throw std::runtime_error(std::string(call) + " failed with " + std::to_string(code));
}

}  // namespace

struct ClblastGemm::Impl {
  explicit Impl(int size) : n(static_cast<std::size_t>(size)) {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_int code = 0;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    const std::vector<float> values = random_values(static_cast<std::int64_t>(n * n));
    for (cl_mem* matrix : {&a, &b, &c}) {
      *matrix = clCreateBuffer(context, CL_MEM_READ_WRITE, n * n * 4, nullptr, &code);
      check(code, "clCreateBuffer");
      check(clEnqueueWriteBuffer(queue, *matrix, CL_TRUE, 0, n * n * 4, values.data(), 0, nullptr,
                                 nullptr),
            "clEnqueueWriteBuffer");
    }
  }
  ~Impl() {
    for (cl_mem matrix : {a, b, c}) clReleaseMemObject(matrix);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const std::size_t n;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_mem a = nullptr, b = nullptr, c = nullptr;
};

ClblastGemm::ClblastGemm(int n) : impl_(std::make_unique<Impl>(n)) {}
ClblastGemm::~ClblastGemm() = default;

void ClblastGemm::run() {
  Impl& self = *impl_;
  const std::size_t n = self.n;
  check(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, n, n, n, 1.0F,
                     self.a, 0, n, self.b, 0, n, 0.0F, self.c, 0, n, &self.queue, nullptr),
        "CLBlastSgemm");
  check(clFinish(self.queue), "clFinish");
}

}  // namespace bench
