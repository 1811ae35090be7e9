// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// OpenCL's own copies, and products by CLBlast, on the first OpenCL device of the machine. What
// fails throws std::runtime_error.
#ifndef PATCHBAY_BENCH_PEERS_OPENCL_H_
#define PATCHBAY_BENCH_PEERS_OPENCL_H_

#include <cstddef>
#include <memory>

namespace bench {

class OpenclQueue;

class OpenclCopy {
 public:
  /// A buffer of that size, written once.
  explicit OpenclCopy(std::size_t size_bytes);
  ~OpenclCopy();
  /// All of the buffer, from and to host memory; both block until it is done.
  void write(const void* values);
  void read(void* values);

 private:
  std::unique_ptr<OpenclQueue> queue_;
};

class ClblastGemm {
 public:
  /// Random n x n matrices on the device.
  explicit ClblastGemm(int n);
  ~ClblastGemm();
  /// c = a b, row-major; blocks until it is done.
  void run();

 private:
  std::unique_ptr<OpenclQueue> queue_;
  const std::size_t n_;
};

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_OPENCL_H_
