// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// OpenCL's own copies, on the first device of the machine.
#ifndef PATCHBAY_BENCH_PEERS_OPENCL_COPY_H_
#define PATCHBAY_BENCH_PEERS_OPENCL_COPY_H_

#include <cstddef>
#include <memory>

namespace bench {

class OpenclCopy {
 public:
  /// A buffer of that size, written once. Throws std::runtime_error if a call fails.
  explicit OpenclCopy(std::size_t size_bytes);
  ~OpenclCopy();
  /// All of the buffer, from and to host memory; both block until it is done.
  void write(const void* values);
  void read(void* values);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_OPENCL_COPY_H_
