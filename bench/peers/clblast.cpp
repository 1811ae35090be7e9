// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "peers/clblast.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include "bench.h"
#include "peers/opencl_queue.h"

namespace bench {

struct ClblastGemm::Impl : OpenclQueue {
  explicit Impl(int size) : n(static_cast<std::size_t>(size)) {
    const std::vector<float> values = random_values(static_cast<std::int64_t>(n * n));
    for (cl_mem* matrix : {&a, &b, &c}) {
      *matrix = make_buffer(n * n * 4);
      check(clEnqueueWriteBuffer(queue, *matrix, CL_TRUE, 0, n * n * 4, values.data(), 0, nullptr,
                                 nullptr),
            "clEnqueueWriteBuffer");
    }
  }
  ~Impl() {
    for (cl_mem matrix : {a, b, c}) clReleaseMemObject(matrix);
  }

  const std::size_t n;
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
